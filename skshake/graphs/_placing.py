"""Which graph, and which node of it, each row of a table means.

In: columns of ids in any types. Out: rows graph after graph, nodes numbered within
their graph, and the ids for messages and as names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from skshake._as_array import is_missing
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._frames import Table
from skshake.graphs._ids import number_ids
from skshake.graphs._names import NameColumn, Names, as_item, as_objects
from skshake.graphs._ragged import offsets, owner_of

# Positions in messages of what reads graphs of any kind.
GRAPH, EDGE = (
    re.compile(r"\b([Gg]raph )(\d+)\b"),
    re.compile(r"\bedge \((\d+), (\d+)\)"),
)


class Rows(NamedTuple):
    """Rows of a table that belong to the wanted graphs, graph after graph.

    ``order`` are their places in the table, ``counts`` how many each graph has.
    """

    table: Table
    order: np.ndarray
    counts: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """Graph of each row."""
        return owner_of(offsets(self.counts))

    def values(self, name: str) -> np.ndarray:
        """A column of these rows."""
        values: np.ndarray = self.table.values(name)[self.order]
        return values


def choose_rows(table: Table, of_row: np.ndarray, n_graphs: int) -> Rows:
    """Rows of the wanted graphs; ``of_row`` is -1 for rows of others."""
    order = np.argsort(of_row, kind="stable")
    order = order[np.searchsorted(of_row[order], 0) :]
    return Rows(table, order, np.bincount(of_row[order], minlength=n_graphs))


class Ids(NamedTuple):
    """Ids of the graphs, and of their nodes, graph after graph.

    ``node_keys`` has the place of each node's name among ``known``.
    """

    graphs: np.ndarray
    node_ptr: np.ndarray
    node_keys: np.ndarray
    known: np.ndarray

    def graph(self, i: int) -> str:
        """The id of a graph, as it is written."""
        return repr(as_item(self.graphs[i]))

    def edge(self, graph: int, ends: Iterable[int]) -> str:
        """An edge by the names of its nodes."""
        first = self.node_ptr[graph]
        nodes = self.node_keys[[first + end for end in ends]]
        return repr(tuple(self.known[nodes].tolist()))

    def as_names(self) -> Names:
        """Names that stay with the collection."""
        return Names(NameColumn(self.graphs), NameColumn(self.known, self.node_keys))

    @contextmanager
    def instead_of_positions(self, rows: Rows | None = None) -> Iterator[None]:
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
                GRAPH.sub(lambda found: found[1] + self.graph(int(found[2])), message),
            )
            row = getattr(error.__cause__, "row", None)
            if rows is not None and row is not None:
                message += f" ({rows.table.place(rows.order[row])})"
            field = getattr(error, "field", None)
            raise InvalidGraphError(message, field=field) from error.__cause__


def as_columns(graph_ids: Any, n_levels: int) -> list[np.ndarray]:
    """Ids that were asked for, as a column for each of those that name a graph."""
    if isinstance(graph_ids, (str, bytes)) or not isinstance(graph_ids, Iterable):
        raise InvalidGraphError(f"graph_ids: expected a list of ids, got {graph_ids!r}")
    if hasattr(graph_ids, "to_numpy"):
        graph_ids = graph_ids.to_numpy()
    if n_levels == 1:
        columns = [_as_column(graph_ids)]
    else:
        listed = list(graph_ids)
        for values in listed:
            if not isinstance(values, (tuple, list)) or len(values) != n_levels:
                raise InvalidGraphError(
                    f"graph_ids: expected tuples of {n_levels}, got {values!r}"
                )
        columns = [as_objects(v[k] for v in listed) for k in range(n_levels)]
    for column in columns:
        for i, value in enumerate(column.tolist()):
            if is_missing(value):
                raise InvalidGraphError(f"graph_ids: id {i} is missing")
    return columns


def _as_column(graph_ids: Any) -> np.ndarray:
    if isinstance(graph_ids, np.ndarray) and graph_ids.dtype != object:
        return graph_ids.ravel()
    # Not numpy's common type, which would merge large integers.
    return as_objects(graph_ids)


def join_levels(levels: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """One number for each row of each table, from its numbers in several columns.

    Sorted by the first column, then by the next.
    """
    keys, *rest = [list(level) for level in levels]
    cuts = np.cumsum([len(part) for part in keys])[:-1]
    for level in rest:
        more = np.concatenate(level)
        joined = np.concatenate(keys) * (more.max(initial=0) + 1) + more
        keys = np.split(np.unique(joined, return_inverse=True)[1], cuts)
    return keys


class Placed(NamedTuple):
    """Graphs of the rows of some tables.

    ``ids`` of the wanted graphs; ``of_rows`` the graph of each row of each table, -1
    for one that is not wanted; ``levels`` each wanted graph's place in each column.
    """

    ids: np.ndarray
    of_rows: list[np.ndarray]
    levels: list[np.ndarray]


def place_graphs(
    known: list[np.ndarray],
    levels: list[list[np.ndarray]],
    n_tables: int,
) -> Placed:
    """Wanted graphs, and which of them each row means.

    Parameters
    ----------
    known : list of ndarray
        Ids that occur in each column that names graphs, sorted.
    levels : list of list of int64 ndarray
        For each such column the places among them, of the rows of each table, and last,
        if there is one more, of the wanted graphs; else all are wanted.
    n_tables : int
    """
    keys = join_levels(levels)
    if len(known) == 1:
        # Ids that are known without a row, as they were before.
        n_keys, first = len(known[0]), None
    else:
        distinct, first = np.unique(np.concatenate(keys), return_index=True)
        n_keys = len(distinct)
    chosen = np.arange(n_keys) if len(keys) == n_tables else keys[-1]
    if not len(chosen) or len(np.unique(chosen)) < len(chosen):
        raise InvalidGraphError("graph_ids: expected at least one, each once")
    place = np.full(n_keys, -1)
    place[chosen] = np.arange(len(chosen))
    of_rows = [place[numbers] for numbers in keys[:n_tables]]
    if all((numbers < 0).all() for numbers in of_rows):
        raise InvalidGraphError("graph_ids: no row of the tables names any of them")
    if first is None:
        return Placed(known[0][chosen], of_rows, [chosen])
    of_graph = [np.concatenate(level)[first[chosen]] for level in levels]
    columns = [_as_items(ids[k]) for ids, k in zip(known, of_graph, strict=True)]
    return Placed(as_objects(zip(*columns, strict=True)), of_rows, of_graph)


def _as_items(ids: np.ndarray) -> list[Any]:
    """Ids as values of Python, dates as dates."""
    # Numpy makes integers of nanoseconds.
    is_fine = ids.dtype.kind in "mM" and (ids == ids.astype(f"{ids.dtype.kind}8[us]"))
    if np.all(is_fine) and ids.dtype.kind in "mM":
        ids = ids.astype(f"{ids.dtype.kind}8[us]")
    return ids.tolist()


def number_columns(
    what: str, tables: Sequence[Sequence[np.ndarray]]
) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """Ids of each column and their numbers, from the column in each of some tables."""
    numbered = [number_ids(what, parts) for parts in tables]
    return [known for known, _ in numbered], [numbers for _, numbers in numbered]


def keys_of(of_row: np.ndarray, names: np.ndarray, n_names: int) -> np.ndarray:
    """One number for each node of each graph: by graph, and then by name."""
    return of_row * max(n_names, 1) + names


def keys_of_ends(
    of_edge: np.ndarray, ends: Sequence[np.ndarray], n_names: int
) -> np.ndarray:
    """Sorted keys of the nodes that edges of wanted graphs name."""
    import pandas as pd

    pairs = [keys_of(of_edge, names, n_names)[of_edge >= 0] for names in ends]
    return np.sort(pd.unique(np.concatenate(pairs)))


def find_rows(
    wanted: np.ndarray, known: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Place of each wanted key among others, whether it is there, and one that is there
    twice, or -1."""
    sorter = np.argsort(known, kind="stable")
    in_order = known[sorter]
    repeats = in_order[1:][in_order[1:] == in_order[:-1]]
    where = np.searchsorted(in_order, wanted)
    is_known = where < len(in_order)
    is_known[is_known] = in_order[where[is_known]] == wanted[is_known]
    places = np.zeros(len(wanted), np.int64)
    places[is_known] = sorter[where[is_known]]
    return places, is_known, int(repeats[0]) if len(repeats) else -1
