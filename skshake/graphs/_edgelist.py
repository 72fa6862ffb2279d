"""graphs_from_edgelist: tables of edges and nodes, one row each, to a collection.

In: pandas data frames with a column that names the graph. Out: a GraphCollection.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from skshake.graphs._collection import GraphCollection
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import CategoricalRule, Features, check_rule
from skshake.graphs._merging import from_arcs
from skshake.graphs._ragged import offsets
from skshake.graphs._stacking import stack_features, stack_weights


def _column(table: Any, name: str, what: str) -> np.ndarray:
    """Values of a column that must be there and complete."""
    if name not in table.columns:
        raise InvalidGraphError(
            f"{what}: expected a column {name!r}, got {list(table.columns)}"
        )
    column = table[name]
    if column.isna().any():
        row = int(np.flatnonzero(column.isna())[0])
        raise InvalidGraphError(
            f"{what}: {name!r} is missing in row {row}; impute or drop it"
        )
    values = column.to_numpy()
    # Strings and categories of pandas are objects in numpy.
    if values.dtype == object and all(isinstance(value, str) for value in values):
        return values.astype(str)
    return values


def _check_alike(what: str, *columns: Any) -> None:
    """Refuse text beside numbers, which would never be equal."""
    kinds = {
        column.dtype.kind in "OUS" or str(column.dtype).startswith("str")
        for column in columns
        if len(column)
    }
    if len(kinds) > 1:
        raise InvalidGraphError(f"{what}: expected either text or numbers, got both")


def _features(
    table: Any,
    names: Iterable[str],
    order: np.ndarray,
    counts: np.ndarray,
    rule: CategoricalRule,
    what: str,
) -> Features:
    """Columns as features of rows in the given order; attributes keep their names."""
    columns: list[dict] = [{} for _ in counts]
    cuts = np.cumsum(counts)[:-1]
    for name in names:
        parts = np.split(_column(table, name, what)[order], cuts)
        for named, part in zip(columns, parts, strict=True):
            named[str(name)] = part
    return stack_features(columns, counts, rule)


def graphs_from_edgelist(
    edges: Any,
    *,
    graph: str = "graph",
    source: str = "source",
    target: str = "target",
    weight: str | None = None,
    edge_attrs: Sequence[str] = (),
    nodes: Any = None,
    node: str = "node",
    node_attrs: Sequence[str] = (),
    graph_ids: Iterable[Any] | None = None,
    categorical_features: CategoricalRule = "from_dtype",
) -> GraphCollection:
    """Read graphs from a table of edges, and maybe a table of nodes.

    Parameters
    ----------
    edges : pandas.DataFrame
        One row per edge (or per direction, see :func:`skshake.as_graphs`).
    graph, source, target : str
        Columns with the graph of an edge (a column of ``nodes`` too) and the nodes that
        it joins; values of any type, node names meaning nothing beyond their graph.
    weight : str, default=None
        Column with positive weights; None for 1.
    edge_attrs : sequence of str, default=()
        Columns that are features of edges. Strings are categories.
    nodes : pandas.DataFrame, default=None
        One row per node; None takes the nodes that edges name. Needed for features and
        for nodes without edges.
    node : str, default="node"
        Column of ``nodes`` with the node's name.
    node_attrs : sequence of str, default=()
        Columns of ``nodes`` that are features.
    graph_ids : iterable, default=None
        Graphs to read, in this order (that of ``y``, say); one that no row names has no
        nodes. None takes all that occur, sorted.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        See :func:`skshake.as_graphs`.

    Returns
    -------
    graphs : GraphCollection
        One graph per id. Nodes are in the order of ``nodes``, else sorted by name.

    Raises
    ------
    InvalidGraphError
        If a column or a value is missing, a node comes twice or joins an edge without a
        row of its own, or an id comes twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from skshake import graphs_from_edgelist
    >>> edges = pd.DataFrame({"graph": [1, 1, 2], "source": list("aba"),
    ...                       "target": list("bcb")})
    >>> graphs_from_edgelist(edges)
    <GraphCollection of 2 graphs: 5 nodes, 3 edges, 0 node and 0 edge features>
    """
    import pandas as pd

    check_rule(categorical_features)
    of_edge = pd.Index(_column(edges, graph, "edges"))
    ends = [pd.Index(_column(edges, name, "edges")) for name in (source, target)]
    if nodes is None:
        if node_attrs:
            raise ValueError("node_attrs: expected a table `nodes` that holds them")
        _check_alike("names of nodes", *ends)
        names = ends[0].append(ends[1])
        table = pd.DataFrame({"graph": of_edge.append(of_edge), "node": names})
        table = table.drop_duplicates().sort_values(["graph", "node"])
        of_node, named = pd.Index(table["graph"]), pd.Index(table["node"])
    else:
        of_node = pd.Index(_column(nodes, graph, "nodes"))
        named = pd.Index(_column(nodes, node, "nodes"))
        _check_alike("names of nodes", *ends, named)
    wanted = pd.Index([] if graph_ids is None else list(graph_ids))
    _check_alike("names of graphs", of_edge, of_node, wanted)
    ids = wanted
    if graph_ids is None:
        ids = of_edge.append(of_node).unique().sort_values()
    if not len(ids) or not ids.is_unique:
        raise InvalidGraphError("graph_ids: expected at least one, each once")
    if not ids.isin(of_edge).any() and not ids.isin(of_node).any():
        raise InvalidGraphError("graph_ids: no row of the tables names any of them")
    kept_nodes, n_nodes, node_order = _group(ids, of_node)
    kept_edges, n_arcs, edge_order = _group(ids, of_edge)
    rows = pd.MultiIndex.from_arrays([kept_nodes[node_order], named[node_order]])
    if not rows.is_unique:
        i, name = rows[rows.duplicated()][0]
        raise InvalidGraphError(f"nodes: node {name} comes twice in graph {ids[i]}")
    first = offsets(n_nodes)[:-1]
    owner = kept_edges[edge_order]
    numbers = []
    for end in ends:
        where = rows.get_indexer(pd.MultiIndex.from_arrays([owner, end[edge_order]]))
        if (where < 0).any():
            k = int(np.flatnonzero(where < 0)[0])
            raise InvalidGraphError(
                f"edges: an edge of graph {ids[owner[k]]} joins node "
                f"{end[edge_order][k]}, which has no row in nodes"
            )
        numbers.append(where - first[owner])
    weights = None
    if weight is not None:
        parts = np.split(
            _column(edges, weight, "edges")[edge_order], np.cumsum(n_arcs)[:-1]
        )
        weights = stack_weights(parts, offsets(n_arcs))
    rule = categorical_features
    return from_arcs(
        n_nodes,
        n_arcs,
        np.array(numbers, np.int64).reshape(2, -1),
        _features(nodes, node_attrs, node_order, n_nodes, rule, "nodes"),
        _features(edges, edge_attrs, edge_order, n_arcs, rule, "edges"),
        weights,
    )


def _group(ids: Any, of_row: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Graph of each row (-1 for none), rows of each graph, and their order by graph."""
    number = ids.get_indexer(of_row)
    order = np.argsort(number, kind="stable")
    order = order[np.searchsorted(number[order], 0) :]
    return number, np.bincount(number[order], minlength=len(ids)), order
