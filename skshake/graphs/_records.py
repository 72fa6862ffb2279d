"""What a reader makes of one graph, and what all readers share.

In: what users have. Out: a :class:`GraphRecord` of plain arrays, not yet checked
against its companions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skshake._as_array import as_array, is_table
from skshake.graphs._errors import InvalidGraphError, Naming
from skshake.graphs._features import TEXT_CODE, Features
from skshake.graphs._named_columns import Columns, named_columns


class GraphRecord(NamedTuple):
    """One graph as read: directed rows, named columns.

    ``edge_index`` has shape (2, n_rows), source and target; ``node_columns`` and
    ``edge_columns`` hold one array per attribute, with one row per node and per column
    of ``edge_index``; ``edge_weight`` is None when all weigh 1. ``unread`` is what came
    beside these. ``name`` is that of the graph and ``node_names`` are those of its
    nodes, None where they are just numbered. ``is_directed`` is what the type of the
    graph says, None if rows are all that is known.
    """

    n_nodes: int
    edge_index: Any
    node_columns: Columns
    edge_columns: Columns
    edge_weight: Any
    unread: Mapping[str, Any] | None = None
    name: Any = None
    node_names: Sequence[Any] | None = None
    is_directed: bool | None = None


class AttributeNames(NamedTuple):
    """Which attributes of nodes and edges are read; None means those of each kind.

    ``defaults`` holds what stands in for an attribute that a node or edge lacks.
    ``directed`` says whether what directions say is kept; None means no, but warns.
    """

    node_attrs: tuple[str, ...] | None
    edge_attrs: tuple[str, ...] | None
    weight: str | None
    defaults: Mapping[str, Any]
    directed: bool | None = None


NO_NAMES = AttributeNames(None, None, "weight", {})
NO_ARCS = np.empty((2, 0), np.int64)
# Nodes are numbered in 32 bits.
MOST_NODES = 2**31 - 1
Reader = Callable[[Any, AttributeNames], GraphRecord]


def both_ways(record: GraphRecord) -> GraphRecord:
    """The record of an undirected graph with a row for each direction of an edge."""

    def twice(values: Any) -> np.ndarray:
        return np.concatenate([as_array(values)] * 2)

    ends = as_array(record.edge_index)
    weight = record.edge_weight
    return record._replace(
        edge_index=np.concatenate([ends, ends[::-1]], axis=1),
        edge_columns={name: twice(rows) for name, rows in record.edge_columns.items()},
        edge_weight=None if weight is None else twice(weight),
    )


def given_column(name: str, values: Any) -> Columns:
    """The columns of one array, none if it is not there."""
    if values is None:
        return {}
    return named_columns(name, values) if is_table(values) else {name: values}


def chosen_values(
    what: str,
    store: Mapping[str, Any],
    array: str,
    wanted: tuple[str, ...] | None,
    n_rows: int,
    defaults: Mapping[str, Any],
) -> Columns:
    """The wanted columns of nodes or edges, by default those of their array."""
    if wanted is None:
        return given_column(array, store.get(array))
    if is_table(store.get(array)):
        store = {**named_columns(array, store[array]), **store}
    columns: Columns = {}
    for name in wanted:
        if store.get(name) is not None:
            columns |= given_column(name, store[name])
        elif name not in defaults and n_rows:
            raise InvalidGraphError(
                f"has no {what} attribute {name!r}, which {what}_attrs names; it has "
                f"{sorted(map(str, store))}",
                field=name,
            )
    return columns


def check_count(name: str, value: Any) -> int:
    """A number of nodes, which must be an integer."""
    if type(value) is not int:
        with Naming(name):
            count = as_array(value)
        if count.size != 1 or count.dtype.kind not in "iu":
            raise InvalidGraphError(
                f"{name}: expected an integer of 0 or more, got {value!r:.60}",
                field=name,
            )
        value = int(count.reshape(()))
    if value < 0:
        raise InvalidGraphError(f"has {value} nodes; expected 0 or more", field=name)
    if value > MOST_NODES:
        raise InvalidGraphError(
            f"has {value} nodes; expected at most {MOST_NODES}", field=name
        )
    return value


def count_rows(name: str, values: Any) -> int:
    """Number of rows of an array."""
    shape = getattr(values, "shape", None)
    if not isinstance(shape, tuple):
        with Naming(name):
            shape = as_array(values).shape
    if not len(shape):
        raise InvalidGraphError(
            f"{name}: expected one row per node, got a single value", field=name
        )
    return int(shape[0])


def count_arcs(edge_index: Any) -> int:
    """Number of columns of edge_index."""
    shape = getattr(edge_index, "shape", None)
    if not isinstance(shape, tuple):
        with Naming("edge_index"):
            shape = as_array(edge_index).shape
    return 0 if 0 in shape or not shape else int(shape[-1])


def columns_of(features: Features) -> Columns:
    """Columns by name, codes of strings marked as such."""
    columns: Columns = features.columns()
    for field in features.fields:
        if field.is_text:
            columns[field.name] = columns[field.name].copy().view(TEXT_CODE)
    return columns


def chosen_columns(
    what: str,
    columns: Columns,
    wanted: tuple[str, ...] | None,
    n_rows: int,
    array: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Columns:
    """Those of the named columns that are wanted.

    "x" stands for "x[0]" too, and the name of their ``array`` for all.
    """
    if wanted is None or not n_rows:
        return columns
    kept: Columns = {}
    missing = [name for name in wanted if name not in (defaults or {})]
    for name, values in columns.items():
        names = {name, name.partition("[")[0], array}.intersection(wanted)
        if names:
            kept[name] = values
            missing = [other for other in missing if other not in names]
    if missing:
        raise InvalidGraphError(
            f"has no {what} attribute {missing[0]!r}, which {what}_attrs names; it has "
            f"{list(columns)}",
            field=missing[0],
        )
    return kept


def chosen_of_array(
    what: str, array: str, columns: Columns, n_rows: int, names: AttributeNames
) -> Columns:
    """The wanted columns of a graph that has one array of nodes or edges."""
    wanted = names.node_attrs if what == "node" else names.edge_attrs
    return chosen_columns(what, columns, wanted, n_rows, array, names.defaults)
