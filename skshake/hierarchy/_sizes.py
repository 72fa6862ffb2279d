"""Expected sizes of coarse graphs: exact, sampled, and by the paper's formulas.

In: graphs and a q. Out: coarse nodes and edges summed over the graphs. See
``docs/paper.md`` for why the paper's formulas are offered for comparison only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skshake.forests import MAX_SEED, as_resolutions, draw_partitions, streams_of
from skshake.graphs import GraphCollection, as_graphs, without_features
from skshake.hierarchy._categories import Vocabulary
from skshake.hierarchy._level import Pooling, coarsen
from skshake.resolution import node_measure


@dataclass(frozen=True)
class Estimate:
    """A number estimated from forests.

    Parameters
    ----------
    value : float
        Mean over the draws.
    standard_error : float
        Standard error of that mean; 0 if the value is exact.
    """

    value: float
    standard_error: float


def expected_nodes(
    graphs: Any,
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
        Estimate from so many forests; None computes the trace from the spectrum, at a
        cost cubic in the nodes of a graph.
    random_state : int, RandomState instance or None, default=None
        Seeds the forests.

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
    q = float(as_resolutions(q)[0])
    if n_forests is not None:
        return _sample(collection, q, n_forests, random_state)[0]
    if np.isinf(q):
        return Estimate(float(collection.n_nodes), 0.0)
    measure = node_measure(collection)
    n_zeros = collection.n_nodes - len(measure.mu)
    return Estimate(n_zeros + float((q / (q + measure.mu)).sum()), 0.0)


def expected_edges(
    graphs: Any, q: float, *, n_forests: int = 16, random_state: Any = None
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
    return _sample(collection, float(as_resolutions(q)[0]), n_forests, random_state)[1]


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


def paper_nodes(graphs: Any, q: float) -> float:
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
    collection, q = as_graphs(graphs), float(as_resolutions(q)[0])
    if np.isinf(q):
        return float(collection.n_nodes)
    return float((q / (q + collection.degrees)).sum())


def paper_edges(graphs: Any, q: float) -> float:
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
    collection, q = as_graphs(graphs), float(as_resolutions(q)[0])
    if np.isinf(q):
        return float(collection.n_edges)
    first = np.repeat(collection.node_ptr[:-1], np.diff(collection.edge_ptr))
    u, v = (collection.edges + first[:, None]).T
    degrees = collection.degrees
    return float((2 * q / (2 * q + degrees[u] + degrees[v])).sum())
