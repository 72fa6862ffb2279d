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
from skshake.network._model import SHAKENetwork
from skshake.network._paths import PathGradients
from skshake.network.batches import DeviceHierarchies

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

    With ``graphs`` the weights of edges in messages grow with t from nothing to what
    they are, and an edge contributes as a node does, with its weight in place of d
    (layers that read no weights: with the edge's state). A coarse edge's contribution
    is shared by its input edges in proportion to their weights, which makes it that of
    their own weights. An edge inside a block is no edge of that level and adds nothing
    there.

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
    explainer = PathGradients(network, graphs is not None)
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
    explainer: PathGradients,
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
    sizes = level.block_sizes(node_ptr)
    return (values / sizes)[level.numbered_blocks(node_ptr)]


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
