"""sample_forests: Kirchhoff forests of a list of graphs.

In: a GraphCollection, q values, a seed. Out: a KirchhoffForests record of parents,
roots and blocks at each q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skshake._splitmix import GOLDEN, mix
from skshake.forests._neighbours import as_walkable
from skshake.forests._small_q import LARGEST_COMPONENT
from skshake.forests._traps import count_trapped_steps
from skshake.forests._wilson import draw_forests, find_roots
from skshake.graphs import (
    GraphCollection,
    GraphsLike,
    InvalidGraphError,
    as_graphs,
    owner_of,
)

MAX_SEED = np.iinfo(np.int32).max

# Largest weighted degree over q, beside which q is lost in the sums of walks, and steps
# that a walk through a large component may take.
MOST_DIGITS, MOST_STEPS = 1e13, 1e10


def streams_of(graphs: GraphCollection, seed: int, forest: int = 0) -> np.ndarray:
    """State of the generator of each graph, from its content, a seed and a number."""
    key = mix(np.array([seed, forest], np.uint64) + GOLDEN)
    return mix(mix(graphs.fingerprints + key[0]) + mix(key[1:] + GOLDEN))


@dataclass(frozen=True, eq=False)
class KirchhoffForests:
    """One random spanning forest per graph and q.

    Parameters
    ----------
    q : float64 array of shape (n_levels,)
        Decreasing; larger q, more trees. ``inf`` makes every node a root.
    node_ptr : int64 array of shape (n_graphs + 1,)
        Nodes ``node_ptr[i]`` to ``node_ptr[i + 1]`` belong to graph i.
    parent : int32 array of shape (n_levels, n_nodes)
        Successor of each node on the way to its root, numbered within the graph; -1
        for a root.
    root : int32 array of shape (n_levels, n_nodes)
        Root of each node's tree, numbered within the graph.
    block : int32 array of shape (n_levels, n_nodes)
        Tree of each node, numbered within the graph by first appearance.
    n_blocks : int64 array of shape (n_levels, n_graphs)
        Number of trees.
    n_steps : int
        Random draws that it took. Their expected number is the trace of
        (qI + D) (qI + L)^-1 over all graphs at the smallest q (D the degrees), about
        d / q for each component when q is small, and more where heavy edges lie beside
        light ones; small components, up to 512 nodes, are then drawn by elimination,
        which counts as one per node.
    """

    q: np.ndarray
    node_ptr: np.ndarray
    parent: np.ndarray
    root: np.ndarray
    block: np.ndarray
    n_blocks: np.ndarray
    n_steps: int

    def __post_init__(self) -> None:
        expected = (len(self.q), self.node_ptr[-1])
        for name in ("parent", "root", "block"):
            shape = getattr(self, name).shape
            if shape != expected:
                raise ValueError(f"{name}: expected shape {expected}, got {shape}")


def as_resolutions(q: Any) -> np.ndarray:
    """Check q values and sort them to decrease.

    Raises
    ------
    ValueError
        If a value is not a positive number (``inf`` allowed), or appears twice.
    """
    values = np.atleast_1d(np.asarray(q, dtype=np.float64))
    if values.ndim != 1 or not len(values):
        raise ValueError(f"q: expected a number or a sequence of numbers, got {q!r}")
    if not (values > 0).all():
        raise ValueError(f"q: expected positive numbers (inf allowed), got {q!r}")
    if len(np.unique(values)) < len(values):
        raise ValueError(f"q: expected distinct numbers, got {q!r}")
    return np.sort(values)[::-1].copy()


def check_edge_weight(graphs: GraphCollection, q: np.ndarray) -> None:
    """Refuse weights, or a q, with which drawing would not end or lose all digits.

    Raises
    ------
    InvalidGraphError
        The message names the graph.
    """
    if not np.isfinite(q).any() or not graphs.n_nodes:
        return
    least, degree = float(q[np.isfinite(q)].min()), graphs.degrees
    n_nodes = np.diff(graphs.node_ptr)
    is_large = n_nodes > LARGEST_COMPONENT
    advice = "scale the weights down, or take a larger q"
    node = int(degree.argmax())
    if degree[node] > MOST_DIGITS * least:
        i = int(owner_of(graphs.node_ptr)[node])
        raise InvalidGraphError(
            f"a node has weighted degree {degree[node]:g} and q is {least:g}; {advice}",
            i,
            "edge_weight",
        )
    steps = np.zeros(len(n_nodes))
    if graphs.edge_weight is None:
        total = np.bincount(owner_of(graphs.node_ptr), degree, len(n_nodes))
        steps[is_large] = (total / np.maximum(n_nodes, 1) / least)[is_large]
    elif is_large.any():
        order = np.lexsort((-graphs.edge_weight, owner_of(graphs.edge_ptr)))
        count_trapped_steps(
            graphs.node_ptr,
            graphs.edge_ptr,
            np.ascontiguousarray(graphs.edges[order]),
            graphs.edge_weight[order],
            degree,
            least,
            LARGEST_COMPONENT,
            steps,
        )
    i = int(steps.argmax())
    if steps[i] > MOST_STEPS:
        raise InvalidGraphError(
            f"a forest would take some {steps[i]:.0e} steps at q = {least:g}; {advice}",
            i,
            "edge_weight",
        )


def draw_partitions(
    graphs: GraphCollection, qs: np.ndarray, streams: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Parents and blocks (n_levels, n_nodes) at decreasing q, and the draws it took."""
    shape = (len(qs), graphs.n_nodes)
    parent, block = np.empty(shape, np.int32), np.empty(shape, np.int32)
    n_trivial = int(np.isinf(qs).sum())
    parent[:n_trivial] = -1
    block[:n_trivial] = np.arange(graphs.n_nodes) - np.repeat(
        graphs.node_ptr[:-1], np.diff(graphs.node_ptr)
    )
    n_steps = draw_forests(
        as_walkable(graphs),
        qs[n_trivial:],
        streams,
        parent[n_trivial:],
        block[n_trivial:],
    )
    return parent, block, n_steps


def sample_forests(
    graphs: GraphsLike, q: float | Sequence[float], random_state: Any = None
) -> KirchhoffForests:
    r"""Draw one Kirchhoff forest per graph and q.

    A rooted spanning forest F of a graph with weights w and Laplacian L has probability

    .. math:: P_q(F) = q^{|roots(F)|} \prod_{e \in F} w_e \, / \, \det(qI + L).

    Parameters
    ----------
    graphs : list of graphs or GraphCollection
        Anything that :func:`skshake.as_graphs` reads.
    q : float or sequence of floats
        Rate of stopping, positive; larger q, more roots and smaller trees. Several
        values draw coupled forests in one pass: each has its exact law, and together
        they cost as much as the smallest alone. They come back in decreasing order.
    random_state : int, RandomState instance or None, default=None
        One seed is drawn from it. A graph's forest depends on that seed and on the
        graph's own content, not on its position or companions; so two equal graphs in
        one list get the same forest.

    Returns
    -------
    forests : KirchhoffForests

    Raises
    ------
    ValueError
        If a q is not positive or appears twice, if weights are so large beside it that
        drawing would not end, or as :func:`skshake.as_graphs` does.

    References
    ----------
    Wilson (1996), "Generating random spanning trees more quickly than the cover time",
    doi:10.1145/237814.237880; Avena & Gaudillière (2018), "Two applications of random
    spanning forests", doi:10.1007/s10959-017-0771-3.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import sample_forests
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> forests = sample_forests([path], q=[0.1, 2.0], random_state=0)
    >>> forests.q.tolist(), forests.block.shape
    ([2.0, 0.1], (2, 5))
    """
    collection = as_graphs(graphs)
    qs = as_resolutions(q)
    check_edge_weight(collection, qs)
    seed = check_random_state(random_state).randint(MAX_SEED)
    streams = streams_of(collection, seed)
    parent, block, n_steps = draw_partitions(collection, qs, streams)
    root = np.empty_like(parent)
    n_blocks = np.empty((len(qs), len(collection)), np.int64)
    find_roots(collection.node_ptr, parent, block, root, n_blocks)
    return KirchhoffForests(
        qs, collection.node_ptr, parent, root, block, n_blocks, n_steps
    )
