"""Hierarchies as flat tensors on a device, and batches gathered from them.

In: a HierarchyCollection. Out: for any set of graphs, a batch made by index arithmetic
alone: every array is contiguous per graph, so a batch is a gather of ranges, and
numbers that point into other arrays are shifted by where their graph now begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from skshake.graphs import arcs_from_edges
from skshake.hierarchy import HierarchyCollection, Level, overlap_matrix
from skshake.network._csr import CSR, BatchArcs
from skshake.network.batches._features import DeviceFeatures
from skshake.network.batches._ranges import Chosen, Ranges
from skshake.network.batches._records import LevelBatch, ptr_of, send
from skshake.network.batches._weights import weigh_messages

# Bytes of a row (of nodes, arcs, entries) in all arrays together, and the fraction of a
# device's free memory that graphs may fill.
BYTES_PER_ROW, MOST_MEMORY = 32, 0.4


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
        # Coarse nodes are numbered within their graph; a batch adds where it begins.
        self.entries = Ranges(entry_ptr, device)
        self.n_shared = send(np.diff(overlap.indptr).astype(np.int32), device)
        self.coarse = send(within.astype(np.int32), device)
        self.shares = send((overlap.data / sizes).astype(np.float32), device)

    def gather(self, fine_nodes: Ranges, coarse_ptr: Tensor, chosen: Chosen) -> CSR:
        """Coarse nodes of the batch's fine nodes."""
        return CSR(
            ptr_of(fine_nodes.take(self.n_shared, chosen)),
            self.entries.take(self.coarse, chosen, coarse_ptr[:-1]),
            self.entries.take(self.shares, chosen),
        )


class _DeviceLevel:
    """One level of all graphs on the device."""

    def __init__(
        self, level: Level, input_node_ptr: np.ndarray, device: torch.device
    ) -> None:
        self.nodes = Ranges(level.node_ptr, device)
        self.edges = Ranges(level.edge_ptr, device)
        self.edge_attr = DeviceFeatures(level.edge_attr, level.edge_ptr, device)
        sizes = level.block_sizes(input_node_ptr)
        self._send_arcs(level, sizes, device)
        self.x = DeviceFeatures(level.x, level.node_ptr, device, sizes)

    def _send_arcs(self, level: Level, sizes: np.ndarray, device: torch.device) -> None:
        """Both arcs of each edge; what is needed on the way is freed at the end."""
        arcs = arcs_from_edges(level.node_ptr, level.edge_ptr, level.edges)
        arc_ptr = 2 * level.edge_ptr
        first_edge = np.repeat(level.edge_ptr[:-1], np.diff(arc_ptr))
        edge_of_arc = arcs.edge_of_arc + first_edge
        self.arcs = Ranges(arc_ptr, device)
        self.n_arcs = send(np.diff(arcs.indptr).astype(np.int32), device)
        self.col = send(arcs.indices, device)
        weights = weigh_messages(level, sizes)
        self.weight = send(weights[edge_of_arc], device)
        if self.edge_attr.unique_row is None:
            self.edge_row = send(arcs.edge_of_arc, device)
        else:
            self.edge_row = self.edge_attr.unique_row[send(edge_of_arc, device)]

    def gather(
        self,
        chosen: Chosen,
        overlap: _DeviceOverlap | None,
        coarse_ptr: Tensor | None,
    ) -> LevelBatch:
        """The level of some graphs; the overlap leads to the next coarser level."""
        node_ptr = ptr_of(self.nodes.counts[chosen.graphs])
        edge_shift, row_of_node = None, None
        if self.edge_attr.unique_row is None:
            edge_shift = ptr_of(self.edges.counts[chosen.graphs])[:-1]
        if self.x.unique_row is not None:
            row = self.nodes.take(self.x.unique_row, chosen)
            each = torch.arange(len(row) + 1, device=row.device)
            row_of_node = CSR(each, row, torch.ones(len(row), device=row.device))
        from_coarser = None
        if overlap is not None and coarse_ptr is not None:
            from_coarser = overlap.gather(self.nodes, coarse_ptr, chosen)
        return LevelBatch(
            node_ptr=node_ptr,
            x=self.x.gather(self.nodes, chosen),
            row_of_node=row_of_node,
            edge_attr=self.edge_attr.gather(self.edges, chosen),
            shares_edges=self.edge_attr.unique is not None,
            arcs=BatchArcs(
                rowptr=ptr_of(self.nodes.take(self.n_arcs, chosen)),
                col=self.arcs.take(self.col, chosen, node_ptr[:-1]),
                edge=self.arcs.take(self.edge_row, chosen, edge_shift),
                weight=self.arcs.take(self.weight, chosen),
            ),
            from_coarser=from_coarser,
        )


def _move(value: Any, device: torch.device) -> Any:
    """Nested named tuples with their tensors on a device, sent without waiting."""
    if isinstance(value, Tensor):
        return value.pin_memory().to(device, non_blocking=True)
    if isinstance(value, tuple):
        return type(value)(*(_move(item, device) for item in value))
    return value


def find_home(
    hierarchies: HierarchyCollection, device: torch.device, free: int | None
) -> torch.device:
    """Where all graphs stay: the device, or the host if they would fill its memory.

    ``free`` are bytes; None where the device's memory is the host's.
    """
    if free is None:
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
    fits = n_rows * BYTES_PER_ROW < MOST_MEMORY * free
    return device if fits else torch.device("cpu")


class DeviceHierarchies:
    """All levels of all graphs, and the batches drawn from them on a device.

    Parameters
    ----------
    hierarchies : HierarchyCollection
    device : torch.device
    home : torch.device or None, default=None
        Where graphs are kept; None for the device. From the host, batches are gathered
        there and streamed to the device from pinned memory.
    """

    def __init__(
        self,
        hierarchies: HierarchyCollection,
        device: torch.device,
        home: torch.device | None = None,
    ) -> None:
        self.device = device
        self.home = device if home is None else home
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
        """Rows of each unit that each graph has on each level, from fine to coarse.

        Entries of features are counted where unique rows are not shared; ``overlap``
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
                features: DeviceFeatures = getattr(level, unit)
                if features.unique is None:
                    found[unit] = features.entry_counts
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
        # From coarse to fine: a level needs to know where coarse graphs begin.
        chosen = Chosen(torch.from_numpy(graphs).to(self.home), graphs)
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
