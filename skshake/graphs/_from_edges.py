"""from_edges: a collection from flat arrays over all graphs.

In: ends of all edges with the graph of each, features row by row. Out: a
GraphCollection.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake._as_array import as_array
from skshake.graphs._collate import MOST_NUMBER, collate_features, collate_weights
from skshake.graphs._collection import GraphCollection
from skshake.graphs._errors import InvalidGraphError, Naming
from skshake.graphs._features import CategoricalRule, Features, check_rule
from skshake.graphs._merging import from_arcs
from skshake.graphs._named_columns import named_columns
from skshake.graphs._ragged import offsets


def _counts(name: str, values: Any) -> np.ndarray:
    """Numbers of rows per graph, checked."""
    with Naming(name):
        counts = as_array(values)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InvalidGraphError(
            f"{name}: expected non-negative integers of shape (n_graphs,), got "
            f"{counts.dtype} of shape {counts.shape}",
            field=name,
        )
    return counts.astype(np.int64)


def _split(values: Any, counts: np.ndarray, name: str) -> list[Any]:
    """Rows of each graph."""
    with Naming(name):
        rows = as_array(values)
    if not rows.ndim or len(rows) != counts.sum():
        raise InvalidGraphError(
            f"{name}: expected {counts.sum()} rows, got {rows.shape}", field=name
        )
    return np.split(rows, np.cumsum(counts)[:-1])


def _features(
    name: str, values: Any, counts: np.ndarray, rule: CategoricalRule
) -> Features:
    columns: list[dict] = [{} for _ in counts]
    if values is not None:
        for field, column in named_columns(name, values).items():
            parts = _split(column, counts, field)
            for named, part in zip(columns, parts, strict=True):
                named[field] = part
    return collate_features(columns, counts, rule)


def from_edges(
    edges: Any,
    n_edges: Any,
    n_nodes: Any,
    *,
    x: Any = None,
    edge_attr: Any = None,
    edge_weight: Any = None,
    categorical_features: CategoricalRule = "from_dtype",
    directed: bool = False,
) -> GraphCollection:
    """Read graphs from flat arrays over all of them.

    Parameters
    ----------
    edges : int array of shape (n_rows, 2)
        Ends of each edge, nodes numbered within their graph, graph after graph. One row
        per edge or one per direction, see :func:`skshake.as_graphs`.
    n_edges, n_nodes : int array of shape (n_graphs,)
        Rows of ``edges``, and nodes, of each graph.
    x : array of shape (n_all_nodes, n_features) or (n_all_nodes,), default=None
        Node features; columns of a structured array or a DataFrame keep their names.
    edge_attr : array of shape (n_rows, n_edge_features) or (n_rows,), default=None
        Edge features, as x.
    edge_weight : array of shape (n_rows,), default=None
        Positive weights; None for 1.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        See :func:`skshake.as_graphs`.
    directed : bool, default=False
        Keep what directions (from the first end to the second) say as features, see
        :func:`skshake.as_graphs`.

    Returns
    -------
    graphs : GraphCollection

    Raises
    ------
    InvalidGraphError
        If lengths disagree, an end is out of range, or a value is no finite number (or
        string); the message names the graph or the array.

    Examples
    --------
    >>> from skshake import from_edges
    >>> from_edges([[0, 1], [1, 2], [0, 1]], n_edges=[2, 1], n_nodes=[3, 2])
    <GraphCollection of 2 graphs: 5 nodes, 3 edges, 0 node and 0 edge features>
    """
    check_rule(categorical_features)
    arcs, nodes = _counts("n_edges", n_edges), _counts("n_nodes", n_nodes)
    if len(arcs) != len(nodes) or not len(nodes):
        raise InvalidGraphError(
            f"expected as many n_edges as n_nodes, at least one, got {len(arcs)} and "
            f"{len(nodes)}"
        )
    with Naming("edges"):
        ends = as_array(edges)
    if not ends.size:
        ends = np.empty((0, 2), np.int64)
    if ends.shape != (arcs.sum(), 2) or ends.dtype.kind not in "iu":
        raise InvalidGraphError(
            f"edges: expected integers of shape ({arcs.sum()}, 2), got {ends.dtype} of "
            f"shape {ends.shape}",
            field="edges",
        )
    if ends.dtype.kind == "u" and ends.size and ends.max() > MOST_NUMBER:
        raise InvalidGraphError(
            f"edges: expected numbers of nodes, got {ends.max()}", field="edges"
        )
    weights = None
    if edge_weight is not None:
        parts = _split(edge_weight, arcs, "edge_weight")
        weights = collate_weights(parts, offsets(arcs))
    return from_arcs(
        nodes,
        arcs,
        ends.T,
        _features("x", x, nodes, categorical_features),
        _features("edge_attr", edge_attr, arcs, categorical_features),
        weights,
        directed=directed,
    )
