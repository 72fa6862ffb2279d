"""PathGradients: gradients of a network along the path from a baseline to graphs.

In: the levels of a batch, and a direction of outputs for each graph. Out: what each
block and each arc adds on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from skshake.network._layers import PyGLayer
from skshake.network._model import EncodedEdges, SHAKENetwork
from skshake.network.batches import LevelBatch


class Path(NamedTuple):
    """Inputs of a level, from the baseline (at 0) to what they are (at 1).

    ``start`` and ``offset`` (n_nodes, width) of nodes; ``edges`` has a state of its own
    for each arc, or is None where edges stay what they are.
    """

    start: Tensor
    offset: Tensor
    edges: EncodedEdges | None


class Place(NamedTuple):
    """A place on a path: what the network reads there, and what has gradients."""

    nodes: Tensor
    edges: EncodedEdges | None
    variable: tuple[Tensor, ...]


def _of_each_arc(edges: EncodedEdges) -> EncodedEdges:
    """The same edges, with a state for each arc."""
    edge = torch.arange(len(edges.arcs.edge), device=edges.states.device)
    states = edges.states[edges.arcs.edge.long()]
    return EncodedEdges(states, edges.arcs._replace(edge=edge, by_edge=None), False)


def _reads_weights(network: SHAKENetwork) -> bool:
    """Whether messages are weighted; else an edge counts by its state alone."""
    return all(
        layer.takes_weight if isinstance(layer, PyGLayer) else True
        for layers in network.levels
        for layer in layers  # type: ignore[attr-defined]
    )


class PathGradients:
    """Integrates gradients of a network along paths, in one direction per graph."""

    def __init__(self, network: SHAKENetwork, with_edges: bool) -> None:
        self.network, self.with_edges = network, with_edges
        self.reads_weights = _reads_weights(network)

    @torch.no_grad()
    def paths(self, batch: Sequence[LevelBatch]) -> list[Path]:
        """Paths of the levels of a batch."""
        network = self.network
        found = []
        for depth, (level, baseline) in enumerate(
            zip(batch, network.baseline, strict=True)
        ):
            nodes = network.encode_nodes(level)
            edges = None
            if self.with_edges:
                edges = _of_each_arc(network.encode_edges(depth, level))
            found.append(Path(baseline.expand_as(nodes), nodes - baseline, edges))
        return found

    def place(self, path: Path, fraction: float) -> Place:
        """A place on a path."""
        nodes = (path.start + fraction * path.offset).requires_grad_()
        if path.edges is None:
            return Place(nodes, None, (nodes,))
        states, arcs, is_shared = path.edges
        if self.reads_weights:
            weight = (fraction * arcs.weight).requires_grad_()
            edges = EncodedEdges(states, arcs._replace(weight=weight), is_shared)
            return Place(nodes, edges, (nodes, weight))
        states = (fraction * states).requires_grad_()
        return Place(nodes, EncodedEdges(states, arcs, is_shared), (nodes, states))

    def outputs(self, batch: Sequence[LevelBatch], places: list[Place]) -> Tensor:
        """Outputs of all graphs of a batch, at a place of each level."""
        edges = [place.edges for place in places if place.edges is not None]
        embedding = self.network.embed(
            batch, [place.nodes for place in places], edges=edges or None
        )
        return self.network.read_outputs(embedding)

    def ends(
        self, batch: Sequence[LevelBatch], paths: list[Path], direction: Tensor
    ) -> list[Tensor]:
        """Outputs at the baseline and of the graphs as they are."""
        with torch.no_grad():
            return [
                (
                    self.outputs(batch, [self.place(path, at) for path in paths])
                    * direction
                ).sum(dim=1)
                for at in (0.0, 1.0)
            ]

    def contributions(
        self,
        batch: Sequence[LevelBatch],
        paths: list[Path],
        direction: Tensor,
        n_points: int,
    ) -> list[list[Tensor]]:
        """Contribution of each block and of each arc, level by level."""
        offsets: list[Tensor] = []
        for path in paths:
            offsets.append(path.offset)
            if path.edges is not None:
                states, arcs, _ = path.edges
                offsets.append(arcs.weight if self.reads_weights else states)
        slopes = [torch.zeros_like(offset) for offset in offsets]
        for point in range(n_points):
            places = [self.place(path, (point + 0.5) / n_points) for path in paths]
            variable = [tensor for place in places for tensor in place.variable]
            outputs = self.outputs(batch, places)
            found = torch.autograd.grad(
                (outputs * direction).sum(), variable, allow_unused=True
            )
            for slope, gradient in zip(slopes, found, strict=True):
                if gradient is not None:
                    slope += gradient / n_points
        added = [
            product.sum(dim=1) if product.dim() > 1 else product
            for product in (o * s for o, s in zip(offsets, slopes, strict=True))
        ]
        per_level = len(added) // len(paths)
        return [added[k : k + per_level] for k in range(0, len(added), per_level)]
