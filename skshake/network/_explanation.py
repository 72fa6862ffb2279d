"""explain_graphs: how much input nodes and edges add to an output, at every level.

In: a fitted network and hierarchies. Out: contributions of input nodes and edges that
add up to the output less that of the baseline: the same graph made of average nodes,
and without edges where edges are asked for too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake.graphs import GraphCollection, arcs_from_edges, owner_of, rows_of
from skshake.hierarchy import HierarchyCollection, Level, find_coarse_edges
from skshake.network._inference import INFERENCE_ROWS, inference_batches
from skshake.network._layers import PyGLayer
from skshake.network._model import EncodedEdges, SHAKENetwork
from skshake.network.batches import DeviceHierarchies, LevelBatch

# Points of the midpoint rule along the path from the baseline to the graphs.
N_POINTS = 32
# With edges, whose weights cross many kinks at once in regular graphs: more points for
# graphs whose parts miss their output by more than this fraction of their sizes.
MORE_POINTS, TOLERANCE = (N_POINTS, 4 * N_POINTS, 16 * N_POINTS), 0.02


class Contributions(NamedTuple):
    """What is added to an output, mean over forests.

    ``nodes`` (n_levels, n_nodes) and ``edges`` (n_levels, n_edges) over all graphs;
    ``baseline`` and ``output`` (n_graphs,). Edges are of no columns where nobody asks.
    """

    nodes: np.ndarray
    edges: np.ndarray
    baseline: np.ndarray
    output: np.ndarray


class _Path(NamedTuple):
    """Inputs of a level, from the baseline (at 0) to what they are (at 1).

    ``start`` and ``offset`` (n_nodes, width) of nodes; ``edges`` has a state of its own
    for each arc, or is None where edges stay what they are.
    """

    start: Tensor
    offset: Tensor
    edges: EncodedEdges | None


class _Place(NamedTuple):
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


class _Explainer:
    """Integrates gradients of a network along paths, in one direction per graph."""

    def __init__(self, network: SHAKENetwork, with_edges: bool) -> None:
        self.network, self.with_edges = network, with_edges
        self.reads_weights = _reads_weights(network)

    @torch.no_grad()
    def paths(self, batch: Sequence[LevelBatch]) -> list[_Path]:
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
            found.append(_Path(baseline.expand_as(nodes), nodes - baseline, edges))
        return found

    def place(self, path: _Path, fraction: float) -> _Place:
        """A place on a path."""
        nodes = (path.start + fraction * path.offset).requires_grad_()
        if path.edges is None:
            return _Place(nodes, None, (nodes,))
        states, arcs, is_shared = path.edges
        if self.reads_weights:
            weight = (fraction * arcs.weight).requires_grad_()
            edges = EncodedEdges(states, arcs._replace(weight=weight), is_shared)
            return _Place(nodes, edges, (nodes, weight))
        states = (fraction * states).requires_grad_()
        return _Place(nodes, EncodedEdges(states, arcs, is_shared), (nodes, states))

    def outputs(self, batch: Sequence[LevelBatch], places: list[_Place]) -> Tensor:
        """Outputs of all graphs of a batch, at a place of each level."""
        edges = [place.edges for place in places if place.edges is not None]
        embedding = self.network.embed(
            batch, [place.nodes for place in places], edges=edges or None
        )
        outputs: Tensor = self.network.head(embedding)
        return outputs

    def ends(
        self, batch: Sequence[LevelBatch], paths: list[_Path], direction: Tensor
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
        paths: list[_Path],
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


def explain_graphs(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    hierarchies: HierarchyCollection,
    directions: np.ndarray,
    graphs: GraphCollection | None = None,
) -> Contributions:
    r"""Integrated gradients (Sundararajan et al. 2017) of the levels' inputs.

    With d the difference of a node's encoded features from the baseline a (those of an
    average training node), it contributes
    :math:`d \cdot \int_0^1 \nabla f(a + t d) \, dt`. A block's contribution is shared
    equally by its input nodes.

    With ``graphs`` the weights of edges grow with t from nothing to what they are, and
    an edge contributes as a node does, with its weight in place of d (layers that read
    no weights: with the edge's state). A coarse edge's contribution is shared by its
    input edges in proportion to their weights, which makes it that of their own
    weights. An edge inside a block is no edge of that level and adds nothing there.

    Parameters
    ----------
    network : SHAKENetwork
    data : DeviceHierarchies
    hierarchies : HierarchyCollection
        The same graphs.
    directions : float array of shape (n_graphs, n_outputs)
        f is the sum of these times the outputs.
    graphs : GraphCollection or None, default=None
        The input graphs, whose edges are explained; None leaves edges as they are.

    Returns
    -------
    contributions : Contributions
    """
    network.eval()
    explainer = _Explainer(network, graphs is not None)
    n_levels, n_nodes = len(hierarchies.levels), int(hierarchies.node_ptr[-1])
    n_edges = 0 if graphs is None else graphs.n_edges
    of_nodes, of_edges = np.zeros((n_levels, n_nodes)), np.zeros((n_levels, n_edges))
    of_ends = np.zeros((2, len(hierarchies)))
    on_device = torch.from_numpy(directions.astype(np.float32)).to(data.device)
    for k, levels in enumerate(hierarchies.forests):
        rows = _Rows.of(levels)
        for chosen in inference_batches(data, k, INFERENCE_ROWS // N_POINTS):
            of_ends[:, chosen] += _integrate(
                explainer, data, chosen, k, on_device, rows
            )
        for d, level in enumerate(levels):
            of_nodes[d] += _to_nodes(rows.blocks[d], level, hierarchies.node_ptr)
            if graphs is not None:
                of_edges[d] += _to_edges(rows.arcs[d], level, graphs)
    n_forests = len(hierarchies.forests)
    return Contributions(*(a / n_forests for a in (of_nodes, of_edges, *of_ends)))


class _Rows(NamedTuple):
    """Contributions of blocks and arcs of all graphs, which levels place."""

    levels: Sequence[Level]
    blocks: list[np.ndarray]
    arcs: list[np.ndarray]

    @classmethod
    def of(cls, levels: Sequence[Level]) -> _Rows:
        """Zeros."""
        return cls(
            levels,
            [np.zeros(level.node_ptr[-1]) for level in levels],
            [np.zeros(2 * level.edge_ptr[-1]) for level in levels],
        )

    def place(self, graphs: np.ndarray, found: list[list[Tensor]]) -> np.ndarray:
        """Keep what was found for some graphs; give the sum and the size of each."""
        totals = np.zeros((2, len(graphs)))
        for d, (level, of_level) in enumerate(zip(self.levels, found, strict=True)):
            units = (
                (self.blocks[d], level.node_ptr),
                (self.arcs[d], 2 * level.edge_ptr),
            )
            for (kept, ptr), values in zip(units, of_level, strict=False):
                rows, chosen_ptr = rows_of(ptr, graphs)
                kept[rows] = values.detach().cpu().double().numpy()
                owner = owner_of(chosen_ptr)
                for total, part in zip(totals, (kept, np.abs(kept)), strict=True):
                    total += np.bincount(owner, part[rows], minlength=len(graphs))
        return totals


def _integrate(
    explainer: _Explainer,
    data: DeviceHierarchies,
    graphs: np.ndarray,
    forest: int,
    directions: Tensor,
    rows: _Rows,
) -> np.ndarray:
    """Fill in the rows of some graphs; give their outputs at both ends, (2, n)."""
    of_ends = np.zeros((2, len(graphs)))
    left = np.arange(len(graphs))
    for n_points in MORE_POINTS if explainer.with_edges else (N_POINTS,):
        chosen = graphs[left]
        batch = data.batch(chosen, forest)
        direction = directions[torch.from_numpy(chosen).to(data.device)]
        paths = explainer.paths(batch)
        found = explainer.contributions(batch, paths, direction, n_points)
        if n_points == N_POINTS:
            ends = torch.stack(explainer.ends(batch, paths, direction))
            of_ends[:] = ends.cpu().double().numpy()
        added, size = rows.place(chosen, found)
        missing = of_ends[1, left] - of_ends[0, left] - added
        left = left[np.abs(missing) > TOLERANCE * size]
        if not len(left):
            break
    return of_ends


def _to_nodes(values: np.ndarray, level: Level, node_ptr: np.ndarray) -> np.ndarray:
    """Values of blocks, shared equally by their input nodes."""
    blocks = level.numbered_blocks(node_ptr)
    size = np.bincount(blocks, minlength=len(values))
    return (values / np.maximum(size, 1))[blocks]


def _to_edges(values: np.ndarray, level: Level, graphs: GraphCollection) -> np.ndarray:
    """Values of arcs, shared by input edges in proportion to their weights."""
    arcs = arcs_from_edges(level.node_ptr, level.edge_ptr, level.edges)
    first_edge = np.repeat(level.edge_ptr[:-1], 2 * np.diff(level.edge_ptr))
    of_coarse = np.bincount(
        arcs.edge_of_arc + first_edge, values, minlength=len(level.edges)
    )
    coarse = find_coarse_edges(level, graphs)
    weight = np.ones(len(coarse)) if graphs.edge_weight is None else graphs.edge_weight
    is_between = coarse >= 0
    shares = np.zeros(len(coarse))
    joined = coarse[is_between]
    total = np.bincount(joined, weight[is_between], minlength=len(of_coarse))
    shares[is_between] = weight[is_between] / total[joined] * of_coarse[joined]
    return shares
