"""graphs_from_edgelist: tables of edges and nodes, one row each, to a collection.

In: tables with columns that name graphs and nodes. Out: a GraphCollection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skshake.graphs._aggregate import check_aggregate
from skshake.graphs._collate import (
    LEAST_WEIGHT,
    MOST_WEIGHT,
    collate_features,
    collate_weights,
)
from skshake.graphs._collection import GraphCollection
from skshake.graphs._convert import check_names_given
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import (
    CategoricalRule,
    Features,
    check_names,
    check_rule,
    empty_features,
)
from skshake.graphs._frames import as_table
from skshake.graphs._ids import number_ids
from skshake.graphs._merging import from_arcs
from skshake.graphs._nodes_of_tables import (
    Nodes,
    number_ends,
    own_nodes,
    place_tables,
    shared_nodes,
)
from skshake.graphs._placing import Ids, Rows, choose_rows, keys_of_ends
from skshake.graphs._ragged import offsets
from skshake.graphs._times import FIRST, Clock, check_unit, start_clock


def _features(
    rows: Rows,
    columns: Mapping[str, np.ndarray],
    clock: Clock,
    rule: CategoricalRule,
    ids: Ids,
) -> Features:
    """Columns of the rows as features by name, times as numbers."""
    parts: list[dict] = [{} for _ in rows.counts]
    cuts = np.cumsum(rows.counts)[:-1]
    for name, read in columns.items():
        values = clock.read(read, rows.owner)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            k = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InvalidGraphError(
                f"Graph {ids.graph(rows.owner[k])}: {name} holds {values[k]}; "
                f"expected finite numbers ({rows.table.place(rows.order[k])})",
                field=name,
            )
        for named, part in zip(parts, np.split(values, cuts), strict=True):
            named[name] = part
    with ids.instead_of_positions(rows):
        return collate_features(parts, rows.counts, rule)


def _read_columns(
    rows: Rows, attributes: Sequence[str], counted: Mapping[str, list[Any] | None]
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Values of columns by name; of one that is counted a column for each category.

    Also the names of the latter.
    """
    columns: dict[str, np.ndarray] = {}
    of_counts: list[str] = []
    for name in attributes:
        if name not in counted:
            columns[str(name)] = rows.values(name)
            continue
        known, came = counted[name], rows.table.column(name)[rows.order]
        for category in rows.table.categories(name) if known is None else known:
            column = f"{name}={category}"
            columns[column] = (came == category).astype(np.float64)
            of_counts.append(column)
    return columns, of_counts


def _weights(rows: Rows, name: str, ids: Ids) -> np.ndarray | None:
    """Weights of the rows."""
    values = rows.values(name)
    if values.dtype.kind not in "biuf" and len(values):
        raise InvalidGraphError(
            f"{rows.table.what}: {name!r}: expected numbers as weights, got "
            f"{values.dtype}"
        )
    is_bad = ~((values >= LEAST_WEIGHT) & (values <= MOST_WEIGHT))
    if is_bad.any():
        k = int(np.flatnonzero(is_bad)[0])
        raise InvalidGraphError(
            f"Graph {ids.graph(rows.owner[k])}: edge weight {values[k]} in {name!r}; "
            f"expected positive numbers from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g} "
            f"({rows.table.place(rows.order[k])})",
            field=name,
        )
    parts = np.split(values, np.cumsum(rows.counts)[:-1])
    return collate_weights(parts, offsets(rows.counts))


def _start_clock(
    unit: str,
    origin: Any,
    edges: tuple[Rows, dict[str, np.ndarray]],
    nodes: tuple[Rows | None, dict[str, np.ndarray]],
) -> Clock:
    """What times count from: events of edges, and where there are none, of nodes."""
    times = []
    for rows, columns in (edges, nodes):
        dates = [v.astype("M8[ns]") for v in columns.values() if v.dtype.kind == "M"]
        if rows is not None and dates:
            times.append((np.concatenate(dates), np.tile(rows.owner, len(dates))))
    return start_clock(unit, origin, len(edges[0].counts), times)


def graphs_from_edgelist(
    edges: Any,
    *,
    graph: str | Sequence[str] = "graph",
    source: str = "source",
    target: str = "target",
    weight: str | None = None,
    edge_attrs: Sequence[str] = (),
    nodes: Any = None,
    node: str = "node",
    node_attrs: Sequence[str] = (),
    graph_ids: Iterable[Any] | None = None,
    categorical_features: CategoricalRule = "from_dtype",
    directed: bool = False,
    aggregate: Mapping[str, Any] | None = None,
    time_unit: str = "h",
    time_origin: Any = FIRST,
) -> GraphCollection:
    """Read graphs from a table of edges, and maybe a table of nodes.

    Parameters
    ----------
    edges : pandas.DataFrame
        One row per edge (or per direction, see :func:`skshake.as_graphs`). Data frames
        of polars, tables of pyarrow, dictionaries of columns and paths of CSV, TSV and
        parquet files are read too, and dictionaries of one table per graph.
    graph : str or list of str, default="graph"
        Column with the graph of an edge, or several, such as ``["case", "month"]``,
        whose values together name a graph, as a tuple.
    source, target : str
        Columns with the nodes that an edge joins; values of any type, node names
        meaning nothing beyond their graph. Whole numbers of different types are
        compared exactly, up to any size.
    weight : str, default=None
        Column with positive weights; None for 1.
    edge_attrs : sequence of str, default=()
        Columns that are features of edges. Strings and categories are categories,
        whatever their type; dates become numbers (see ``time_unit``). In a CSV file
        text of ISO 8601 is a date.
    nodes : pandas.DataFrame or such, default=None
        One row per node; None takes the nodes that edges name. Needed for features and
        for nodes without edges. With the columns that name graphs each row is a node of
        its graph. A table that lacks some of them, or all, is shared: its rows describe
        nodes of all graphs that it does not tell apart, and the nodes of a graph are
        those that its edges name.
    node : str, default="node"
        Column of ``nodes`` with the node's name.
    node_attrs : sequence of str, default=()
        Columns of ``nodes`` that are features.
    graph_ids : iterable, default=None
        Graphs to read, in this order (that of ``y``, say), tuples where several columns
        name a graph; one that no row names has no nodes. None takes all that occur,
        sorted.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        See :func:`skshake.as_graphs`.
    directed : bool, default=False
        Keep what directions (from ``source`` to ``target``) say as features, see
        :func:`skshake.as_graphs`. Sums at nodes are over all rows.
    aggregate : dict, default=None
        How rows that join the same two nodes become one edge, by column of
        ``edge_attrs`` or ``weight``: "sum", "mean", "min" or "max" of numbers,
        "most_frequent" of categories, or "count": one number per category of how many
        rows have it, an attribute called ``column=category``. A list of categories
        counts those, as does a category type that declares them: without either,
        batches that are read one after another may have other columns. Rows of both
        directions count alike; parts by direction are joined in the same way. Other
        columns are treated as :func:`skshake.as_graphs` does: weights of one direction
        add up, numbers are averaged, categories must agree.
    time_unit : {"s", "min", "h", "D"}, default="h"
        Unit of the numbers that dates and durations become.
    time_origin : "first" or date, default="first"
        Dates are counted from here. "first" is the first event of each graph: the
        earliest date of its edges, in any of ``edge_attrs``, or, if these have none, of
        its nodes.

    Returns
    -------
    graphs : GraphCollection
        One graph per id, which ``graphs.names`` has; ``graph.node_names`` has those of
        nodes. Nodes are in the order of ``nodes``, or, if edges say which there are,
        sorted by name.

    Raises
    ------
    InvalidGraphError
        If a column or a value is missing, a node comes twice or joins an edge without a
        row of its own, or an id comes twice; if ids are floats so large that several
        integers are one float; if ``aggregate`` does not suit a column. Messages name
        graphs by their ids, nodes and columns by their names.
    ImportError
        If a file is a parquet file and pyarrow is not installed
        (``pip install "skshake[parquet]"``).

    Examples
    --------
    >>> import pandas as pd
    >>> from skshake import graphs_from_edgelist
    >>> edges = pd.DataFrame({"graph": [1, 1, 2], "source": list("aba"),
    ...                       "target": list("bcb")})
    >>> graphs = graphs_from_edgelist(edges)
    >>> graphs
    <GraphCollection of 2 graphs: 5 nodes, 3 edges, 0 node and 0 edge features>
    >>> graphs.names.tolist(), graphs[0].node_names.tolist()
    ([1, 2], ['a', 'b', 'c'])

    Accounts are known in all cases, and a case is one month of a customer:

    >>> transfers = pd.DataFrame({
    ...     "customer": [7, 7, 7], "month": ["May", "May", "June"],
    ...     "payer": ["a", "a", "b"], "payee": ["b", "b", "c"],
    ...     "amount": [5.0, 7.0, 1.0],
    ...     "time": pd.to_datetime(["2026-05-01", "2026-05-02", "2026-06-01"]),
    ... })
    >>> accounts = pd.DataFrame({"account": list("abc"), "kind": ["x", "y", "x"]})
    >>> graphs = graphs_from_edgelist(
    ...     transfers, graph=["customer", "month"], source="payer", target="payee",
    ...     nodes=accounts, node="account", node_attrs=["kind"], directed=True,
    ...     edge_attrs=["amount", "time"], aggregate={"amount": "sum", "time": "max"},
    ... )
    >>> graphs.names.tolist()
    [(7, 'June'), (7, 'May')]
    >>> graphs[1].edge_features.columns()["amount"].tolist()
    [[12.0]]
    """
    rule = check_rule(categorical_features)
    node_attrs = check_names_given("node_attrs", node_attrs) or ()
    edge_attrs = check_names_given("edge_attrs", edge_attrs) or ()
    aggregates = check_aggregate(aggregate, edge_attrs, weight)
    check_unit(time_unit)
    columns = tuple(graph) if isinstance(graph, (list, tuple)) else (graph,)
    if not columns:
        raise InvalidGraphError(f"graph: expected at least one column, got {graph!r}")
    if nodes is None and node_attrs:
        raise InvalidGraphError("node_attrs: expected a table `nodes` that holds them")
    of_edges = as_table("edges", edges, (*columns, source, target), columns)
    of_nodes = None
    if nodes is not None:
        of_nodes = as_table("nodes", nodes, (*columns, node), columns)
    placed, (of_edge, *of_node), node_levels = place_tables(
        of_edges, of_nodes, columns, graph_ids
    )
    name_columns = [of_edges.column(name) for name in (source, target)]
    if of_nodes is not None:
        name_columns.append(of_nodes.column(node))
    known, (start, end, *named) = number_ids("nodes", name_columns)
    edge_rows = choose_rows(of_edges, of_edge, len(placed.ids))
    if of_nodes is not None and of_node:
        found = own_nodes(of_nodes, of_node[0], named[0], known, placed)
    else:
        keys = keys_of_ends(of_edge, (start, end), len(known))
        owner, names = np.divmod(keys, max(len(known), 1))
        counts = np.bincount(owner, minlength=len(placed.ids))
        ids = Ids(placed.ids, offsets(counts), names, known)
        found = Nodes(ids, None, keys)
        if of_nodes is not None:
            found = shared_nodes(of_nodes, *node_levels, named[0], found)
    ids, node_rows, _ = found
    ends = number_ends(edge_rows, (start, end), found)
    edge_columns, of_counts = _read_columns(edge_rows, edge_attrs, aggregates.counted)
    node_columns = (
        {} if node_rows is None else _read_columns(node_rows, node_attrs, {})[0]
    )
    clock = _start_clock(
        time_unit, time_origin, (edge_rows, edge_columns), (node_rows, node_columns)
    )
    node_features = empty_features(len(ids.node_keys))
    if node_rows is not None:
        node_features = _features(node_rows, node_columns, clock, rule, ids)
    edge_features = _features(edge_rows, edge_columns, clock, rule, ids)
    check_names(rule, node_features, edge_features)
    weights = None if weight is None else _weights(edge_rows, weight, ids)
    rules = aggregates.rules | dict.fromkeys(of_counts, "sum")
    with ids.instead_of_positions():
        read = from_arcs(
            np.diff(ids.node_ptr),
            edge_rows.counts,
            ends,
            node_features,
            edge_features,
            weights,
            directed=directed,
            rules=rules,
            weight_rule=rules.get(weight or ""),
        )
    return replace(read, given_names=ids.as_names())
