"""graphs_from_edgelist: tables of edges and nodes, one row each, to a collection.

In: data frames with a column that names the graph. Out: a GraphCollection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from skshake._as_array import is_missing
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
from skshake.graphs._ids import integers, number_ids
from skshake.graphs._merging import from_arcs
from skshake.graphs._ragged import offsets, owner_of

# Positions in messages of what reads graphs of any kind.
GRAPH, EDGE = (
    re.compile(r"\b([Gg]raph )(\d+)\b"),
    re.compile(r"\bedge \((\d+), (\d+)\)"),
)


class _Table(NamedTuple):
    """A table: what it is called in messages, and its columns."""

    what: str
    frame: Any

    def column(self, name: str) -> np.ndarray:
        """Values of a column that must be there and complete."""
        if name not in self.frame.columns:
            raise InvalidGraphError(
                f"{self.what}: expected a column {name!r}, got "
                f"{list(self.frame.columns)}"
            )
        column = self.frame[name]
        if column.ndim > 1:
            raise InvalidGraphError(f"{self.what}: several columns are called {name!r}")
        if column.isna().any():
            row = int(np.flatnonzero(column.isna())[0])
            raise InvalidGraphError(
                f"{self.what}: {name!r} is missing in row {row}; impute or drop it"
            )
        values = column.to_numpy()
        # Strings and categories of pandas are objects in numpy.
        if values.dtype == object and all(isinstance(value, str) for value in values):
            return values.astype(str)
        return values

    def values(self, name: str) -> np.ndarray:
        """A column of numbers or text; numbers of Python as numbers of numpy."""
        values = self.column(name)
        if values.dtype != object:
            return values
        listed = values.tolist()
        if all(isinstance(value, (Integral, np.bool_)) for value in listed):
            return integers([int(value) for value in listed])
        if all(isinstance(value, (Real, Decimal)) for value in listed):
            return values.astype(np.float64)
        return values


def _as_table(what: str, table: Any) -> _Table:
    """A data frame of pandas, or of polars or pyarrow, or a dictionary of columns."""
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return _Table(what, table)
    columns = dict(table) if isinstance(table, dict) else None
    if columns is None and hasattr(table, "columns") and hasattr(table, "__getitem__"):
        names = getattr(table, "column_names", None) or table.columns
        columns = {name: table[name].to_numpy() for name in names}
    if columns is None:
        raise InvalidGraphError(
            f"{what}: expected a data frame, one row per {what[:-1]}, got "
            f"{type(table).__name__}"
        )
    return _Table(what, pd.DataFrame(columns))


class _Rows(NamedTuple):
    """Rows of a table that belong to the wanted graphs, graph after graph.

    ``order`` are their places in the table, ``counts`` how many each graph has.
    """

    table: _Table
    order: np.ndarray
    counts: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """Graph of each row."""
        return owner_of(offsets(self.counts))


class _Names(NamedTuple):
    """Ids of the graphs, and the names of their nodes, graph after graph."""

    ids: list[Any]
    node_ptr: np.ndarray
    nodes: np.ndarray

    def edge(self, graph: int, ends: Iterable[int]) -> str:
        """An edge by the names of its nodes."""
        first = self.node_ptr[graph]
        return repr(tuple(self.nodes[[first + end for end in ends]].tolist()))

    @contextmanager
    def instead_of_positions(self, rows: _Rows | None = None) -> Iterator[None]:
        """Name graphs, edges and rows of the tables in messages that count them."""
        try:
            yield
        except (ValueError, TypeError) as error:
            message = str(error)
            found = GRAPH.match(message)
            if found is None:
                raise
            graph = int(found[2])
            message = EDGE.sub(
                lambda edge: f"edge {self.edge(graph, map(int, edge.groups()))}",
                GRAPH.sub(
                    lambda found: found[1] + repr(self.ids[int(found[2])]), message
                ),
            )
            row = getattr(error.__cause__, "row", None)
            if rows is not None and row is not None:
                message += f" (row {rows.order[row]} of {rows.table.what})"
            field = getattr(error, "field", None)
            raise InvalidGraphError(message, field=field) from error.__cause__


def _features(
    rows: _Rows, attributes: Sequence[str], rule: CategoricalRule, names: _Names
) -> Features:
    """Columns as features of the rows; attributes keep their names."""
    columns: list[dict] = [{} for _ in rows.counts]
    cuts = np.cumsum(rows.counts)[:-1]
    for name in attributes:
        values = rows.table.values(name)[rows.order]
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            k = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InvalidGraphError(
                f"Graph {names.ids[rows.owner[k]]!r}: {name} holds {values[k]}; "
                f"expected finite numbers (row {rows.order[k]} of {rows.table.what})"
            )
        for named, part in zip(columns, np.split(values, cuts), strict=True):
            named[str(name)] = part
    with names.instead_of_positions(rows):
        return collate_features(columns, rows.counts, rule)


def _weights(rows: _Rows, name: str, names: _Names) -> np.ndarray | None:
    """Weights of the rows."""
    values = rows.table.values(name)[rows.order]
    if values.dtype.kind not in "biuf" and len(values):
        raise InvalidGraphError(
            f"{rows.table.what}: {name!r}: expected numbers as weights, got "
            f"{values.dtype}"
        )
    is_bad = ~((values >= LEAST_WEIGHT) & (values <= MOST_WEIGHT))
    if is_bad.any():
        k = int(np.flatnonzero(is_bad)[0])
        raise InvalidGraphError(
            f"Graph {names.ids[rows.owner[k]]!r}: edge weight {values[k]} in {name!r}, "
            f"row {rows.order[k]} of {rows.table.what}; expected positive numbers from "
            f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        )
    parts = np.split(values, np.cumsum(rows.counts)[:-1])
    return collate_weights(parts, offsets(rows.counts))


def _as_ids(graph_ids: Any) -> np.ndarray:
    """Ids that were asked for as a column."""
    if isinstance(graph_ids, (str, bytes)) or not isinstance(graph_ids, Iterable):
        raise InvalidGraphError(f"graph_ids: expected a list of ids, got {graph_ids!r}")
    if hasattr(graph_ids, "to_numpy"):
        graph_ids = graph_ids.to_numpy()
    if isinstance(graph_ids, np.ndarray) and graph_ids.dtype != object:
        ids = graph_ids.ravel()
    else:
        # Not numpy's common type, which would merge large integers.
        values = list(graph_ids)
        ids = np.fromiter(values, object, len(values))
    for i, value in enumerate(ids.tolist()):
        if is_missing(value):
            raise InvalidGraphError(f"graph_ids: id {i} is missing")
    return ids


def _choose(table: _Table, of_row: np.ndarray, n_graphs: int) -> _Rows:
    """Rows of the wanted graphs; ``of_row`` is -1 for rows of others."""
    order = np.argsort(of_row, kind="stable")
    order = order[np.searchsorted(of_row[order], 0) :]
    return _Rows(table, order, np.bincount(of_row[order], minlength=n_graphs))


def _number_graphs(
    columns: list[np.ndarray], wanted: np.ndarray | None
) -> tuple[list[Any], list[np.ndarray]]:
    """Ids of the wanted graphs, and which of them each row of each column means.

    -1 stands for a graph that is not wanted; None wants all.
    """
    asked = [] if wanted is None else [wanted]
    known, of_rows = number_ids("graphs", [*columns, *asked])
    chosen = np.arange(len(known)) if wanted is None else of_rows[-1]
    if not len(chosen) or len(np.unique(chosen)) < len(chosen):
        raise InvalidGraphError("graph_ids: expected at least one, each once")
    place = np.full(len(known), -1)
    place[chosen] = np.arange(len(chosen))
    of_columns = [place[numbers] for numbers in of_rows[: len(columns)]]
    if all((numbers < 0).all() for numbers in of_columns):
        raise InvalidGraphError("graph_ids: no row of the tables names any of them")
    ids = [known[k] for k in chosen]
    return [k.item() if isinstance(k, np.generic) else k for k in ids], of_columns


def _keys(of_row: np.ndarray, names: np.ndarray, n_names: int) -> np.ndarray:
    """One number for each node of each graph: by graph, and then by name."""
    return of_row * max(n_names, 1) + names


def _keys_of_ends(
    of_edge: np.ndarray, ends: tuple[np.ndarray, np.ndarray], n_names: int
) -> np.ndarray:
    """Sorted keys of the nodes that edges of wanted graphs name."""
    import pandas as pd

    pairs = [_keys(of_edge, names, n_names)[of_edge >= 0] for names in ends]
    return np.sort(pd.unique(np.concatenate(pairs)))


def _number_ends(
    rows: _Rows,
    ends: tuple[np.ndarray, np.ndarray],
    keys: np.ndarray,
    known: np.ndarray,
    names: _Names,
) -> np.ndarray:
    """Ends (2, n_rows) of edges, numbered within their graph by the order of keys.

    Parameters
    ----------
    rows : _Rows
        Those of the table of edges.
    ends : tuple of int64 arrays of shape (n_table_rows,)
        Names of both ends of all rows of the table, by number.
    keys : int64 array of shape (n_nodes,)
        Keys of the nodes, graph after graph.
    known : array of shape (n_names,)
        The names by number.
    names : _Names
    """
    n_names = max(len(known), 1)
    sorter = np.argsort(keys, kind="stable")
    in_order = keys[sorter]
    is_repeat = in_order[1:] == in_order[:-1]
    if is_repeat.any():
        i, k = divmod(int(in_order[1:][is_repeat][0]), n_names)
        raise InvalidGraphError(
            f"nodes: node {known[k]} comes twice in graph {names.ids[i]}"
        )
    owner = rows.owner
    numbers = np.empty((2, len(owner)), np.int64)
    for found, of_end in zip(numbers, ends, strict=True):
        wanted = _keys(owner, of_end[rows.order], n_names)
        where = np.searchsorted(in_order, wanted)
        is_known = where < len(in_order)
        is_known[is_known] = in_order[where[is_known]] == wanted[is_known]
        if not is_known.all():
            i, k = divmod(int(wanted[~is_known][0]), n_names)
            raise InvalidGraphError(
                f"edges: an edge of graph {names.ids[i]} joins node {known[k]}, which "
                "has no row in nodes"
            )
        found[:] = sorter[where] - names.node_ptr[owner]
    return numbers


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
        One row per edge (or per direction, see :func:`skshake.as_graphs`). Data frames
        of polars, tables of pyarrow and dictionaries of columns are read too.
    graph, source, target : str
        Columns with the graph of an edge (a column of ``nodes`` too) and the nodes that
        it joins; values of any type, node names meaning nothing beyond their graph.
        Whole numbers of different types are compared exactly, up to any size.
    weight : str, default=None
        Column with positive weights; None for 1.
    edge_attrs : sequence of str, default=()
        Columns that are features of edges. Strings are categories.
    nodes : pandas.DataFrame or such, default=None
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
        row of its own, or an id comes twice; if ids are floats so large that several
        integers are one float. Messages name graphs by their ids, nodes and columns by
        their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from skshake import graphs_from_edgelist
    >>> edges = pd.DataFrame({"graph": [1, 1, 2], "source": list("aba"),
    ...                       "target": list("bcb")})
    >>> graphs_from_edgelist(edges)
    <GraphCollection of 2 graphs: 5 nodes, 3 edges, 0 node and 0 edge features>
    """
    rule = check_rule(categorical_features)
    node_attrs = check_names_given("node_attrs", node_attrs) or ()
    edge_attrs = check_names_given("edge_attrs", edge_attrs) or ()
    if nodes is None and node_attrs:
        raise InvalidGraphError("node_attrs: expected a table `nodes` that holds them")
    of_edges = _as_table("edges", edges)
    of_nodes = None if nodes is None else _as_table("nodes", nodes)
    wanted = None if graph_ids is None else _as_ids(graph_ids)
    graph_columns = [of_edges.column(graph)]
    name_columns = [of_edges.column(name) for name in (source, target)]
    if of_nodes is not None:
        graph_columns.append(of_nodes.column(graph))
        name_columns.append(of_nodes.column(node))
    ids, (of_edge, *of_node) = _number_graphs(graph_columns, wanted)
    known, (start, end, *named) = number_ids("nodes", name_columns)
    edge_rows = _choose(of_edges, of_edge, len(ids))
    if of_nodes is None:
        node_rows = None
        keys = _keys_of_ends(of_edge, (start, end), len(known))
        n_nodes = np.bincount(keys // max(len(known), 1), minlength=len(ids))
    else:
        node_rows = _choose(of_nodes, of_node[0], len(ids))
        n_nodes = node_rows.counts
        keys = _keys(of_node[0], named[0], len(known))[node_rows.order]
    names = _Names(ids, offsets(n_nodes), known[keys % max(len(known), 1)])
    numbers = _number_ends(edge_rows, (start, end), keys, known, names)
    node_features = empty_features(len(keys))
    if node_rows is not None:
        node_features = _features(node_rows, node_attrs, rule, names)
    edge_features = _features(edge_rows, edge_attrs, rule, names)
    check_names(rule, node_features, edge_features)
    weights = None if weight is None else _weights(edge_rows, weight, names)
    with names.instead_of_positions():
        return from_arcs(
            n_nodes, edge_rows.counts, numbers, node_features, edge_features, weights
        )
