"""Hierarchies as flat tensors on a device, and batches gathered from them.

In: a HierarchyCollection. Out: for any set of graphs, a batch made by index arithmetic
alone: every array is contiguous per graph, so a batch is a gather of ranges, and
numbers that point into other arrays are shifted by where their graph now begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake._splitmix import hash_rows
from skshake.graphs import arcs_from_edges
from skshake.hierarchy import HierarchyCollection, Level, PooledFeatures, overlap_matrix
from skshake.network._bags import Bags, sort_by_row
from skshake.network._kernels import append_sizes, copy_ranges
from skshake.network._message import Arcs
from skshake.network._parallel import count_lanes, run_lanes, split_rows

# Nodes (edges) of so few kinds are encoded once per kind; more, once each in a batch.
MOST_KINDS = 1_024
# Lanes that copy the values of a batch.
MOST_COPIERS = 4
# Bytes of a row (of nodes, arcs, entries) in all arrays together, and the share of a
# GPU's free memory that graphs may fill.
BYTES_PER_ROW, MOST_MEMORY = 32, 0.4


class FeatureBatch(NamedTuple):
    """Pooled features of a batch: numbers, and shares of ``n_slots`` category slots."""

    numeric: Tensor
    slots: Bags
    n_slots: int


class LevelBatch(NamedTuple):
    """One level of a batch of graphs.

    ``node_ptr`` (n_graphs + 1,) delimits graphs. ``x`` holds two slots more than there
    are categories: the logarithm of a block's number of input nodes, and 1. It has one
    row per node, or one per kind of node, which ``node_kind`` then finds. ``edge_attr``
    has one row per kind of edge if ``shares_edges``, else one per edge.
    ``to_coarser`` sends states of the next coarser level down (its values sum to 1) and
    is None at the coarsest.
    """

    node_ptr: Tensor
    x: FeatureBatch
    node_kind: Bags | None
    edge_attr: FeatureBatch
    shares_edges: bool
    arcs: Arcs
    to_coarser: Bags | None


def send(values: np.ndarray, device: torch.device) -> Tensor:
    """Tensor of an array; torch does not share memory that is read-only."""
    values = np.require(values, requirements=["C", "W"])
    return torch.from_numpy(values).to(device)


class _Chosen(NamedTuple):
    """Graphs of a batch, on the device and on the host."""

    graphs: Tensor
    host: np.ndarray


class _Ranges:
    """Ranges of rows, one per graph, that a batch takes one after the other."""

    def __init__(self, ptr: np.ndarray, device: torch.device) -> None:
        self.starts = send(ptr[:-1].copy(), device)
        self.counts = send(np.diff(ptr), device)
        # Kept on the host too: the size of a batch is known without asking the device.
        self.host_counts = np.diff(ptr)

    def take(
        self, values: Tensor, chosen: _Chosen, shift: Tensor | None = None
    ) -> Tensor:
        """Values of the chosen graphs' rows, each plus the shift of its graph.

        Integers are kept in 32 bits, and come in the 64 that torch indexes with.
        """
        if values.device.type == "cpu":
            return self._copy(values, chosen, shift)
        rows, owner = self._rows(chosen)
        taken = values[rows]
        if not values.is_floating_point():
            taken = taken.long()
        return taken if shift is None else taken + shift[owner]

    def _copy(self, values: Tensor, chosen: _Chosen, shift: Tensor | None) -> Tensor:
        ends = np.cumsum(self.host_counts[chosen.host])
        n_rows = int(ends[-1]) if len(ends) else 0
        dtype = values.dtype if values.is_floating_point() else torch.int64
        out = values.new_empty(n_rows, *values.shape[1:], dtype=dtype)
        if values.numel() == 0:
            return out
        if shift is None:
            shift = out.new_empty(0)
        n_lanes = min(count_lanes(n_rows), MOST_COPIERS)
        bounds = split_rows(len(ends), n_lanes)
        first_rows = np.concatenate([[0], ends])[bounds]
        width = values.numel() // len(values)
        flat = values.numpy().reshape(-1)
        arrays = self.starts.numpy(), self.counts.numpy(), chosen.host, width, flat
        shifts, rows = shift.numpy(), out.numpy().reshape(-1)

        def task(c: int) -> None:
            copy_ranges(bounds[c], bounds[c + 1], *arrays, shifts, first_rows[c], rows)

        run_lanes(task, n_lanes)
        return out

    def _rows(self, chosen: _Chosen) -> tuple[Tensor, Tensor]:
        """Rows to gather and the graph (within the batch) that owns each."""
        total = int(self.host_counts[chosen.host].sum())
        counts = self.counts[chosen.graphs]
        owner = torch.repeat_interleave(counts, output_size=total)
        first = counts.cumsum(0) - counts
        shift = self.starts[chosen.graphs] - first
        rows = torch.arange(total, device=counts.device) + shift[owner]
        return rows, owner


def _ptr_of(counts: Tensor) -> Tensor:
    """Offsets (n + 1,) of consecutive slices."""
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0))


class _Features:
    """Pooled features of all rows of all graphs on the device.

    ``kinds`` are the distinct rows, if they are few, and ``kind`` (n_rows,) says which
    of them each row is; both are None if they are many.
    """

    def __init__(
        self, features: PooledFeatures, ptr: np.ndarray, device: torch.device
    ) -> None:
        first, kind = _find_kinds(features)
        self.kinds: FeatureBatch | None = None
        self.kind: Tensor | None = None
        self.n_slots = features.n_slots
        if len(first) <= MOST_KINDS:
            self.kind = send(kind.astype(np.int32), device)
            few = features.take(first)
            arrays = (few.indptr, few.slots.astype(np.int64), few.shares)
            offsets, slots, shares = (send(array, device) for array in arrays)
            bags = Bags(offsets, slots, shares)
            bags = bags._replace(by_row=sort_by_row(bags, self.n_slots))
            self.kinds = FeatureBatch(send(few.numeric, device), bags, self.n_slots)
            return
        self.numeric = send(features.numeric, device)
        self.n_entries = send(np.diff(features.indptr).astype(np.int32), device)
        self.slots = send(features.slots, device)
        self.shares = send(features.shares, device)
        self.entries = _Ranges(features.indptr[ptr], device)

    def gather(self, ranges: _Ranges, chosen: _Chosen) -> FeatureBatch:
        """Kinds, or the features of a batch, whose rows are in the given ranges."""
        if self.kinds is not None:
            return self.kinds
        bags = Bags(
            _ptr_of(ranges.take(self.n_entries, chosen)),
            self.entries.take(self.slots, chosen),
            self.entries.take(self.shares, chosen),
        )
        return FeatureBatch(ranges.take(self.numeric, chosen), bags, self.n_slots)


def _find_kinds(features: PooledFeatures) -> tuple[np.ndarray, np.ndarray]:
    """One row of each kind, and the kind of each row."""
    prints = np.zeros(len(features.numeric), np.uint64)
    for entries in (features.slots, features.shares):
        hash_rows(features.indptr, entries.view(np.uint32).reshape(-1, 1), prints)
    each = np.arange(len(prints) + 1)
    hash_rows(each, features.numeric.view(np.uint32), prints)
    _, first, kind = np.unique(prints, return_index=True, return_inverse=True)
    return first, kind


def _with_sizes(level: Level, input_node_ptr: np.ndarray) -> PooledFeatures:
    """Node features with two more slots: log of the block's size, and 1."""
    x = level.x
    blocks = level.numbered_blocks(input_node_ptr)
    size = np.bincount(blocks, minlength=len(x.numeric))
    slots = np.empty(len(x.slots) + 2 * len(size), x.slots.dtype)
    shares = np.empty(len(slots), x.shares.dtype)
    append_sizes(x.indptr, x.slots, x.shares, size, x.n_slots, slots, shares)
    indptr = x.indptr + 2 * np.arange(len(x.indptr))
    return PooledFeatures(x.numeric, indptr, slots, shares, x.n_slots + 2)


class _DeviceOverlap:
    """Which coarse nodes each fine node takes its states from, of all graphs."""

    def __init__(
        self,
        fine: Level,
        coarse: Level,
        input_node_ptr: np.ndarray,
        device: torch.device,
    ) -> None:
        overlap = overlap_matrix(fine, coarse, input_node_ptr)
        entry_ptr = overlap.indptr[fine.node_ptr].astype(np.int64)
        first_column = np.repeat(coarse.node_ptr[:-1], np.diff(entry_ptr))
        within = overlap.indices - first_column
        sizes = np.repeat(overlap.sum(axis=1), np.diff(overlap.indptr))
        self.entries = _Ranges(entry_ptr, device)
        self.n_shared = send(np.diff(overlap.indptr).astype(np.int32), device)
        self.coarse = send(within.astype(np.int32), device)
        self.shares = send((overlap.data / sizes).astype(np.float32), device)

    def gather(self, fine_nodes: _Ranges, coarse_ptr: Tensor, chosen: _Chosen) -> Bags:
        """Coarse nodes of the batch's fine nodes."""
        return Bags(
            _ptr_of(fine_nodes.take(self.n_shared, chosen)),
            self.entries.take(self.coarse, chosen, coarse_ptr[:-1]),
            self.entries.take(self.shares, chosen),
        )


class _DeviceLevel:
    """One level of all graphs on the device."""

    def __init__(
        self, level: Level, input_node_ptr: np.ndarray, device: torch.device
    ) -> None:
        self.nodes = _Ranges(level.node_ptr, device)
        self.edges = _Ranges(level.edge_ptr, device)
        self.edge_attr = _Features(level.edge_attr, level.edge_ptr, device)
        self._send_arcs(level, device)
        x = _with_sizes(level, input_node_ptr)
        self.x = _Features(x, level.node_ptr, device)

    def _send_arcs(self, level: Level, device: torch.device) -> None:
        """Both arcs of each edge; what is needed on the way is freed at the end."""
        arcs = arcs_from_edges(level.node_ptr, level.edge_ptr, level.edges)
        arc_ptr = 2 * level.edge_ptr
        first_edge = np.repeat(level.edge_ptr[:-1], np.diff(arc_ptr))
        edge_of_arc = arcs.edge_of_arc + first_edge
        self.arcs = _Ranges(arc_ptr, device)
        self.n_arcs = send(np.diff(arcs.indptr).astype(np.int32), device)
        self.neighbour = send(arcs.indices, device)
        self.weight = send(level.edge_weight[edge_of_arc], device)
        if self.edge_attr.kind is None:
            self.edge_row = send(arcs.edge_of_arc, device)
        else:
            self.edge_row = self.edge_attr.kind[send(edge_of_arc, device)]

    def gather(
        self,
        chosen: _Chosen,
        overlap: _DeviceOverlap | None,
        coarse_ptr: Tensor | None,
    ) -> LevelBatch:
        """The level of some graphs; the overlap leads to the next coarser level."""
        node_ptr = _ptr_of(self.nodes.counts[chosen.graphs])
        edge_shift, node_kind = None, None
        if self.edge_attr.kind is None:
            edge_shift = _ptr_of(self.edges.counts[chosen.graphs])[:-1]
        if self.x.kind is not None:
            kind = self.nodes.take(self.x.kind, chosen)
            each = torch.arange(len(kind) + 1, device=kind.device)
            node_kind = Bags(each, kind, torch.ones(len(kind), device=kind.device))
        to_coarser = None
        if overlap is not None and coarse_ptr is not None:
            to_coarser = overlap.gather(self.nodes, coarse_ptr, chosen)
        return LevelBatch(
            node_ptr,
            self.x.gather(self.nodes, chosen),
            node_kind,
            self.edge_attr.gather(self.edges, chosen),
            self.edge_attr.kinds is not None,
            Arcs(
                _ptr_of(self.nodes.take(self.n_arcs, chosen)),
                self.arcs.take(self.neighbour, chosen, node_ptr[:-1]),
                self.arcs.take(self.edge_row, chosen, edge_shift),
                self.arcs.take(self.weight, chosen),
            ),
            to_coarser,
        )


def _move(value: Any, device: torch.device) -> Any:
    """Nested named tuples with their tensors on a device, sent without waiting."""
    if isinstance(value, Tensor):
        return value.pin_memory().to(device, non_blocking=True)
    if isinstance(value, tuple):
        return type(value)(*(_move(item, device) for item in value))
    return value


def find_home(hierarchies: HierarchyCollection, device: torch.device) -> torch.device:
    """Where all graphs stay: the device, or the host if they would fill its memory."""
    if device.type != "cuda":
        return device
    levels = {id(level): level for forest in hierarchies.forests for level in forest}
    n_rows = sum(
        len(level.block)
        + len(level.x.slots)
        + len(level.x.numeric)
        # Both arcs of an edge.
        + 2 * len(level.edges)
        + len(level.edge_attr.slots)
        for level in levels.values()
    )
    free, _ = torch.cuda.mem_get_info(device)
    fits = n_rows * BYTES_PER_ROW < MOST_MEMORY * free
    return device if fits else torch.device("cpu")


class DeviceHierarchies:
    """All levels of all graphs, and the batches drawn from them on a device.

    Parameters
    ----------
    hierarchies : HierarchyCollection
    device : torch.device
    home : torch.device or None, default=None
        Where graphs are kept; None for :func:`find_home`. From a host, batches are
        gathered there and streamed to the device from pinned memory.
    """

    def __init__(
        self,
        hierarchies: HierarchyCollection,
        device: torch.device,
        home: torch.device | None = None,
    ) -> None:
        self.device = device
        self.home = find_home(hierarchies, device) if home is None else home
        self.n_graphs = len(hierarchies)
        self.n_forests = hierarchies.n_forests
        # Levels that forests share are sent once.
        sent: dict[int, _DeviceLevel] = {}
        self._forests: list[list[_DeviceLevel]] = []
        self._overlaps: list[list[_DeviceOverlap]] = []
        for levels in hierarchies.forests:
            for level in levels:
                if id(level) not in sent:
                    sent[id(level)] = _DeviceLevel(
                        level, hierarchies.node_ptr, self.home
                    )
            self._forests.append([sent[id(level)] for level in levels])
            self._overlaps.append(
                [
                    _DeviceOverlap(fine, coarse, hierarchies.node_ptr, self.home)
                    for fine, coarse in pairwise(levels)
                ]
            )

    def counts(self, forest: int) -> list[dict[str, np.ndarray]]:
        """Rows of each kind that each graph has on each level, from fine to coarse.

        Entries of features are counted where they are not shared by kinds; ``overlap``
        and ``coarse``, the next coarser level's nodes, below the coarsest level.
        """
        levels, overlaps = self._forests[forest], self._overlaps[forest]
        counts = []
        for depth, level in enumerate(levels):
            found = {
                "graphs": np.ones(self.n_graphs, np.int64),
                "nodes": level.nodes.host_counts,
                "edges": level.edges.host_counts,
                "arcs": level.arcs.host_counts,
            }
            for unit in ("x", "edge_attr"):
                features: _Features = getattr(level, unit)
                if features.kinds is None:
                    found[unit] = features.entries.host_counts
            if depth < len(overlaps):
                found["overlap"] = overlaps[depth].entries.host_counts
                found["coarse"] = levels[depth + 1].nodes.host_counts
            counts.append(found)
        return counts

    def rows_per_graph(self, forest: int) -> np.ndarray:
        """Nodes and edges of all levels of each graph."""
        levels = self._forests[forest]
        sizes = [level.nodes.host_counts + level.edges.host_counts for level in levels]
        return np.sum(sizes, axis=0)

    def batch(self, graphs: np.ndarray, forest: int = 0) -> Sequence[LevelBatch]:
        """Levels, from fine to coarse, of the given graphs in the given order."""
        chosen = _Chosen(torch.from_numpy(graphs).to(self.home), graphs)
        batches: list[LevelBatch] = []
        coarse_ptr = None
        overlaps = [*self._overlaps[forest], None]
        for level, overlap in zip(
            reversed(self._forests[forest]), reversed(overlaps), strict=True
        ):
            batches.append(level.gather(chosen, overlap, coarse_ptr))
            coarse_ptr = batches[-1].node_ptr
        if self.home != self.device:
            batches = [_move(level, self.device) for level in batches]
        return batches[::-1]
