"""Hierarchies as flat tensors on a device, and batches gathered from them.

In: a HierarchyCollection. Out: for any set of graphs, a batch made by index arithmetic
alone: every array is contiguous per graph, so a batch is a gather of ranges, and
numbers that point into other arrays are shifted by where their graph now begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake.graphs import arcs_from_edges
from skshake.hierarchy import HierarchyCollection, Level, PooledFeatures, overlap_matrix
from skshake.network._message import Arcs


class FeatureBatch(NamedTuple):
    """Pooled features of a batch: numbers, and slots with shares in CSR order."""

    numeric: Tensor
    offsets: Tensor
    slots: Tensor
    shares: Tensor


class SparseRows(NamedTuple):
    """Rows of a sparse matrix of a batch, in CSR order."""

    offsets: Tensor
    columns: Tensor
    values: Tensor


class LevelBatch(NamedTuple):
    """One level of a batch of graphs.

    ``node_ptr`` (n_graphs + 1,) delimits graphs; ``size`` (n_nodes,) counts the input
    nodes of each block; ``to_coarser`` sends states of the next coarser level down (its
    rows sum to 1) and is None at the coarsest.
    """

    node_ptr: Tensor
    size: Tensor
    x: FeatureBatch
    edge_attr: FeatureBatch
    arcs: Arcs
    to_coarser: SparseRows | None


def send(values: np.ndarray, device: torch.device) -> Tensor:
    """Tensor of an array; torch does not share memory that is read-only."""
    values = np.require(values, requirements=["C", "W"])
    return torch.from_numpy(values).to(device)


class _Ranges:
    """Ranges of rows, one per graph, that a batch gathers."""

    def __init__(self, ptr: np.ndarray, device: torch.device) -> None:
        self.starts = send(ptr[:-1].copy(), device)
        self.counts = send(np.diff(ptr), device)
        # Kept on the host too: the size of a batch is known without asking the device.
        self.host_counts = np.diff(ptr)

    def rows(self, graphs: Tensor, host_graphs: np.ndarray) -> tuple[Tensor, Tensor]:
        """Rows to gather and the graph (within the batch) that owns each."""
        total = int(self.host_counts[host_graphs].sum())
        counts = self.counts[graphs]
        owner = torch.repeat_interleave(counts, output_size=total)
        first = counts.cumsum(0) - counts
        shift = self.starts[graphs] - first
        rows = torch.arange(total, device=graphs.device) + shift[owner]
        return rows, owner


def _ptr_of(counts: Tensor) -> Tensor:
    """Offsets (n + 1,) of consecutive slices."""
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0))


class _Features:
    """Pooled features of all graphs on the device."""

    def __init__(
        self, features: PooledFeatures, ptr: np.ndarray, device: torch.device
    ) -> None:
        self.numeric = send(features.numeric, device)
        self.n_entries = send(np.diff(features.indptr), device)
        self.slots = send(features.slots, device)
        self.shares = send(features.shares, device)
        self.entries = _Ranges(features.indptr[ptr], device)

    def gather(
        self, rows: Tensor, graphs: Tensor, host_graphs: np.ndarray
    ) -> FeatureBatch:
        entries, _ = self.entries.rows(graphs, host_graphs)
        return FeatureBatch(
            self.numeric[rows],
            _ptr_of(self.n_entries[rows]),
            self.slots[entries],
            self.shares[entries],
        )


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
        sizes = np.repeat(overlap.sum(axis=1), np.diff(overlap.indptr))
        self.entries = _Ranges(entry_ptr, device)
        self.n_shared = send(np.diff(overlap.indptr).astype(np.int64), device)
        self.coarse = send(overlap.indices.astype(np.int64) - first_column, device)
        self.shares = send((overlap.data / sizes).astype(np.float32), device)

    def gather(
        self,
        fine_nodes: Tensor,
        coarse_ptr: Tensor,
        graphs: Tensor,
        host_graphs: np.ndarray,
    ) -> SparseRows:
        """Rows of the batch's fine nodes."""
        entries, owner = self.entries.rows(graphs, host_graphs)
        return SparseRows(
            _ptr_of(self.n_shared[fine_nodes]),
            self.coarse[entries] + coarse_ptr[owner],
            self.shares[entries],
        )


class _DeviceLevel:
    """One level of all graphs on the device."""

    def __init__(
        self, level: Level, input_node_ptr: np.ndarray, device: torch.device
    ) -> None:
        arcs = arcs_from_edges(level.node_ptr, level.edge_ptr, level.edges)
        self.nodes = _Ranges(level.node_ptr, device)
        self.edges = _Ranges(level.edge_ptr, device)
        self.arcs = _Ranges(2 * level.edge_ptr, device)
        self.n_arcs = send(np.diff(arcs.indptr), device)
        self.neighbour = send(arcs.indices.astype(np.int64), device)
        self.edge_of_arc = send(arcs.edge_of_arc.astype(np.int64), device)
        self.weight = send(level.edge_weight, device)
        self.x = _Features(level.x, level.node_ptr, device)
        self.edge_attr = _Features(level.edge_attr, level.edge_ptr, device)
        self.size = send(_block_sizes(level, input_node_ptr), device)

    def gather(
        self,
        graphs: Tensor,
        host_graphs: np.ndarray,
        overlap: _DeviceOverlap | None,
        coarse_ptr: Tensor | None,
    ) -> LevelBatch:
        """The level of some graphs; the overlap leads to the next coarser level."""
        nodes, _ = self.nodes.rows(graphs, host_graphs)
        edges, _ = self.edges.rows(graphs, host_graphs)
        arcs, arc_owner = self.arcs.rows(graphs, host_graphs)
        node_ptr = _ptr_of(self.nodes.counts[graphs])
        edge_ptr = _ptr_of(self.edges.counts[graphs])
        to_coarser = None
        if overlap is not None and coarse_ptr is not None:
            to_coarser = overlap.gather(nodes, coarse_ptr, graphs, host_graphs)
        return LevelBatch(
            node_ptr,
            self.size[nodes],
            self.x.gather(nodes, graphs, host_graphs),
            self.edge_attr.gather(edges, graphs, host_graphs),
            Arcs(
                _ptr_of(self.n_arcs[nodes]),
                self.neighbour[arcs] + node_ptr[arc_owner],
                self.edge_of_arc[arcs] + edge_ptr[arc_owner],
                self.weight[edges],
            ),
            to_coarser,
        )


def _block_sizes(level: Level, input_node_ptr: np.ndarray) -> np.ndarray:
    """Number of input nodes of each block, float32."""
    blocks = level.numbered_blocks(input_node_ptr)
    return np.bincount(blocks, minlength=int(level.node_ptr[-1])).astype(np.float32)


class DeviceHierarchies:
    """All levels of all graphs on a device, and the batches drawn from them.

    Parameters
    ----------
    hierarchies : HierarchyCollection
    device : torch.device
    """

    def __init__(self, hierarchies: HierarchyCollection, device: torch.device) -> None:
        self.device = device
        self.n_graphs = len(hierarchies)
        self.n_forests = hierarchies.n_forests
        # Levels that forests share are sent once.
        sent: dict[int, _DeviceLevel] = {}
        self._forests: list[list[_DeviceLevel]] = []
        self._overlaps: list[list[_DeviceOverlap]] = []
        for levels in hierarchies.forests:
            for level in levels:
                if id(level) not in sent:
                    sent[id(level)] = _DeviceLevel(level, hierarchies.node_ptr, device)
            self._forests.append([sent[id(level)] for level in levels])
            self._overlaps.append(
                [
                    _DeviceOverlap(fine, coarse, hierarchies.node_ptr, device)
                    for fine, coarse in pairwise(levels)
                ]
            )

    def rows_per_graph(self, forest: int) -> np.ndarray:
        """Nodes and edges of all levels of each graph."""
        levels = self._forests[forest]
        sizes = [level.nodes.host_counts + level.edges.host_counts for level in levels]
        return np.sum(sizes, axis=0)

    def batch(self, graphs: np.ndarray, forest: int = 0) -> Sequence[LevelBatch]:
        """Levels, from fine to coarse, of the given graphs in the given order."""
        on_device = torch.from_numpy(graphs).to(self.device)
        batches: list[LevelBatch] = []
        coarse_ptr = None
        overlaps = [*self._overlaps[forest], None]
        for level, overlap in zip(
            reversed(self._forests[forest]), reversed(overlaps), strict=True
        ):
            batches.append(level.gather(on_device, graphs, overlap, coarse_ptr))
            coarse_ptr = batches[-1].node_ptr
        return batches[::-1]
