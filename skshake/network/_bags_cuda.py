"""Weighted sums of rows of a table on a GPU, and how kernels are launched for them.

In: CSR bags and a table. Out: one row per bag, without atomics.
"""

from __future__ import annotations

from torch import Tensor

from skshake.network import _triton

# Entries of one bag (arcs of one edge state) that one program sums.
MOST_ENTRIES, MOST_SPLITS = 64, 64


def ceil_power(number: float) -> int:
    """Smallest power of two that is at least the number."""
    return 1 << max(0, int(-(-number // 1)) - 1).bit_length()


def count_splits(n_entries: int, n_bags: int) -> int:
    """Programs that share a bag: many where bags are few and long."""
    splits = ceil_power(8 * n_entries / max(n_bags, 1) / MOST_ENTRIES)
    return min(splits, MOST_SPLITS) if n_entries > 8 * n_bags else 1


def sum_bags(offsets: Tensor, rows: Tensor, values: Tensor, table: Tensor) -> Tensor:
    """Weighted sum of rows of a table for each bag, float32 (n_bags, width)."""
    n_bags, width = len(offsets) - 1, table.shape[1]
    splits = count_splits(len(rows), n_bags)
    out = table.new_empty(splits, n_bags, width)
    if out.numel():
        entries = min(16, ceil_power(len(rows) / n_bags))
        _triton.sum_bags[(n_bags, splits)](
            offsets,
            rows,
            values,
            table,
            out,
            n_bags,
            width,
            SPLITS=splits,
            ENTRIES=entries,
            WIDTH=ceil_power(width),
            num_warps=count_warps(entries * width),
        )
    return out[0] if splits == 1 else out.sum(dim=0)


def count_warps(n_values: int) -> int:
    """Warps of a program that holds so many values at once."""
    return 1 if n_values <= 1_024 else 4
