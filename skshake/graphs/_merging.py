"""from_arcs: directed rows of many graphs to a collection of undirected edges.

In: flat arrays of arcs and their features. Out: a GraphCollection, each edge once.
"""

from __future__ import annotations

import numpy as np

from skshake.graphs._aggregate import Rules, check_rules, combine, most_frequent
from skshake.graphs._arcs import (
    NO_EDGE,
    agree_on_categories,
    average_directions,
    has_repeats,
    merge_arcs,
)
from skshake.graphs._collate import naming_graph
from skshake.graphs._collection import GraphCollection
from skshake.graphs._directions import DirectedRows, add_to_edges, add_to_nodes
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    Features,
    as_numeric,
    empty_features,
)
from skshake.graphs._ragged import offsets, owner_of

NO_RULES: Rules = {}


def _merge_features(
    features: Features,
    edge_of_row: np.ndarray,
    is_forward: np.ndarray,
    n_edges: int,
    rules: Rules = NO_RULES,
) -> tuple[Features, int, str]:
    """Features of undirected edges; also the first contradicting row, or -1, and the
    field in which it contradicts."""
    if not features.n_columns:
        return empty_features(n_edges), -1, ""
    names: tuple[list[str], list[str]] = ([], [])
    for field in features.fields:
        names[field.is_categorical].extend([field.name] * field.width)
    averaged = np.empty((n_edges, 0))
    if features.widths[0]:
        averaged = average_directions(
            edge_of_row, is_forward, features.numeric, False, n_edges
        )
    codes = features.categories
    if rules:
        codes = _apply_rules(features, names, edge_of_row, averaged, rules)
    numeric = as_numeric(averaged)
    categories = np.empty((n_edges, features.widths[1]), CATEGORY)
    row = agree_on_categories(edge_of_row, codes, categories)
    field_name = ""
    if row >= 0:
        differs = codes[row] != categories[edge_of_row[row]]
        field_name = names[1][int(differs.argmax())]
    return Features(numeric, categories, features.fields), row, field_name


def _apply_rules(
    features: Features,
    names: tuple[list[str], list[str]],
    edge_of_row: np.ndarray,
    merged: np.ndarray,
    rules: Rules,
) -> np.ndarray:
    """Join columns that rules name: numbers into ``merged``, codes as rows that agree.

    ``names`` are those of each numeric and of each categorical column.
    """
    is_edge = edge_of_row != NO_EDGE
    edge, n_edges = edge_of_row[is_edge], len(merged)
    for k, name in enumerate(names[0]):
        if name in rules:
            values = features.numeric[is_edge, k, None]
            merged[:, k, None] = combine(edge, values, rules[name], n_edges)
    codes = features.categories.copy()
    for k, name in enumerate(names[1]):
        if name in rules:
            values = codes[is_edge, k, None]
            codes[is_edge, k] = most_frequent(edge, values, n_edges)[edge, 0]
    return codes


def _merge_weights(
    weights: np.ndarray | None,
    edge_of_row: np.ndarray,
    is_forward: np.ndarray,
    n_edges: int,
    how: str | None = None,
) -> np.ndarray | None:
    """Weights of undirected edges; None if all are 1."""
    if weights is None:
        if how is None and not has_repeats(edge_of_row, is_forward, n_edges):
            return None
        weights = np.ones(len(edge_of_row))
    if how is None:
        merged = average_directions(
            edge_of_row, is_forward, weights[:, None], True, n_edges
        )[:, 0]
    else:
        is_edge = edge_of_row != NO_EDGE
        rows = weights[is_edge, None]
        merged = combine(edge_of_row[is_edge], rows, how, n_edges)[:, 0]
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
    *,
    directed: bool = False,
    rules: Rules = NO_RULES,
    weight_rule: str | None = None,
) -> GraphCollection:
    """Build a collection from directed rows of all graphs.

    Parameters
    ----------
    n_nodes, n_arcs : int arrays of shape (n_graphs,)
    ends : int array of shape (2, n_rows)
        Source and target of each row, numbered within their graph.
    node_features, arc_features : Features
    arc_weight : float64 array of shape (n_rows,) or None
    directed : bool, default=False
        Keep what directions say as features, see ``_directions.py``.
    rules : dict, default={}
        How attributes of all rows of an edge, whatever their direction, are joined.
    weight_rule : {"sum", "mean", "min", "max"} or None, default=None
        The same for weights.

    Returns
    -------
    graphs : GraphCollection
        u->v and v->u are one edge, with averaged weights and features; repeats of one
        direction add their weights and average their features, unless a rule says
        otherwise; self-loops are dropped.

    Raises
    ------
    InvalidGraphError
        If an end is out of range, if an edge carries contradicting categories, or if a
        rule does not suit an attribute.
    """
    check_rules(rules, arc_features)
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
        arc_features, edge_of_row, is_forward, n_edges, rules
    )
    if row >= 0:
        raise InvalidGraphError(
            f"the rows of edge ({source[row]}, {target[row]}) carry different "
            f"categories of {field}, which cannot be averaged; give floats (one column "
            "per category), make them agree, or join them by aggregate of "
            "graphs_from_edgelist",
            int(owner_of(arc_ptr)[row]),
            field,
        )
    edges = edges[:n_edges]
    if directed:
        rows = DirectedRows(
            np.stack([source, target]) + np.repeat(node_ptr[:-1], n_arcs),
            edge_of_row,
            edges + np.repeat(node_ptr[:-1], np.diff(edge_ptr))[:, None],
            arc_features,
            np.ones(len(source)) if arc_weight is None else arc_weight,
        )
        by_name = rules if weight_rule is None else {"weight": weight_rule, **rules}
        with naming_graph(node_ptr):
            node_features = add_to_nodes(node_features, rows)
        with naming_graph(edge_ptr):
            features = add_to_edges(features, rows, by_name)
    return GraphCollection(
        node_ptr,
        edge_ptr,
        edges,
        node_features,
        features,
        _merge_weights(arc_weight, edge_of_row, is_forward, n_edges, weight_rule),
    )
