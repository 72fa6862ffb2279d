"""from_arcs: directed rows of many graphs to a collection of undirected edges.

In: flat arrays of arcs and their features. Out: a GraphCollection, each edge once.
"""

from __future__ import annotations

import numpy as np

from skshake.graphs._arcs import (
    NO_EDGE,
    agree_on_categories,
    average_directions,
    merge_arcs,
)
from skshake.graphs._collection import GraphCollection
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    Features,
    as_numeric,
    empty_features,
)
from skshake.graphs._ragged import offsets, owner_of


def _merge_features(
    features: Features, edge_of_row: np.ndarray, is_forward: np.ndarray, n_edges: int
) -> tuple[Features, int, str]:
    """Features of undirected edges; also the first contradicting row, or -1, and the
    field in which it contradicts."""
    if not features.n_columns:
        return empty_features(n_edges), -1, ""
    numeric = np.empty((n_edges, 0), FLOAT)
    if features.widths[0]:
        averaged = average_directions(
            edge_of_row, is_forward, features.numeric, False, n_edges
        )
        numeric = as_numeric(averaged)
    categories = np.empty((n_edges, features.widths[1]), CATEGORY)
    row = agree_on_categories(edge_of_row, features.categories, categories)
    field = ""
    if row >= 0:
        differs = features.categories[row] != categories[edge_of_row[row]]
        names = [
            f.name for f in features.fields for _ in range(f.width * f.is_categorical)
        ]
        field = names[int(differs.argmax())]
    return Features(numeric, categories, features.fields), row, field


def _merge_weights(
    weights: np.ndarray | None,
    edge_of_row: np.ndarray,
    is_forward: np.ndarray,
    n_edges: int,
) -> np.ndarray | None:
    """Weights of undirected edges; None if all are 1."""
    if weights is None:
        n_rows = int((edge_of_row != NO_EDGE).sum())
        if n_rows == n_edges:
            return None
        weights = np.ones(len(edge_of_row))
    merged = average_directions(
        edge_of_row, is_forward, weights[:, None], True, n_edges
    )[:, 0]
    # Rounded, so that the order in which weights were added up leaves no trace.
    merged = merged.astype(FLOAT).astype(np.float64)
    return None if (merged == 1).all() else merged


def from_arcs(
    n_nodes: np.ndarray,
    n_arcs: np.ndarray,
    ends: np.ndarray,
    node_features: Features,
    arc_features: Features,
    arc_weight: np.ndarray | None = None,
) -> GraphCollection:
    """Build a collection from directed rows of all graphs.

    Parameters
    ----------
    n_nodes, n_arcs : int arrays of shape (n_graphs,)
    ends : int array of shape (2, n_rows)
        Source and target of each row, numbered within their graph.
    node_features, arc_features : Features
    arc_weight : float64 array of shape (n_rows,) or None

    Returns
    -------
    graphs : GraphCollection
        u->v and v->u are one edge, with averaged weights and features; repeats of one
        direction add their weights and average their features; self-loops are dropped.

    Raises
    ------
    InvalidGraphError
        If an end is out of range, or if an edge carries contradicting categories.
    """
    node_ptr, arc_ptr = offsets(n_nodes), offsets(n_arcs)
    source, target = np.ascontiguousarray(ends, np.int64)
    edges = np.empty((len(source), 2), np.int32)
    edge_ptr = np.empty_like(arc_ptr)
    edge_of_row = np.empty(len(source), np.int64)
    row = merge_arcs(node_ptr, arc_ptr, source, target, edges, edge_ptr, edge_of_row)
    if row >= 0:
        i = int(owner_of(arc_ptr)[row])
        n = int(node_ptr[i + 1] - node_ptr[i])
        numbers = f" (0 to {n - 1})" if n else ""
        raise InvalidGraphError(
            f"an edge joins nodes {source[row]} and {target[row]}, but the graph has "
            f"{n} nodes{numbers}",
            i,
            "edge_index",
        )
    n_edges = int(edge_ptr[-1])
    is_forward = source < target
    features, row, field = _merge_features(
        arc_features, edge_of_row, is_forward, n_edges
    )
    if row >= 0:
        raise InvalidGraphError(
            f"the rows of edge ({source[row]}, {target[row]}) carry different "
            f"categories of {field}, which cannot be averaged; give floats (one column "
            "per category) or make them agree",
            int(owner_of(arc_ptr)[row]),
            field,
        )
    return GraphCollection(
        node_ptr,
        edge_ptr,
        edges[:n_edges],
        node_features,
        features,
        _merge_weights(arc_weight, edge_of_row, is_forward, n_edges),
    )
