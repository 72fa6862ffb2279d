"""Pooled features of all graphs on a device, each unique row once where they are few.

In: features of a level. Out: those of a batch.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from skshake._jit import kernel
from skshake._splitmix import hash_rows
from skshake.hierarchy import Level, PooledFeatures
from skshake.network._csr import CSR, transpose
from skshake.network._plan import SIZE_SLOTS
from skshake.network.batches._ranges import Chosen, Ranges
from skshake.network.batches._records import FeatureBatch, ptr_of, send

# So few unique rows are encoded once each; more, once per node (edge) of a batch.
MOST_UNIQUE = 1_024
# So many rows are looked at first: if too many of them are unique, others need not be.
FIRST_ROWS = 8 * MOST_UNIQUE


class DeviceFeatures:
    """Pooled features of all rows of all graphs on the device.

    ``unique`` are the unique rows, if they are few, and ``unique_row`` (n_rows,) says
    which of them each row is; both are None if they are many.
    """

    def __init__(
        self, features: PooledFeatures, ptr: np.ndarray, device: torch.device
    ) -> None:
        self.unique: FeatureBatch | None = None
        self.unique_row: Tensor | None = None
        self.n_slots = features.n_slots
        n_rows = len(features.numeric)
        first, unique_row = _find_unique(features, min(FIRST_ROWS, n_rows))
        if len(first) <= MOST_UNIQUE and n_rows > FIRST_ROWS:
            first, unique_row = _find_unique(features, n_rows)
        if len(first) <= MOST_UNIQUE:
            self.unique_row = send(unique_row.astype(np.int32), device)
            self.unique = _send_unique(features.take(first), device)
        else:
            self._send_rows(features, ptr, device)

    def _send_rows(
        self, features: PooledFeatures, ptr: np.ndarray, device: torch.device
    ) -> None:
        self.numeric = send(features.numeric, device)
        self.n_entries = send(np.diff(features.indptr).astype(np.int32), device)
        self.slots = send(features.slots, device)
        self.shares = send(features.shares, device)
        self.entries = Ranges(features.indptr[ptr], device)

    def gather(self, ranges: Ranges, chosen: Chosen) -> FeatureBatch:
        """Unique rows, or those of a batch, which are in the given ranges."""
        if self.unique is not None:
            return self.unique
        slots = CSR(
            ptr_of(ranges.take(self.n_entries, chosen)),
            self.entries.take(self.slots, chosen),
            self.entries.take(self.shares, chosen),
        )
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


def _find_unique(
    features: PooledFeatures, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """The place of each unique row, and the unique row that each of the first rows is.

    Rows are told apart by hashes of 64 bits alone: among a million different ones two
    agree with probability 3e-8.
    """
    prints = np.zeros(n_rows, np.uint64)
    indptr, numeric = features.indptr[: n_rows + 1], features.numeric[:n_rows]
    for entries in (features.slots, features.shares):
        hash_rows(indptr, entries.view(np.uint32).reshape(-1, 1), prints)
    hash_rows(np.arange(n_rows + 1), numeric.view(np.uint32), prints)
    _, first, unique_row = np.unique(prints, return_index=True, return_inverse=True)
    return first, unique_row


def with_sizes(level: Level, sizes: np.ndarray) -> PooledFeatures:
    """Node features with ``SIZE_SLOTS`` more slots, which tell a block's size."""
    x = level.x
    slots = np.empty(len(x.slots) + SIZE_SLOTS * len(sizes), x.slots.dtype)
    shares = np.empty(len(slots), x.shares.dtype)
    append_sizes(x.indptr, x.slots, x.shares, sizes, x.n_slots, slots, shares)
    indptr = x.indptr + SIZE_SLOTS * np.arange(len(x.indptr))
    return PooledFeatures(x.numeric, indptr, slots, shares, x.n_slots + SIZE_SLOTS)


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
