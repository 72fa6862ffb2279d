"""A window: many batches gathered at once, each a slice of one set of arrays.

In: hierarchies on a device, the graphs of each batch. Out: levels of any of the
batches. A GPU gathers a hundred batches as fast as one, and knows the transpose of each
sparse matrix (what its gradient needs) from one sort; a CPU shares the work between
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake.network._csr import CSR, BatchArcs, Transpose, transpose
from skshake.network.batches._device import DeviceHierarchies
from skshake.network.batches._records import LevelBatch, send

# Batches of a window, at most.
MOST_BATCHES = 4_096


class Part(NamedTuple):
    """What the rows of an array are, and what its values number.

    ``unit`` is a key of the bounds of a level, ``points_to`` another whose rows the
    values number; ``is_ptr`` marks offsets, one more than there are rows, into
    something that is sliced too.
    """

    unit: str
    points_to: str | None = None
    is_ptr: bool = False


# What is done to each array of a level, given what the array is.
OfPart = Callable[[Tensor, Part], Tensor]


def _map_csr(csr: CSR, row: str, entry: str, col: str, f: OfPart) -> CSR:
    """Apply a function to all arrays; columns that all batches share stay as they are.

    ``row``, ``entry`` and ``col`` are the units of the matrix's parts.
    """
    rowptr = f(csr.rowptr, Part(row, is_ptr=True))
    is_table = col.startswith("table")
    cols = f(csr.col, Part(entry, None if is_table else col))
    transposed = csr.transpose
    if transposed is not None:
        transposed = Transpose(
            f(transposed.colptr, Part(col, is_ptr=True)),
            f(transposed.perm, Part(entry, entry)),
            f(transposed.row, Part(entry, row)),
            f(transposed.value, Part(entry)),
        )
    return CSR(rowptr, cols, f(csr.value, Part(entry)), transposed)


def map_level(level: LevelBatch, f: OfPart) -> LevelBatch:
    """The level with a function applied to every array that differs between batches."""
    x, row_of_node, edge_attr = level.x, level.row_of_node, level.edge_attr
    if row_of_node is None:
        slots = _map_csr(x.slots, "nodes", "x", "table of x", f)
        x = x._replace(numeric=f(x.numeric, Part("nodes")), slots=slots)
    else:
        row_of_node = _map_csr(row_of_node, "nodes", "nodes", "table of nodes", f)
    if not level.shares_edges:
        slots = _map_csr(edge_attr.slots, "edges", "edge_attr", "table of edge_attr", f)
        numeric = f(edge_attr.numeric, Part("edges"))
        edge_attr = edge_attr._replace(numeric=numeric, slots=slots)
    from_coarser = level.from_coarser
    if from_coarser is not None:
        from_coarser = _map_csr(from_coarser, "nodes", "overlap", "coarse", f)
    return LevelBatch(
        node_ptr=f(level.node_ptr, Part("graphs", is_ptr=True)),
        x=x,
        row_of_node=row_of_node,
        edge_attr=edge_attr,
        shares_edges=level.shares_edges,
        arcs=_map_arcs(level.arcs, level.shares_edges, f),
        from_coarser=from_coarser,
    )


def _map_arcs(arcs: BatchArcs, shares_edges: bool, f: OfPart) -> BatchArcs:
    """Apply a function to all arrays of arcs."""
    # From nodes to edge states, arcs are the entries of a sparse matrix.
    states = "table of edges" if shares_edges else "edges"
    to_states = CSR(arcs.rowptr, arcs.edge, arcs.weight, arcs.by_edge)
    to_states = _map_csr(to_states, "nodes", "arcs", states, f)
    return BatchArcs(
        rowptr=to_states.rowptr,
        col=f(arcs.col, Part("arcs", "nodes")),
        edge=to_states.col,
        weight=to_states.value,
        by_edge=to_states.transpose,
    )


class Window:
    """Consecutive batches of one forest.

    Parameters
    ----------
    data : DeviceHierarchies
    batches : list of int arrays
    forest : int
    with_transposes : bool, default=True
        Whether sparse matrices have their transposes, which gradients on a GPU need.

    Attributes
    ----------
    levels : list of LevelBatch
        Of all batches together.
    bounds : list of dict
        Of each level: where each batch's rows begin, int64 (n_batches + 1,), for each
        unit of :class:`Part`.
    graphs : Tensor
        Graphs of all batches, on the device.
    """

    def __init__(
        self,
        data: DeviceHierarchies,
        batches: list[np.ndarray],
        forest: int,
        with_transposes: bool = True,
    ) -> None:
        self.forest = forest
        # A window is one large batch. Batches follow each other in all its arrays, and
        # bounds are all that tells them apart.
        chosen = np.concatenate(batches)
        first = np.concatenate([[0], np.cumsum([len(batch) for batch in batches])])
        self.graphs = send(chosen, data.device)
        self.bounds = [
            {unit: _bounds(counts[chosen], first) for unit, counts in of_level.items()}
            for of_level in data.counts(forest)
        ]
        self.levels = list(data.batch(chosen, forest))
        if with_transposes:
            self.levels = [
                _with_transposes(level, bounds)
                for level, bounds in zip(self.levels, self.bounds, strict=True)
            ]

    def batch(self, b: int) -> list[LevelBatch]:
        """Levels of one batch."""
        # The whole window: nothing is to be cut or shifted.
        if len(self.bounds[0]["graphs"]) == 2:
            return self.levels
        return [
            map_level(level, partial(_slice, bounds, b))
            for level, bounds in zip(self.levels, self.bounds, strict=True)
        ]

    def graphs_of(self, b: int) -> Tensor:
        """Graphs of one batch."""
        first, last = self.bounds[0]["graphs"][b : b + 2]
        return self.graphs[first:last]


def _bounds(counts: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Offsets of batches whose graphs have so many rows."""
    return np.concatenate([[0], np.cumsum(counts)])[first]


def _slice(bounds: dict[str, np.ndarray], b: int, values: Tensor, part: Part) -> Tensor:
    """What ``StaticBatch`` copies, as a view or, where values are shifted, a copy."""
    first, last = bounds[part.unit][b : b + 2].tolist()
    taken = values[first : last + part.is_ptr]
    if part.is_ptr:
        return taken - taken[:1]
    if part.points_to is None:
        return taken
    return taken - int(bounds[part.points_to][b])


def _with_transposes(level: LevelBatch, bounds: dict[str, np.ndarray]) -> LevelBatch:
    """The level with the transpose of each of its sparse matrices.

    A table that all batches share (of slots, of unique rows) is one table per batch
    there, and gets its bounds.
    """
    x, row_of_node, edge_attr = level.x, level.row_of_node, level.edge_attr
    if row_of_node is None:
        slots = _of_table(x.slots, "nodes", "table of x", x.n_slots, bounds)
        x = x._replace(slots=slots)
    else:
        n_unique = len(x.slots.rowptr) - 1
        row_of_node = _of_table(
            row_of_node, "nodes", "table of nodes", n_unique, bounds
        )
    arcs = level.arcs
    edges = CSR(arcs.rowptr, arcs.edge, arcs.weight)
    if level.shares_edges:
        n_unique = len(edge_attr.slots.rowptr) - 1
        edges = _of_table(edges, "nodes", "table of edges", n_unique, bounds)
    else:
        slots = _of_table(
            edge_attr.slots, "edges", "table of edge_attr", edge_attr.n_slots, bounds
        )
        edge_attr = edge_attr._replace(slots=slots)
        edges = edges._replace(transpose=transpose(edges, int(bounds["edges"][-1])))
    from_coarser = level.from_coarser
    if from_coarser is not None:
        transposed = transpose(from_coarser, int(bounds["coarse"][-1]))
        from_coarser = from_coarser._replace(transpose=transposed)
    return level._replace(
        x=x,
        row_of_node=row_of_node,
        edge_attr=edge_attr,
        arcs=arcs._replace(by_edge=edges.transpose),
        from_coarser=from_coarser,
    )


def _of_table(
    csr: CSR, unit: str, table: str, n_cols: int, bounds: dict[str, np.ndarray]
) -> CSR:
    """The matrix with a transpose that has ``n_cols`` columns for each batch.

    Where these begin is noted in ``bounds``, under the name of the table.
    """
    n_batches = len(bounds["graphs"]) - 1
    n_rows = send(np.diff(bounds[unit]), csr.col.device)
    batch = torch.repeat_interleave(n_rows, output_size=len(csr.rowptr) - 1)
    n_entries = csr.rowptr.diff()
    shift = torch.repeat_interleave(batch * n_cols, n_entries, output_size=len(csr.col))
    bounds[table] = np.arange(n_batches + 1) * n_cols
    numbered = csr._replace(col=csr.col + shift)
    return csr._replace(transpose=transpose(numbered, n_cols * n_batches))


class Windows:
    """Makes many batches at once.

    Parameters
    ----------
    data : DeviceHierarchies
    forest : int
    most_rows : int
        Rows (nodes and edges of all levels) of a window, where more than one batch is
        left.
    with_transposes : bool
        See :class:`Window`.
    """

    def __init__(
        self,
        data: DeviceHierarchies,
        forest: int,
        most_rows: int,
        with_transposes: bool,
    ) -> None:
        self._data, self._forest, self._most_rows = data, forest, most_rows
        self._with_transposes = with_transposes
        self._rows = data.rows_per_graph(forest)
        self._made: list[np.ndarray] = []
        self._window: Window | None = None

    def take(self, batches: list[np.ndarray]) -> tuple[Window, int]:
        """A window, and the number in it of the first batch."""
        for b, made in enumerate(self._made):
            if self._window is not None and made is batches[0]:
                return self._window, b
        n_batches, n_rows = 0, 0
        for batch in batches[:MOST_BATCHES]:
            n_rows += self._rows[batch].sum()
            if n_batches and n_rows > self._most_rows:
                break
            n_batches += 1
        # The last one is freed first.
        self._window = None
        self._made = batches[:n_batches]
        self._window = Window(
            self._data, self._made, self._forest, self._with_transposes
        )
        return self._window, 0
