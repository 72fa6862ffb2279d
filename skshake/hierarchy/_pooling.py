"""Pooled features: one row for each block, or for each coarse edge.

In: features of input nodes (edges) and the segment of each row: the block of a node, or
the coarse edge of an edge. Out: numbers and category frequencies of each segment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake.graphs import FLOAT, Features
from skshake.hierarchy._aggregation import Aggregation, divisors_of
from skshake.hierarchy._contraction import INSIDE
from skshake.hierarchy._level import PooledFeatures
from skshake.hierarchy._sorting import sort_first


class Segments(NamedTuple):
    """Which rows become one.

    ``ptr`` int64 (n_segments + 1,), offsets into ``rows`` int64, which holds the rows
    of one segment after those of another, in order; ``divisors`` float64 (n_segments,),
    of their sums.
    """

    ptr: np.ndarray
    rows: np.ndarray
    divisors: np.ndarray


class SlotRows(NamedTuple):
    """CSR rows of category slots that pooling writes, filled as far as ``indptr[-1]``.

    ``indptr`` int64 (n_segments + 1,); ``slots`` int32 (n_rows * n_columns,), sorted in
    each row; ``shares`` float32 (n_rows * n_columns,).
    """

    indptr: np.ndarray
    slots: np.ndarray
    shares: np.ndarray


@kernel
def sort_rows(of_row, ptr, rows):
    """Rows by their segment, by counting.

    Parameters
    ----------
    of_row : int64 array of shape (n_rows,)  # IN, INSIDE drops the row
    ptr : int64 array of shape (n_segments + 1,)  # OUT, offsets into ``rows``
    rows : int64 array of shape (n_rows,)  # OUT, filled as far as ``ptr[-1]``
    """
    ptr[:] = 0
    for row in range(len(of_row)):
        if of_row[row] != INSIDE:
            ptr[of_row[row] + 1] += 1
    for s in range(len(ptr) - 1):
        ptr[s + 1] += ptr[s]
    # Each segment is filled from its start; afterwards ptr has moved one segment on.
    for row in range(len(of_row)):
        s = of_row[row]
        if s != INSIDE:
            rows[ptr[s]] = row
            ptr[s] += 1
    for s in range(len(ptr) - 1, 0, -1):
        ptr[s] = ptr[s - 1]
    ptr[0] = 0


@kernel
def pool_numbers(values, segments, pooled):
    """Sum the rows of each segment and divide, in double precision.

    Parameters
    ----------
    values : float32 array of shape (n_rows, n_columns)  # IN
    segments : Segments  # IN
    pooled : float32 array of shape (n_segments, n_columns)  # OUT
    """
    ptr, rows, divisors = segments
    n_columns = values.shape[1]
    total = np.empty(n_columns)
    for s in range(len(divisors)):
        begin, end, divisor = ptr[s], ptr[s + 1], divisors[s]
        if end - begin == 1:
            # Most have one row and need no sum. The zero turns -0 into 0, as sums do.
            row = rows[begin]
            for c in range(n_columns):
                pooled[s, c] = (0.0 + values[row, c]) / divisor
            continue
        total[:] = 0.0
        for k in range(begin, end):
            row = rows[k]
            for c in range(n_columns):
                total[c] += values[row, c]
        for c in range(n_columns):
            pooled[s, c] = total[c] / divisor


@kernel
def pool_categories(slots_of_rows, segments, pooled):
    """Count the category slots in each segment and divide, as CSR rows.

    Parameters
    ----------
    slots_of_rows : int32 array of shape (n_rows, n_columns)  # IN
    segments : Segments  # IN
    pooled : SlotRows  # OUT

    Notes
    -----
    No dense one-hot row is ever made. Slots of a column come before those of the next,
    so sorting happens within one column of one segment. Few segments have more than two
    slots in a column; the smallest and the largest are written without a branch for
    whether they differ, which the processor could not predict.
    """
    ptr, rows, divisors = segments
    indptr, slots, shares = pooled
    n_columns, most_rows = slots_of_rows.shape[1], 0
    for s in range(len(divisors)):
        most_rows = max(most_rows, ptr[s + 1] - ptr[s])
    found = np.empty(most_rows, np.int32)
    smallest, largest = np.empty((2, n_columns), np.int32)
    n_smallest, n_largest = np.empty((2, n_columns), np.int32)
    n_entries = 0
    indptr[0] = 0
    for s in range(len(divisors)):
        begin, end = ptr[s], ptr[s + 1]
        n_rows = end - begin
        weight = np.float32(1.0 / divisors[s])
        if n_rows == 1:
            row = rows[begin]
            for c in range(n_columns):
                slots[n_entries + c] = slots_of_rows[row, c]
                shares[n_entries + c] = weight
            n_entries += n_columns
        if n_rows < 2:
            indptr[s + 1] = n_entries
            continue
        row = rows[begin]
        for c in range(n_columns):
            smallest[c] = largest[c] = slots_of_rows[row, c]
            n_smallest[c] = n_largest[c] = 0
        for k in range(begin + 1, end):
            row = rows[k]
            for c in range(n_columns):
                slot = slots_of_rows[row, c]
                smallest[c] = min(smallest[c], slot)
                largest[c] = max(largest[c], slot)
        for k in range(begin, end):
            row = rows[k]
            for c in range(n_columns):
                slot = slots_of_rows[row, c]
                n_smallest[c] += slot == smallest[c]
                n_largest[c] += slot == largest[c]
        for c in range(n_columns):
            if n_smallest[c] + n_largest[c] >= n_rows:
                # The second is overwritten by the first if they are one.
                last = n_entries + (smallest[c] != largest[c])
                slots[last], shares[last] = largest[c], weight * n_largest[c]
                slots[n_entries] = smallest[c]
                shares[n_entries] = weight * n_smallest[c]
                n_entries = last + 1
                continue
            for k in range(n_rows):
                found[k] = slots_of_rows[rows[begin + k], c]
            sort_first(found, n_rows)
            k = 0
            while k < n_rows:
                slot = found[k]
                after = k + 1
                while after < n_rows and found[after] == slot:
                    after += 1
                slots[n_entries], shares[n_entries] = slot, weight * (after - k)
                n_entries += 1
                k = after
        indptr[s + 1] = n_entries


def pool_features(
    features: Features,
    of_row: np.ndarray,
    n_segments: int,
    aggregation: Aggregation,
    n_slots: int,
) -> PooledFeatures:
    """One row for each segment (-1 drops a row); categories are slots already."""
    ptr, rows = np.empty(n_segments + 1, np.int64), np.empty(len(of_row), np.int64)
    sort_rows(of_row, ptr, rows)
    divisors = divisors_of(aggregation, np.diff(ptr).astype(np.float64))
    segments = Segments(ptr, rows, divisors)
    n_numeric, n_categorical = features.widths
    numeric = np.empty((n_segments, n_numeric), FLOAT)
    if n_numeric:
        pool_numbers(features.numeric, segments, numeric)
    indptr = np.zeros(n_segments + 1, np.int64)
    slots, shares = np.empty(0, np.int32), np.empty(0, FLOAT)
    if n_categorical:
        n_codes = features.categories.size
        slots, shares = np.empty(n_codes, np.int32), np.empty(n_codes, FLOAT)
        pool_categories(features.categories, segments, SlotRows(indptr, slots, shares))
    n_entries = indptr[-1]
    return PooledFeatures(
        numeric, indptr, slots[:n_entries], shares[:n_entries], n_slots
    )
