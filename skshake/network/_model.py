"""SHAKENetwork: a graph neural network that reads a hierarchy from coarse to fine.

In: the levels of a batch. Out: one row of logits (and an embedding) per graph.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from skshake.network._csr import BatchArcs
from skshake.network._encoders import FeatureEncoder
from skshake.network._layers import SUM_LAYERS, is_sum_layer, make_layer
from skshake.network._plan import NetworkShape
from skshake.network._readouts import READOUTS
from skshake.network._torch_engine import PLAIN, Engine, LevelPlan
from skshake.network.batches import LevelBatch

# Where the standard deviation of weights in messages is more than so many times their
# mean (1 in exponential distributions), their square roots stand for them: else the few
# largest would be all that messages say.
WIDE_SPREAD = 1.3


class ReadOutMLP(nn.Sequential):
    """Hidden layers from pooled states to an embedding of the promised width."""

    def __init__(self, width: int, hidden_dim: int, n_layers: int, rate: float) -> None:
        widths = [width] + [hidden_dim] * n_layers
        super().__init__(
            *(nn.Linear(*pair) for pair in pairwise(widths)),
            *([] if n_layers else [nn.Linear(width, hidden_dim)]),
        )
        self.n_layers, self.rate = n_layers, rate

    def forward(
        self, pooled: Tensor, streams: Tensor | None = None, engine: Engine = PLAIN
    ) -> Tensor:
        """Embeddings (n_graphs, hidden_dim) of pooled states (n_graphs, width)."""
        if not self.n_layers:
            return self[0](pooled)
        h = pooled
        for k, layer in enumerate(self):
            h = engine.linear(cast(nn.Linear, layer), h).relu()
            h = engine.drop(h, self.rate, None if streams is None else streams[k])
        return h


class EncodedEdges(NamedTuple):
    """What messages are made of beside the states of nodes.

    ``states`` (n_edge_states, width), ``arcs``, whose weights are in the scale of their
    level, and whether arcs of several graphs may use one state.
    """

    states: Tensor
    arcs: BatchArcs
    is_shared: bool


class SHAKENetwork(nn.Module):
    """Sequential SHAKE-GNN (paper, section on the architecture).

    Layers run at the coarsest level first; their states, averaged over shared input
    nodes, start the next finer level (``level_input="add"`` adds that level's own
    features). The finest level's states are pooled per graph and read out by an MLP.

    Attributes
    ----------
    engine : Engine
        Computes sums, layers and dropout; plain torch, unless set otherwise.
    baseline : Tensor of shape (n_levels, hidden_dim)
        Each level's encoded average node, which explanations start from.
    temperature : Tensor of shape ()
        Divides the outputs in evaluation.
    """

    engine: Engine = PLAIN
    levels: nn.ModuleList
    weight_scale: Tensor
    weight_power: Tensor
    baseline: Tensor
    temperature: Tensor

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        widths, width = shape.widths, shape.hidden_dim
        self.node_encoder = FeatureEncoder(widths.x_numeric, widths.x_slots, width)
        self.edge_encoder = FeatureEncoder(
            widths.edge_numeric, widths.edge_slots, width
        )
        self.size_encoder = nn.Linear(1, width)
        n_levels = len(shape.n_layers)
        self.register_buffer("weight_scale", torch.ones(n_levels))
        self.register_buffer("weight_power", torch.ones(n_levels))
        self.register_buffer("temperature", torch.ones(()))
        self.register_buffer("baseline", torch.zeros(n_levels, width))
        self.levels = nn.ModuleList(
            nn.ModuleList(
                make_layer(shape.conv, width, shape.n_linear, shape.norm)
                for _ in range(n)
            )
            for n in shape.n_layers
        )
        pooled_width = width * READOUTS[shape.readout].n_parts * (1 + shape.n_layers[0])
        self.readout = ReadOutMLP(pooled_width, width, shape.n_readout, shape.dropout)
        self.head = nn.Linear(width, shape.n_outputs)

    @property
    def networks(self) -> list[SHAKENetwork]:
        """The networks whose outputs are averaged: this one alone."""
        return [self]

    def on(self, engine: Engine) -> SHAKENetwork:
        """The same network, sharing all parameters, computed by another engine."""
        network = copy.copy(self)
        network.engine = engine
        return network

    def learn_scales(
        self, x: list[Tensor], edge_attr: list[Tensor], weights: list[Tensor]
    ) -> None:
        """Learn scales from each level's numeric features and its weights in messages.

        Features are standardised by the finest level's spread; weights, or their square
        roots where weights vary widely, are divided by their level's mean, so that
        messages add up alike on coarse and weighted graphs.
        """
        self.node_encoder.standardise(x[0])
        self.edge_encoder.standardise(edge_attr[0])
        known = [weight if len(weight) else torch.ones(1) for weight in weights]
        self.scale_weights(
            torch.stack([weight.mean() for weight in known]),
            torch.stack([weight.std(correction=0) for weight in known]),
            torch.stack([weight.sqrt().mean() for weight in known]),
        )

    def scale_weights(self, mean: Tensor, spread: Tensor, mean_root: Tensor) -> None:
        """Learn what weights are divided by, and of which levels roots are taken.

        From the mean and the spread of the weights of each level, and their mean root.
        """
        takes_roots = spread > WIDE_SPREAD * mean
        self.weight_power = torch.where(takes_roots, 0.5, 1.0)
        self.weight_scale = torch.where(takes_roots, mean_root, mean)

    @torch.no_grad()
    def learn_baseline(self, levels: Sequence[LevelBatch]) -> None:
        """Learn each level's encoded average node."""
        for depth, level in enumerate(levels):
            encoded = self.encode_nodes(level)
            if len(encoded):
                self.baseline[depth] = encoded.mean(dim=0)

    def forward(
        self, levels: Sequence[LevelBatch], streams: Tensor | None = None
    ) -> Tensor:
        """Outputs of each graph, shape (n_graphs, n_outputs)."""
        return self.read_outputs(self.embed(levels, streams=streams))

    def read_outputs(self, embedding: Tensor) -> Tensor:
        """Outputs (n_graphs, n_outputs) of embeddings, cooled down once trained."""
        outputs: Tensor = self.head(embedding)
        return outputs if self.training else outputs / self.temperature

    def embed(
        self,
        levels: Sequence[LevelBatch],
        encoded: list[Tensor] | None = None,
        streams: Tensor | None = None,
        edges: list[EncodedEdges] | None = None,
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
        edges : list of EncodedEdges or None
            What :meth:`encode_edges` gives for each level, if other than that.
        """
        h: Tensor | None = None
        *of_levels, of_readout = self._split(streams)
        for depth in reversed(range(len(levels))):
            level = levels[depth]
            # Only states of the finest level, which comes last, are pooled.
            own = encoded[depth] if encoded is not None else None
            h = self._start(level, h, own)
            if edges is None:
                between = self.encode_edges(depth, level, h.dtype)
            else:
                between = edges[depth]
            h, pooled = self._run_level(depth, level, h, between, of_levels[depth])
        return self.readout(pooled, of_readout, self.engine)

    def encode_nodes(self, level: LevelBatch) -> Tensor:
        """States of a level's nodes by themselves: features and size of the block."""
        size = self.size_encoder
        more_rows = torch.cat([size.weight.T, size.bias[None]])
        states = self.node_encoder(level.x, self.engine, more_rows)
        if level.row_of_node is None:
            return states
        return self.engine.sum_rows(level.row_of_node, states)

    def encode_edges(
        self, depth: int, level: LevelBatch, dtype: torch.dtype = torch.float32
    ) -> EncodedEdges:
        """States of a level's edges, and its arcs.

        States that are but zeros have the given type.
        """
        weight = level.arcs.weight
        takes_roots = self.weight_power[depth] < 1
        weight = torch.where(takes_roots, weight.sqrt(), weight)
        arcs = level.arcs._replace(weight=weight / self.weight_scale[depth])
        conv = self.shape.conv
        if is_sum_layer(conv) and not SUM_LAYERS[conv]:
            # One edge state of zeros for all arcs.
            states = self.weight_scale.new_zeros(1, self.shape.hidden_dim, dtype=dtype)
            return EncodedEdges(
                states, arcs._replace(edge=torch.zeros_like(arcs.edge)), True
            )
        states = self.edge_encoder(level.edge_attr, self.engine)
        return EncodedEdges(states, arcs, level.shares_edges)

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

    def _start(
        self, level: LevelBatch, coarse: Tensor | None, own: Tensor | None
    ) -> Tensor:
        """States that a level starts from."""
        if coarse is None or level.from_coarser is None:
            return self.encode_nodes(level) if own is None else own
        h = self.engine.sum_rows(level.from_coarser, coarse)
        if self.shape.level_input == "replace":
            return h
        return h + (self.encode_nodes(level) if own is None else own)

    def _run_level(
        self,
        depth: int,
        level: LevelBatch,
        h: Tensor,
        edges: EncodedEdges,
        streams: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """States after the last layer, and pooled states (of the finest level)."""
        shape = self.shape
        plan = LevelPlan(
            arcs=edges.arcs,
            node_ptr=level.node_ptr,
            shares_edges=edges.is_shared,
            n_linear=shape.n_linear,
            dropout=shape.dropout,
            streams=streams,
            is_training=self.training,
            residual=shape.residual,
            readout=None if depth else READOUTS[shape.readout],
        )
        layers = list(cast(nn.ModuleList, self.levels[depth]))
        return self.engine.run_layers(layers, plan, h, edges.states)
