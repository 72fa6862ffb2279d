"""SHAKENetwork: a graph neural network that reads a hierarchy from coarse to fine.

In: the levels of a batch. Out: one row of logits (and an embedding) per graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import torch
from torch import Tensor, nn

from skshake.network._bags import has_triton, sum_rows
from skshake.network._batches import FeatureBatch, LevelBatch
from skshake.network._layers import SumLayer, make_layer
from skshake.network._linear import LaneLinear
from skshake.network._passes import N_POOLINGS
from skshake.network._random import drop
from skshake.network._trunk import TrunkPlan, run_trunk


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
    conv: Any
    level_input: str
    norm: str | None
    residual: bool
    dropout: float

    @property
    def is_compiled(self) -> bool:
        """Whether the compiled functions do what the layers do."""
        is_sum = self.conv in ("gine", "gin")
        return is_sum and self.norm == "batch" and not self.residual


class FeatureEncoder(nn.Module):
    """Features to states: an MLP of standardised numbers plus embedded frequencies.

    The embedding of frequencies is the mean of the categories' embeddings.
    """

    def __init__(self, n_numeric: int, n_slots: int, hidden_dim: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(n_numeric))
        self.register_buffer("scale", torch.ones(n_numeric))
        self.embedding = nn.Parameter(torch.empty(n_slots, hidden_dim))
        if n_slots:
            nn.init.xavier_uniform_(self.embedding)
        self.numbers = None
        if n_numeric:
            self.numbers = nn.Sequential(
                nn.Linear(n_numeric, hidden_dim),
                nn.ReLU(),
                nn.Linear(hidden_dim, hidden_dim),
            )

    def standardise(self, numeric: Tensor) -> None:
        """Learn the mean and the spread of each numeric column."""
        if numeric.numel():
            self.mean = numeric.mean(dim=0)
            spread = numeric.std(dim=0, correction=0)
            self.scale = torch.where(spread > 1e-7 * self.mean.abs(), spread, 1.0)

    def forward(
        self, features: FeatureBatch, more_rows: Tensor | None = None
    ) -> Tensor:
        """States (n_rows, hidden_dim).

        Parameters
        ----------
        features : FeatureBatch
        more_rows : Tensor of shape (n_more, hidden_dim) or None
            Embeddings of slots beyond those of categories.
        """
        table: Tensor = self.embedding
        if more_rows is not None:
            table = torch.cat([table, more_rows])
        states = sum_rows(features.slots, table)
        if self.numbers is not None:
            states = states + self.numbers((features.numeric - self.mean) / self.scale)
        return states


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


class ReadOut(nn.Sequential):
    """Hidden layers from pooled states to an embedding of the promised width."""

    def __init__(self, width: int, hidden_dim: int, n_layers: int, rate: float) -> None:
        widths = [width] + [hidden_dim] * n_layers
        super().__init__(
            *(LaneLinear(*pair) for pair in pairwise(widths)),
            *([] if n_layers else [nn.Linear(width, hidden_dim)]),
        )
        self.n_layers, self.rate = n_layers, rate

    def forward(self, pooled: Tensor, streams: Tensor | None = None) -> Tensor:
        """Embeddings (n_graphs, hidden_dim) of pooled states (n_graphs, width)."""
        h = pooled
        for k, layer in enumerate(self):
            h = layer(h)
            if k < self.n_layers:
                h = drop(h.relu(), self.rate, None if streams is None else streams[k])
        return h


class SHAKENetwork(nn.Module):
    """Sequential SHAKE-GNN (paper, section on the architecture).

    Layers run at the coarsest level first; their states, averaged over shared input
    nodes, start the next finer level (``level_input="add"`` adds that level's own
    features). The finest level's states are pooled per graph and read out by an MLP.
    """

    levels: nn.ModuleList
    average: Tensor

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        widths, o = shape.widths, shape.hidden_dim
        self.node_encoder = FeatureEncoder(widths.x_numeric, widths.x_slots, o)
        self.edge_encoder = FeatureEncoder(widths.edge_numeric, widths.edge_slots, o)
        self.size_encoder = nn.Linear(1, o)
        self.register_buffer("weight_scale", torch.ones(len(shape.n_layers)))
        self.register_buffer("average", torch.zeros(len(shape.n_layers), o))
        self.levels = nn.ModuleList(
            nn.ModuleList(
                make_layer(shape.conv, o, shape.n_linear, shape.norm, shape.dropout)
                for _ in range(n)
            )
            for n in shape.n_layers
        )
        width = o * N_POOLINGS * (1 + shape.n_layers[0])
        self.readout = ReadOut(width, o, shape.n_readout, shape.dropout)
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

    @torch.no_grad()
    def learn_average(self, levels: Sequence[LevelBatch]) -> None:
        """Learn each level's encoded average node, which explanations start from."""
        for depth, level in enumerate(levels):
            encoded = self.encode_nodes(level)
            if len(encoded):
                self.average[depth] = encoded.mean(dim=0)

    def embed(
        self,
        levels: Sequence[LevelBatch],
        encoded: list[Tensor] | None = None,
        streams: Tensor | None = None,
    ) -> Tensor:
        """Embedding of each graph, shape (n_graphs, hidden_dim).

        Parameters
        ----------
        levels : sequence of LevelBatch
            From fine to coarse.
        encoded : list of Tensor or None
            What :meth:`encode_nodes` gives for each level, if other than that.
        streams : int64 Tensor of shape (n_streams,) or None
            From which the masks of dropout follow; None drops nothing.
        """
        h: Tensor | None = None
        *of_levels, of_readout = self._split(streams)
        for depth in reversed(range(len(levels))):
            level = levels[depth]
            weight = level.arcs.weight / self.weight_scale[depth]
            level = level._replace(arcs=level.arcs._replace(weight=weight))
            own = encoded[depth] if encoded is not None else None
            start = self._start(level, h, own)
            h, pooled = self._run_level(depth, level, start, of_levels[depth])
        return self.readout(pooled, of_readout)

    @property
    def n_streams(self) -> int:
        """Number of places where states are dropped in training."""
        places = sum(self.shape.n_layers) + self.shape.n_readout
        return places if self.shape.dropout else 0

    def _split(self, streams: Tensor | None) -> list[Tensor | None]:
        """Streams of the layers of each level, then of the read-out."""
        counts = (*self.shape.n_layers, self.shape.n_readout)
        if streams is None:
            return [None] * len(counts)
        return list(streams.split(counts))

    def encode_nodes(self, level: LevelBatch) -> Tensor:
        """States of a level's nodes by themselves: features and size of the block."""
        size = self.size_encoder
        more_rows = torch.cat([size.weight.T, size.bias[None]])
        states = self.node_encoder(level.x, more_rows)
        return states if level.node_kind is None else sum_rows(level.node_kind, states)

    def forward(
        self, levels: Sequence[LevelBatch], streams: Tensor | None = None
    ) -> Tensor:
        """Outputs of each graph, shape (n_graphs, n_outputs)."""
        return self.head(self.embed(levels, streams=streams))

    def _start(
        self, level: LevelBatch, coarse: Tensor | None, own: Tensor | None
    ) -> Tensor:
        """States that a level starts from."""
        if coarse is None or level.to_coarser is None:
            return self.encode_nodes(level) if own is None else own
        h = sum_rows(level.to_coarser, coarse)
        if self.shape.level_input == "replace":
            return h
        return h + (self.encode_nodes(level) if own is None else own)

    def _run_level(
        self, depth: int, level: LevelBatch, h: Tensor, streams: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """States after the last layer, and pooled states of all layers (finest level).

        In one compiled function where the layers allow it.
        """
        layers = cast(nn.ModuleList, self.levels[depth])
        shares_edges = level.shares_edges
        if self.shape.conv == "gin":
            edge_states = h.new_zeros(1, h.shape[1])
            edge = torch.zeros_like(level.arcs.edge)
            level = level._replace(arcs=level.arcs._replace(edge=edge))
            shares_edges = True
        else:
            edge_states = self.edge_encoder(level.edge_attr)
        if self._is_compiled(h, level):
            plan = TrunkPlan(
                level.arcs,
                level.node_ptr,
                [norm for layer in layers for norm in cast(SumLayer, layer).norms],
                self.shape.n_linear,
                self.shape.dropout,
                streams,
                self.training,
                pools=depth == 0,
                shares_edges=shares_edges,
            )
            run = run_trunk if h.device.type == "cpu" else _device_trunk()
            return run(
                plan,
                h,
                edge_states,
                [_parameters(cast(SumLayer, layer)) for layer in layers],
            )
        states = [h]
        for k, layer in enumerate(layers):
            h = layer(h, edge_states, level, None if streams is None else streams[k])
            if self.shape.residual:
                h = h + states[-1]
            states.append(h)
        if depth:
            return h, h.new_empty(0)
        pooled = [pool_graphs(state, level.node_ptr) for state in states]
        return h, torch.cat(pooled, dim=1)

    def _is_compiled(self, h: Tensor, level: LevelBatch) -> bool:
        """Whether a compiled function can run on these states, in this mode."""
        is_plain = h.dtype == torch.float32
        if h.device.type != "cpu":
            has_rows = level.arcs.by_edge is not None or not self.training
            is_plain &= h.device.type == "cuda" and has_triton() and has_rows
        if torch.compiler.is_compiling() or torch.is_autocast_enabled(h.device.type):
            return False
        # Statistics of one row are not those of a batch, and gradients of a network in
        # evaluation are asked for by explanations alone.
        works = len(h) > 1 if self.training else not torch.is_grad_enabled()
        return self.shape.is_compiled and is_plain and works


def _device_trunk() -> Callable:
    from skshake.network._trunk_cuda import run_trunk

    return run_trunk


def _parameters(layer: SumLayer) -> list[Tensor]:
    """Epsilon, then weights and biases of each linear layer and its normalisation."""
    parameters: list[Tensor] = [layer.epsilon]
    for linear, norm in zip(layer.linears, layer.norms, strict=True):
        parameters += [linear.weight, linear.bias, norm.weight, norm.bias]
    return parameters
