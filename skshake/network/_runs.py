"""Many batches gathered at once on a device, each a slice of one set of arrays.

In: hierarchies on a device, the graphs of each batch. Out: levels of any of the
batches. A GPU gathers a hundred batches as fast as one, and knows the transposed of
each sum (what its gradient needs) from one sort; a CPU shares the work between threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake.network._bags import Bags, ByRow, sort_by_row
from skshake.network._batches import DeviceHierarchies, LevelBatch, send
from skshake.network._message import Arcs


class Part(NamedTuple):
    """What the rows of an array are, and what its values number.

    ``unit`` is a key of the bounds of a level, ``points_to`` another whose rows the
    values number; ``is_ptr`` marks offsets, one more than there are rows, into
    something that is sliced too.
    """

    unit: str
    points_to: str | None = None
    is_ptr: bool = False


Mapping = Callable[[Tensor, Part], Tensor]


def _map_bags(bags: Bags, bag: str, entry: str, row: str, f: Mapping) -> Bags:
    """Apply a function to all arrays; numbers of rows that all batches share stay."""
    offsets = f(bags.offsets, Part(bag, is_ptr=True))
    is_table = row.startswith("table")
    rows = f(bags.rows, Part(entry, None if is_table else row))
    by_row = bags.by_row
    if by_row is not None:
        by_row = ByRow(
            f(by_row.ptr, Part(row, is_ptr=True)),
            f(by_row.entry, Part(entry, entry)),
            f(by_row.bag, Part(entry, bag)),
            f(by_row.value, Part(entry)),
        )
    return Bags(offsets, rows, f(bags.values, Part(entry)), by_row)


def map_level(level: LevelBatch, f: Mapping) -> LevelBatch:
    """The level with a function applied to every array that differs between batches."""
    x, node_kind, edge_attr = level.x, level.node_kind, level.edge_attr
    if node_kind is None:
        slots = _map_bags(x.slots, "nodes", "x", "table of x", f)
        x = x._replace(numeric=f(x.numeric, Part("nodes")), slots=slots)
    else:
        node_kind = _map_bags(node_kind, "nodes", "nodes", "table of nodes", f)
    edges = "table of edges" if level.shares_edges else "edges"
    if not level.shares_edges:
        slots = _map_bags(
            edge_attr.slots, "edges", "edge_attr", "table of edge_attr", f
        )
        numeric = f(edge_attr.numeric, Part("edges"))
        edge_attr = edge_attr._replace(numeric=numeric, slots=slots)
    arcs = level.arcs
    bags = Bags(arcs.indptr, arcs.edge, arcs.weight, arcs.by_edge)
    bags = _map_bags(bags, "nodes", "arcs", edges, f)
    neighbour = f(arcs.neighbour, Part("arcs", "nodes"))
    to_coarser = level.to_coarser
    if to_coarser is not None:
        to_coarser = _map_bags(to_coarser, "nodes", "overlap", "coarse", f)
    return LevelBatch(
        f(level.node_ptr, Part("graphs", is_ptr=True)),
        x,
        node_kind,
        edge_attr,
        level.shares_edges,
        Arcs(bags.offsets, neighbour, bags.rows, bags.values, bags.by_row),
        to_coarser,
    )


class Run:
    """Consecutive batches of one forest.

    Parameters
    ----------
    data : DeviceHierarchies
    batches : list of int arrays
    forest : int
    with_rows : bool, default=True
        Whether levels have ``by_row`` everywhere, which gradients on a GPU need.

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
        with_rows: bool = True,
    ) -> None:
        self.forest = forest
        chosen = np.concatenate(batches)
        first = np.concatenate([[0], np.cumsum([len(batch) for batch in batches])])
        self.graphs = send(chosen, data.device)
        self.bounds = [
            {unit: _bounds(counts[chosen], first) for unit, counts in of_level.items()}
            for of_level in data.counts(forest)
        ]
        self.levels = list(data.batch(chosen, forest))
        if with_rows:
            self.levels = [
                _with_rows(level, bounds)
                for level, bounds in zip(self.levels, self.bounds, strict=True)
            ]

    def batch(self, b: int) -> list[LevelBatch]:
        """Levels of one batch."""
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
    first, last = bounds[part.unit][b : b + 2].tolist()
    taken = values[first : last + part.is_ptr]
    if part.is_ptr:
        return taken - taken[:1]
    if part.points_to is None:
        return taken
    return taken - int(bounds[part.points_to][b])


def _with_rows(level: LevelBatch, bounds: dict[str, np.ndarray]) -> LevelBatch:
    """The level with the transposed of each of its sums.

    A table that all batches share (of slots, of kinds) is one table per batch there,
    and gets its bounds.
    """
    n_batches = len(bounds["graphs"]) - 1

    def of_table(bags: Bags, unit: str, table: str, n_rows: int) -> Bags:
        n_bags = send(np.diff(bounds[unit]), bags.rows.device)
        batch = torch.repeat_interleave(n_bags, output_size=len(bags.offsets) - 1)
        n_entries = bags.offsets.diff()
        shift = torch.repeat_interleave(
            batch * n_rows, n_entries, output_size=len(bags.rows)
        )
        bounds[table] = np.arange(n_batches + 1) * n_rows
        numbered = bags._replace(rows=bags.rows + shift)
        return bags._replace(by_row=sort_by_row(numbered, n_rows * n_batches))

    x, node_kind, edge_attr = level.x, level.node_kind, level.edge_attr
    if node_kind is None:
        slots = of_table(x.slots, "nodes", "table of x", x.n_slots)
        x = x._replace(slots=slots)
    else:
        n_kinds = len(x.slots.offsets) - 1
        node_kind = of_table(node_kind, "nodes", "table of nodes", n_kinds)
    arcs = level.arcs
    edges = Bags(arcs.indptr, arcs.edge, arcs.weight)
    if level.shares_edges:
        n_kinds = len(edge_attr.slots.offsets) - 1
        edges = of_table(edges, "nodes", "table of edges", n_kinds)
    else:
        slots = of_table(
            edge_attr.slots, "edges", "table of edge_attr", edge_attr.n_slots
        )
        edge_attr = edge_attr._replace(slots=slots)
        edges = edges._replace(by_row=sort_by_row(edges, int(bounds["edges"][-1])))
    to_coarser = level.to_coarser
    if to_coarser is not None:
        by_row = sort_by_row(to_coarser, int(bounds["coarse"][-1]))
        to_coarser = to_coarser._replace(by_row=by_row)
    return level._replace(
        x=x,
        node_kind=node_kind,
        edge_attr=edge_attr,
        arcs=arcs._replace(by_edge=edges.by_row),
        to_coarser=to_coarser,
    )
