"""SHAKENetwork: a graph neural network that reads a hierarchy from coarse to fine.

In: the levels of a batch. Out: one row of logits (and an embedding) per graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from skshake.network._batches import FeatureBatch, LevelBatch, SparseRows
from skshake.network._message import sum_messages


@dataclass(frozen=True)
class FeatureWidths:
    """Numeric columns and category slots of nodes and edges."""

    x_numeric: int
    x_slots: int
    edge_numeric: int
    edge_slots: int


@dataclass(frozen=True)
class NetworkShape:
    """Sizes and choices of a network; see :class:`skshake.SHAKEClassifier`."""

    widths: FeatureWidths
    n_layers: tuple[int, ...]
    n_outputs: int
    hidden_dim: int
    n_linear: int
    n_readout: int
    conv: str
    level_input: str
    dropout: float


# What ``pool_graphs`` puts side by side.
N_POOLINGS = 3


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation that uses its running statistics for a lone row."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) < 2:
            return nn.functional.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias
            )
        return super().forward(x)


class FeatureEncoder(nn.Module):
    """Features to states: an MLP of standardised numbers plus embedded frequencies.

    The embedding of frequencies is the mean of the categories' embeddings.
    """

    def __init__(self, n_numeric: int, n_slots: int, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.register_buffer("mean", torch.zeros(n_numeric))
        self.register_buffer("scale", torch.ones(n_numeric))
        self.numbers = None
        self.embedding = None
        if n_numeric:
            self.numbers = nn.Sequential(
                nn.Linear(n_numeric, hidden_dim),
                nn.ReLU(),
                nn.Linear(hidden_dim, hidden_dim),
            )
        if n_slots:
            self.embedding = nn.Parameter(torch.empty(n_slots, hidden_dim))
            nn.init.xavier_uniform_(self.embedding)

    def standardise(self, numeric: Tensor) -> None:
        """Learn the mean and the spread of each numeric column."""
        if numeric.numel():
            self.mean = numeric.mean(dim=0)
            spread = numeric.std(dim=0, correction=0)
            self.scale = torch.where(spread > 1e-7 * self.mean.abs(), spread, 1.0)

    def forward(self, features: FeatureBatch) -> Tensor:
        n_rows = len(features.numeric)
        states = features.numeric.new_zeros(n_rows, self.hidden_dim)
        if self.numbers is not None:
            states = self.numbers((features.numeric - self.mean) / self.scale)
        if self.embedding is not None:
            states = states + embedding_bag(
                features.slots,
                self.embedding,
                features.offsets,
                mode="sum",
                per_sample_weights=features.shares,
                include_last_offset=True,
            )
        return states


def make_mlp(n_linear: int, hidden_dim: int) -> nn.Sequential:
    """``n_linear`` linear layers with batch normalisation and ReLU between them."""
    layers: list[nn.Module] = [nn.Linear(hidden_dim, hidden_dim)]
    for _ in range(n_linear - 1):
        layers += [BatchNorm(hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, hidden_dim)]
    return nn.Sequential(*layers)


class MessageLayer(nn.Module):
    r"""One layer of GINE (Hu et al. 2020), or GIN without edge states.

    .. math:: h_i \leftarrow \mathrm{MLP}((1 + \epsilon) h_i
        + \sum_j w_{ij} \, \mathrm{relu}(h_j + e_{ij}))
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.mlp = make_mlp(shape.n_linear, shape.hidden_dim)
        self.after = nn.Sequential(
            BatchNorm(shape.hidden_dim), nn.ReLU(), nn.Dropout(shape.dropout)
        )

    def forward(self, h: Tensor, edge_states: Tensor, level: LevelBatch) -> Tensor:
        messages = sum_messages(h, edge_states, level.arcs)
        return self.after(self.mlp((1 + self.epsilon) * h + messages))


def send_down(h: Tensor, rows: SparseRows) -> Tensor:
    """States of a finer level: means of coarse states over shared input nodes."""
    return embedding_bag(
        rows.columns,
        h,
        rows.offsets,
        mode="sum",
        per_sample_weights=rows.values,
        include_last_offset=True,
    )


def pool_graphs(h: Tensor, node_ptr: Tensor) -> Tensor:
    """Mean, maximum and scaled sum of each graph's node states, side by side.

    The sum is divided by the root of the number of nodes. A graph without nodes gets
    zeros.
    """
    counts = node_ptr.diff()
    owner = torch.repeat_interleave(counts, output_size=len(h))
    out = h.new_zeros(len(counts), h.shape[1])
    total = out.index_add(0, owner, h)
    index = owner[:, None].expand_as(h)
    largest = out.scatter_reduce(0, index, h, "amax", include_self=False)
    n_nodes = counts.clamp(min=1)[:, None]
    return torch.cat([total / n_nodes, largest, total / n_nodes.sqrt()], dim=1)


class SHAKENetwork(nn.Module):
    """Sequential SHAKE-GNN (paper, section on the architecture).

    Layers run at the coarsest level first; their states, averaged over shared input
    nodes, start the next finer level (``level_input="add"`` adds that level's own
    features). The finest level's states are pooled per graph and read out by an MLP.
    """

    levels: nn.ModuleList

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        widths, o = shape.widths, shape.hidden_dim
        self.node_encoder = FeatureEncoder(widths.x_numeric, widths.x_slots, o)
        self.edge_encoder = FeatureEncoder(widths.edge_numeric, widths.edge_slots, o)
        self.size_encoder = nn.Linear(1, o)
        self.register_buffer("weight_scale", torch.ones(len(shape.n_layers)))
        self.levels = nn.ModuleList(
            nn.ModuleList(MessageLayer(shape) for _ in range(n)) for n in shape.n_layers
        )
        width = o * N_POOLINGS * (1 + shape.n_layers[0])
        layers: list[nn.Module] = []
        for _ in range(shape.n_readout):
            layers += [nn.Linear(width, o), nn.ReLU(), nn.Dropout(shape.dropout)]
            width = o
        if width != o:
            # Without hidden layers, the embedding still has the promised width.
            layers.append(nn.Linear(width, o))
        self.readout = nn.Sequential(*layers)
        self.head = nn.Linear(o, shape.n_outputs)

    def learn_scales(
        self, x: list[Tensor], edge_attr: list[Tensor], edge_weight: list[Tensor]
    ) -> None:
        """Learn scales from the numeric features and weights of each level.

        Features are standardised by the finest level's spread; weights are divided by
        their level's mean, so that messages add up alike on coarse and weighted graphs.
        """
        self.node_encoder.standardise(x[0])
        self.edge_encoder.standardise(edge_attr[0])
        means = [
            weight.mean() if len(weight) else torch.ones(()) for weight in edge_weight
        ]
        self.weight_scale = torch.stack(means)

    def embed(self, levels: Sequence[LevelBatch]) -> Tensor:
        """Embedding of each graph, shape (n_graphs, hidden_dim)."""
        h: Tensor | None = None
        states: list[Tensor] = []
        for depth in reversed(range(len(levels))):
            level = levels[depth]
            weight = level.arcs.weight / self.weight_scale[depth]
            level = level._replace(arcs=level.arcs._replace(weight=weight))
            h = self._start(level, h)
            states = [h]
            if self.shape.conv == "gine":
                edge_states = self.edge_encoder(level.edge_attr)
            else:
                edge_states = h.new_zeros(len(level.arcs.weight), self.shape.hidden_dim)
            for layer in cast(nn.ModuleList, self.levels[depth]):
                h = layer(h, edge_states, level)
                states.append(h)
        pooled = [pool_graphs(state, levels[0].node_ptr) for state in states]
        return self.readout(torch.cat(pooled, dim=1))

    def forward(self, levels: Sequence[LevelBatch]) -> Tensor:
        """Logits of each graph, shape (n_graphs, n_outputs)."""
        return self.head(self.embed(levels))

    def _start(self, level: LevelBatch, coarse: Tensor | None) -> Tensor:
        """States that a level starts from."""
        if coarse is not None and level.to_coarser is not None:
            h = send_down(coarse, level.to_coarser)
            if self.shape.level_input == "replace":
                return h
            h = h + self.node_encoder(level.x)
        else:
            h = self.node_encoder(level.x)
        return h + self.size_encoder(level.size.log()[:, None])
