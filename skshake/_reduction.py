"""Reduction: how much smaller coarse graphs are than their input.

In: graphs and their hierarchies. Out: shares of nodes and edges at each level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skshake._sizes import paper_edges, paper_nodes
from skshake._splitmix import mix
from skshake.forests import check_edge_weight, draw_partitions, streams_of
from skshake.graphs import GraphCollection, InvalidGraphError, without_features
from skshake.hierarchy import HierarchyCollection, Pooling, Vocabulary, coarsen
from skshake.resolution import Objective

# To say how many edges any q leaves, forests are drawn of graphs with so many nodes and
# edges, at so many q, from this fraction of q* on.
SAMPLED_ROWS, SAMPLED_Q, SMALLEST_Q = 50_000, 31, 0.01


@dataclass(frozen=True)
class Reduction:
    """Sizes of coarse graphs over sizes of input graphs, on the training graphs.

    Parameters
    ----------
    q : tuple of float
        Resolution of each level.
    nodes, edges : tuple of float
        Coarse nodes (edges) of all graphs over input nodes (edges), achieved at each
        level by the first forest.
    expected_nodes : tuple of float
        What ``nodes`` is expected to be: from the spectra with ``q="auto"``, else the
        mean over forests.
    expected_nodes_error : tuple of float
        Standard error of the expectation. From spectra 0 if all graphs were measured
        exactly. From forests an upper bound for graphs that are all different: the
        number of roots is a sum of independent Bernoulli variables, so its variance is
        at most its mean.
    paper_nodes, paper_edges : tuple of float
        The paper's formulas, for comparison.
    """

    q: tuple[float, ...]
    nodes: tuple[float, ...]
    edges: tuple[float, ...]
    expected_nodes: tuple[float, ...]
    expected_nodes_error: tuple[float, ...]
    paper_nodes: tuple[float, ...]
    paper_edges: tuple[float, ...]

    def __repr__(self) -> str:
        levels = [
            f"q = {q:.4g} leaves {nodes:.1%} of the nodes, {edges:.1%} of the edges"
            for q, nodes, edges in zip(self.q, self.nodes, self.edges, strict=True)
        ]
        return f"<Reduction: {'; '.join(levels)}>"

    def describe(self, q_star: float | None = None) -> list[str]:
        """What each level below the input graph keeps, in words.

        Parameters
        ----------
        q_star : float or None, default=None
            The resolution that was learnt, which is called q*.

        Returns
        -------
        lines : list of str
            Such as "q* = 7 keeps 68 % of the nodes: about 1.5 input nodes to a coarse
            one".
        """
        return [
            f"{'q*' if q == q_star else 'q'} = {q:.3g} keeps {100 * kept:.0f} % of the "
            f"nodes: about {1 / kept:.2g} input nodes to a coarse one"
            for q, kept in zip(self.q, self.nodes, strict=True)
            if np.isfinite(q) and kept
        ]


def measure_reduction(
    graphs: GraphCollection,
    hierarchies: HierarchyCollection,
    objective: Objective | None,
) -> Reduction:
    """Sizes at each level; the objective knows what to expect if q was learnt."""
    n_nodes, n_edges = max(graphs.n_nodes, 1), max(graphs.n_edges, 1)
    rows = []
    for number, level in enumerate(hierarchies.levels):
        if np.isinf(level.q):
            expected, error = 1.0, 0.0
        elif objective is not None:
            n_measured = max(objective.n_nodes.sum(), 1)
            expected, error = (
                x / n_measured for x in objective.expected_nodes(level.q)
            )
        else:
            counts = [levels[number].node_ptr[-1] for levels in hierarchies.forests]
            expected = float(np.mean(counts)) / n_nodes
            error = float(np.sqrt(np.mean(counts) / len(counts))) / n_nodes
        rows.append(
            (
                level.q,
                float(level.node_ptr[-1] / n_nodes),
                float(level.edge_ptr[-1] / n_edges),
                expected,
                error,
                paper_nodes(graphs, level.q) / n_nodes,
                paper_edges(graphs, level.q) / n_edges,
            )
        )
    return Reduction(*map(tuple, zip(*rows, strict=True)))


def sample_edge_fraction(
    graphs: GraphCollection, grid: np.ndarray, q_star: float, seed: int
) -> np.ndarray:
    """Coarse edges over input edges at each q, drawn for some graphs.

    Parameters
    ----------
    graphs : GraphCollection
    grid : ndarray of shape (n_grid,)
        Increasing q.
    q_star : float
    seed : int
        Which graphs are drawn depends on it and on their content, not on their order.

    Returns
    -------
    fractions : ndarray of shape (n_grid,)
        One forest is drawn per graph, at 31 q; between them it is interpolated. NaN
        below a hundredth of q*, and wherever nothing can be drawn: because all graphs
        are large, or without edges.
    """
    fractions = np.full(len(grid), np.nan)
    order = np.argsort(mix(graphs.fingerprints ^ mix(np.uint64(seed))))
    n_rows = (np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr))[order]
    sample = without_features(graphs[order[np.cumsum(n_rows) <= SAMPLED_ROWS]])
    lowest = max(grid[0], min(SMALLEST_Q * q_star, grid[-2]))
    qs = np.geomspace(grid[-1], lowest, SAMPLED_Q)
    try:
        check_edge_weight(sample, qs)
    except InvalidGraphError:
        return fractions
    if not sample.n_edges:
        return fractions
    pooling = Pooling("sum", "sum", Vocabulary(()), Vocabulary(()))
    blocks = draw_partitions(sample, qs, streams_of(sample, seed))[1]
    drawn = [
        coarsen(sample, q, block, pooling).edge_ptr[-1] / sample.n_edges
        for q, block in zip(qs.tolist(), blocks, strict=True)
    ]
    is_drawn = grid >= lowest
    where = np.log(grid[is_drawn])
    fractions[is_drawn] = np.interp(where, np.log(qs[::-1]), drawn[::-1])
    return fractions
