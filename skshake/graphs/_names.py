"""Names: what users call graphs and nodes, carried beside the flat arrays.

In: ids of any type. Out: one name per row, gathered only when somebody asks. Nothing
that is computed depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True, eq=False)
class NameColumn:
    """One name per row.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Names, of any type.
    rows : int64 array of shape (n_rows,) or None
        Which of them each row has; None for one row per value.
    """

    values: np.ndarray
    rows: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values if self.rows is None else self.rows)

    def __getstate__(self) -> dict[str, Any]:
        """State with those names alone that some row has."""
        if self.rows is None or len(self.rows) > len(self.values):
            return dict(self.__dict__)
        used, rows = np.unique(self.rows, return_inverse=True)
        return {"values": self.values[used], "rows": rows}

    def take(self, rows: np.ndarray | slice) -> NameColumn:
        """Names of some rows, without gathering them."""
        if self.rows is not None:
            return NameColumn(self.values, self.rows[rows])
        if isinstance(rows, slice):
            return NameColumn(self.values[rows])
        return NameColumn(self.values, rows)

    def as_array(self) -> np.ndarray:
        """Names of all rows."""
        return self.values if self.rows is None else self.values[self.rows]


class Names(NamedTuple):
    """Names of the graphs of a collection, and of their nodes; None where not given."""

    graphs: NameColumn | None = None
    nodes: NameColumn | None = None

    def take(
        self, graphs: np.ndarray | slice, nodes: np.ndarray | slice
    ) -> Names | None:
        """Names of some graphs and of their nodes."""
        return names_of(
            self.graphs and self.graphs.take(graphs),
            self.nodes and self.nodes.take(nodes),
        )


def names_of_graphs(names: Names | None, n_graphs: int) -> np.ndarray:
    """Name of each graph, its position if no other was given."""
    found = names and names.graphs
    return np.arange(n_graphs) if found is None else found.as_array()


def names_of_nodes(names: Names | None, node_ptr: np.ndarray) -> np.ndarray:
    """Names of the nodes of graphs in turn, whose offsets are given.

    If no others were given they are numbers, from 0 in each graph.
    """
    found = names and names.nodes
    if found is None:
        return positions(node_ptr)
    return found.take(slice(node_ptr[0], node_ptr[-1])).as_array()


def names_of(graphs: NameColumn | None, nodes: NameColumn | None) -> Names | None:
    """Names of a collection, None if there are none at all."""
    return None if graphs is None and nodes is None else Names(graphs, nodes)


class NamedView:
    """A view of one graph of a collection, with the names that the user gave."""

    collection: Any
    position: int

    @property
    def name(self) -> Any:
        """Name of the graph, its position if no other was given."""
        names, graph = self.collection.given_names, self.position
        found = names and names.graphs
        if found is None:
            return graph
        return found.take(slice(graph, graph + 1)).as_array()[0]

    @property
    def node_names(self) -> np.ndarray:
        """Names of the (input) nodes, their numbers from 0 if no others were given."""
        node_ptr = self.collection.node_ptr[self.position : self.position + 2]
        return names_of_nodes(self.collection.given_names, node_ptr)


def as_objects(values: Iterable[Any]) -> np.ndarray:
    """Values of any type as they are, tuples too."""
    listed = list(values)
    return np.fromiter(listed, object, len(listed))


def as_item(value: Any) -> Any:
    """A value of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def as_names(values: Iterable[Any]) -> np.ndarray:
    """Names as an array: text and whole numbers by type, all else as objects."""
    values = [as_item(value) for value in values]
    for cls in (str, int):
        if all(type(value) is cls for value in values):
            found = np.array(values)
            # Integers beyond 64 bits are objects, or floats that merge them.
            return found if found.dtype.kind in "Ui" else as_objects(values)
    return as_objects(values)


def join_names(parts: Sequence[tuple[NameColumn | None, np.ndarray]]) -> NameColumn:
    """Names of several collections in turn, each with what stands in for None."""
    found = [column or NameColumn(default) for column, default in parts]
    if len({id(column.values) for column in found}) == 1 and not any(
        column.rows is None for column in found
    ):
        rows = [column.rows for column in found if column.rows is not None]
        return NameColumn(found[0].values, np.concatenate(rows))
    arrays = [column.as_array() for column in found]
    if len({array.dtype.kind for array in arrays if len(array)}) > 1:
        arrays = [as_objects(array.tolist()) for array in arrays]
    return NameColumn(np.concatenate(arrays))


def positions(ptr: np.ndarray) -> np.ndarray:
    """Place of each row within its graph: its name where no other is given."""
    return np.arange(ptr[0], ptr[-1]) - np.repeat(ptr[:-1], np.diff(ptr))


def read_names(
    given: Sequence[Sequence[Any] | None], n_nodes: np.ndarray
) -> NameColumn | None:
    """Names of the nodes of all graphs; None if all are just numbered from 0."""
    if all(names is None for names in given):
        return None
    listed: list[Any] = []
    for names, n in zip(given, n_nodes.tolist(), strict=True):
        listed.extend(range(n) if names is None else names)
    return NameColumn(as_names(listed))
