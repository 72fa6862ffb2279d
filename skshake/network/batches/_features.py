"""Pooled features of all graphs on a device, each unique row once where they are few.

In: features of a level, and for those of nodes the sizes of blocks. Out: those of a
batch, in which two more slots tell a block's size.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from skshake._jit import kernel
from skshake._splitmix import hash_rows
from skshake.hierarchy import PooledFeatures
from skshake.network._csr import CSR, as_numpy, transpose
from skshake.network._plan import SIZE_SLOTS
from skshake.network._threads import count_lanes, run_tasks, split_rows
from skshake.network.batches._ranges import MOST_COPIERS, Chosen, Ranges
from skshake.network.batches._records import FeatureBatch, ptr_of, send

# So few unique rows are encoded once each; more, once per node (edge) of a batch.
MOST_UNIQUE = 1_024
# So many rows are looked at first: if too many of them are unique, others need not be.
FIRST_ROWS = 8 * MOST_UNIQUE


class DeviceFeatures:
    """Pooled features of all rows of all graphs on the device.

    Parameters
    ----------
    features : PooledFeatures
    ptr : int64 array of shape (n_graphs + 1,)
        Rows of each graph.
    device : torch.device
    sizes : int64 array of shape (n_rows,) or None, default=None
        Input nodes of each block, which batches get as two more slots. On the host the
        slots are added batch by batch: to add them to all graphs would copy entries
        that share memory with the hierarchies, unless these are read-only.

    Attributes
    ----------
    unique : FeatureBatch or None
        Unique rows, if they are few; ``unique_row`` (n_rows,) then says which of them
        each row is.
    entry_counts : int64 array of shape (n_graphs,)
        Entries that batches get of each graph, where there are no unique rows.
    """

    def __init__(
        self,
        features: PooledFeatures,
        ptr: np.ndarray,
        device: torch.device,
        sizes: np.ndarray | None = None,
    ) -> None:
        self.unique: FeatureBatch | None = None
        self.unique_row: Tensor | None = None
        self.sizes: Tensor | None = None
        n_rows = len(features.numeric)
        rows = _first_rows(features, sizes, min(FIRST_ROWS, n_rows))
        self.n_slots = rows.n_slots
        first, unique_row = _find_unique(rows)
        if len(first) <= MOST_UNIQUE and n_rows > FIRST_ROWS:
            rows = _first_rows(features, sizes, n_rows)
            first, unique_row = _find_unique(rows)
        if len(first) <= MOST_UNIQUE:
            self.unique_row = send(unique_row.astype(np.int32), device)
            self.unique = _send_unique(rows.take(first), device)
            return
        # Before all rows are copied again.
        del rows
        self._send_rows(features, ptr, device, sizes)

    def _send_rows(
        self,
        features: PooledFeatures,
        ptr: np.ndarray,
        device: torch.device,
        sizes: np.ndarray | None,
    ) -> None:
        n_joined = 0
        if sizes is not None and device.type == "cpu":
            self.sizes = send(sizes.astype(np.int32), device)
            n_joined = SIZE_SLOTS
        elif sizes is not None:
            features = with_sizes(features, sizes)
        self.numeric = send(features.numeric, device)
        self.n_entries = send(np.diff(features.indptr).astype(np.int32), device)
        self.slots = send(features.slots, device)
        self.shares = send(features.shares, device)
        self.entries = Ranges(features.indptr[ptr], device)
        self.entry_counts = self.entries.host_counts + n_joined * np.diff(ptr)

    def gather(self, ranges: Ranges, chosen: Chosen) -> FeatureBatch:
        """Unique rows, or those of a batch, which are in the given ranges."""
        if self.unique is not None:
            return self.unique
        slots = CSR(
            ptr_of(ranges.take(self.n_entries, chosen)),
            self.entries.take(self.slots, chosen),
            self.entries.take(self.shares, chosen),
        )
        if self.sizes is not None:
            sizes = ranges.take(self.sizes, chosen)
            slots = _join_sizes(slots, sizes.numpy(), self.n_slots - SIZE_SLOTS)
        return FeatureBatch(ranges.take(self.numeric, chosen), slots, self.n_slots)


def _send_unique(features: PooledFeatures, device: torch.device) -> FeatureBatch:
    """Unique rows as they are in every batch."""
    slots = CSR(
        send(features.indptr, device),
        send(features.slots.astype(np.int64), device),
        send(features.shares, device),
    )
    slots = slots._replace(transpose=transpose(slots, features.n_slots))
    return FeatureBatch(send(features.numeric, device), slots, features.n_slots)


def _find_unique(features: PooledFeatures) -> tuple[np.ndarray, np.ndarray]:
    """The place of each unique row, and the unique row that each row is.

    Rows are told apart by hashes of 64 bits alone: among a million different ones two
    agree with probability 3e-8.
    """
    indptr, numeric = features.indptr, features.numeric
    prints = np.zeros(len(numeric), np.uint64)
    for entries in (features.slots, features.shares):
        hash_rows(indptr, entries.view(np.uint32).reshape(-1, 1), prints)
    hash_rows(np.arange(len(indptr)), numeric.view(np.uint32), prints)
    _, first, unique_row = np.unique(prints, return_index=True, return_inverse=True)
    return first, unique_row


def _first_rows(
    features: PooledFeatures, sizes: np.ndarray | None, n_rows: int
) -> PooledFeatures:
    """The first rows; with ``sizes``, two more slots tell the size of each block."""
    rows = features.rows(0, n_rows)
    return rows if sizes is None else with_sizes(rows, sizes[:n_rows])


def with_sizes(features: PooledFeatures, sizes: np.ndarray) -> PooledFeatures:
    """Node features with ``SIZE_SLOTS`` more slots, which tell a block's size."""
    slots = np.empty(
        len(features.slots) + SIZE_SLOTS * len(sizes), features.slots.dtype
    )
    shares = np.empty(len(slots), features.shares.dtype)
    indptr, n_slots = features.indptr, features.n_slots
    append_sizes(indptr, features.slots, features.shares, sizes, n_slots, slots, shares)
    indptr = indptr + SIZE_SLOTS * np.arange(len(indptr))
    return PooledFeatures(features.numeric, indptr, slots, shares, n_slots + SIZE_SLOTS)


def _join_sizes(entries: CSR, sizes: np.ndarray, n_slots: int) -> CSR:
    """Entries of a batch on the host with those of the sizes of its blocks."""
    rowptr, slots, shares, _ = as_numpy(entries)
    n_rows = len(sizes)
    rowptr_after = rowptr + SIZE_SLOTS * np.arange(n_rows + 1)
    slots_after = np.empty(rowptr_after[-1], slots.dtype)
    shares_after = np.empty(rowptr_after[-1], shares.dtype)
    n_lanes = min(count_lanes(n_rows), MOST_COPIERS)
    bounds = split_rows(n_rows, n_lanes)

    def task(lane: int) -> None:
        first, last = bounds[lane], bounds[lane + 1]
        rows = slice(rowptr_after[first], rowptr_after[last])
        append_sizes(
            rowptr[first : last + 1],
            slots,
            shares,
            sizes[first:last],
            n_slots,
            slots_after[rows],
            shares_after[rows],
        )

    run_tasks(task, n_lanes)
    return CSR(
        torch.from_numpy(rowptr_after),
        torch.from_numpy(slots_after),
        torch.from_numpy(shares_after),
    )


@kernel
def append_sizes(indptr, slots, shares, sizes, n_slots, out_slots, out_shares):
    """Append two entries to each row: the logarithm of a size, and 1.

    Parameters
    ----------
    indptr, slots, shares : arrays (n_rows + 1,), (n_entries,), (n_entries,)  # IN
    sizes : int64 array (n_rows,)  # IN
    n_slots : int, slot of the first; that of the second follows  # IN
    out_slots, out_shares : arrays (n_entries + 2 n_rows,)  # OUT
    """
    at = 0
    for i in range(len(sizes)):
        for k in range(indptr[i], indptr[i + 1]):
            out_slots[at], out_shares[at] = slots[k], shares[k]
            at += 1
        out_slots[at], out_shares[at] = n_slots, np.log(sizes[i])
        out_slots[at + 1], out_shares[at + 1] = n_slots + 1, 1.0
        at += 2
