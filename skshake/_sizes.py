"""Expected sizes of coarse graphs: exact, sampled, and by the paper's formulas.

In: graphs and a q. Out: coarse nodes and edges summed over the graphs. See
``docs/paper.md`` for why the paper's formulas are offered for comparison only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skshake._jit import kernel
from skshake.forests import MAX_SEED, as_resolutions, draw_partitions, streams_of
from skshake.graphs import (
    GraphCollection,
    GraphsLike,
    as_graphs,
    without_features,
)
from skshake.hierarchy import Pooling, Vocabulary, coarsen
from skshake.resolution import node_measure


@dataclass(frozen=True)
class Estimate:
    """A number that may be estimated.

    Parameters
    ----------
    value : float
        Exact, or the mean over random draws.
    standard_error : float
        Standard error of that mean; 0 if the value is exact.
    """

    value: float
    standard_error: float


def _one_resolution(q: Any) -> float:
    """Check a single q."""
    values = as_resolutions(q)
    if np.ndim(q) != 0:
        raise ValueError(f"q: expected one number, got {q!r}")
    return float(values[0])


def expected_nodes(
    graphs: GraphsLike,
    q: float,
    *,
    n_forests: int | None = None,
    random_state: Any = None,
) -> Estimate:
    r"""Expected number of coarse nodes of all graphs at q.

    .. math:: E |roots| = \mathrm{tr} \, K(q) = \sum_i \frac{q}{q + \mu_i}

    Parameters
    ----------
    graphs : list of graphs or GraphCollection
        Anything that :func:`skshake.as_graphs` reads.
    q : float
        Resolution; larger q, more nodes.
    n_forests : int, default=None
        Estimate from so many forests; None computes the trace from the spectra: exact
        for graphs of at most 100 nodes, from random vectors beyond.
    random_state : int, RandomState instance or None, default=None
        Seeds the forests or the random vectors.

    Returns
    -------
    nodes : Estimate

    Raises
    ------
    ValueError
        If q is not positive or ``n_forests`` below 2, or as
        :func:`skshake.as_graphs` does.

    Examples
    --------
    >>> from skshake import expected_nodes
    >>> from skshake.datasets import load_mutag
    >>> graphs = load_mutag().data
    >>> round(expected_nodes(graphs, q=2.0).value)
    1888
    """
    collection = without_features(as_graphs(graphs))
    q = _one_resolution(q)
    if n_forests is not None:
        return _sample(collection, q, n_forests, random_state)[0]
    if np.isinf(q):
        return Estimate(float(collection.n_nodes), 0.0)
    seed = check_random_state(random_state).randint(MAX_SEED)
    n_rows = np.diff(collection.node_ptr)
    value, error = node_measure(collection, seed=seed).trace(q, n_rows)
    n_components = len(np.unique(collection.components))
    return Estimate(n_components + value, error)


def expected_edges(
    graphs: GraphsLike, q: float, *, n_forests: int = 16, random_state: Any = None
) -> Estimate:
    """Expected number of coarse edges of all graphs at q, estimated from forests.

    Parameters
    ----------
    graphs : list of graphs or GraphCollection
        Anything that :func:`skshake.as_graphs` reads.
    q : float
        Resolution; larger q, more edges.
    n_forests : int, default=16
        Forests drawn; the standard error falls with their root.
    random_state : int, RandomState instance or None, default=None
        Seeds the forests.

    Returns
    -------
    edges : Estimate
        There is no closed form.

    Raises
    ------
    ValueError
        If q is not positive or ``n_forests`` below 2, or as
        :func:`skshake.as_graphs` does.
    """
    collection = without_features(as_graphs(graphs))
    return _sample(collection, _one_resolution(q), n_forests, random_state)[1]


def _sample(
    graphs: GraphCollection, q: float, n_forests: int, random_state: Any
) -> tuple[Estimate, Estimate]:
    """Coarse nodes and edges of all graphs, from independent forests."""
    if n_forests < 2:
        raise ValueError(
            f"n_forests: expected at least 2 for a standard error, got {n_forests}"
        )
    seed = check_random_state(random_state).randint(MAX_SEED)
    pooling = Pooling("sum", "sum", Vocabulary(()), Vocabulary(()))
    sizes = np.empty((n_forests, 2))
    for forest in range(n_forests):
        streams = streams_of(graphs, seed, forest)
        _, blocks, _ = draw_partitions(graphs, np.array([q]), streams)
        level = coarsen(graphs, q, blocks[0], pooling)
        sizes[forest] = level.node_ptr[-1], level.edge_ptr[-1]
    errors = sizes.std(axis=0, ddof=1) / np.sqrt(n_forests)
    nodes, edges = zip(sizes.mean(axis=0).tolist(), errors.tolist(), strict=True)
    return Estimate(*nodes), Estimate(*edges)


def paper_nodes(graphs: GraphsLike, q: float) -> float:
    r"""The paper's formula for the number of coarse nodes of all graphs.

    .. math:: \sum_v \frac{q}{q + d_v}

    It takes roots as if walks from different nodes were independent, which
    underestimates; see :func:`skshake.expected_nodes` for the truth.

    Parameters
    ----------
    graphs : list of graphs or GraphCollection
        Anything that :func:`skshake.as_graphs` reads.
    q : float
        Resolution.

    Returns
    -------
    nodes : float
    """
    collection, q = as_graphs(graphs), _one_resolution(q)
    if np.isinf(q):
        return float(collection.n_nodes)
    return float((q / (q + collection.degrees)).sum())


@kernel
def _sum_paper_edges(node_ptr, edge_ptr, edges, degrees, q):
    """Sum of 2q / (2q + d_i + d_j) over the edges of all graphs.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN
    degrees : float64 array of shape (n_nodes,)  # IN
    q : float  # IN

    Returns
    -------
    total : float
    """
    total = 0.0
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            u, v = offset + edges[e, 0], offset + edges[e, 1]
            total += 2 * q / (2 * q + degrees[u] + degrees[v])
    return total


def paper_edges(graphs: GraphsLike, q: float) -> float:
    r"""The paper's formula for the number of coarse edges of all graphs.

    .. math:: \sum_{ij \in E} \frac{2q}{2q + d_i + d_j}

    It counts parallel edges between two blocks as distinct; see
    :func:`skshake.expected_edges` for an estimate of the truth.

    Parameters
    ----------
    graphs : list of graphs or GraphCollection
        Anything that :func:`skshake.as_graphs` reads.
    q : float
        Resolution.

    Returns
    -------
    edges : float
    """
    collection, q = as_graphs(graphs), _one_resolution(q)
    if np.isinf(q):
        return float(collection.n_edges)
    return _sum_paper_edges(
        collection.node_ptr,
        collection.edge_ptr,
        collection.edges,
        collection.degrees,
        q,
    )
