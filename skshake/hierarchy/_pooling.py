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
from skshake.hierarchy._categories import Vocabulary
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
        for c in range(n_columns):
            total[c] = 0.0
        for k in range(ptr[s], ptr[s + 1]):
            row = rows[k]
            for c in range(n_columns):
                total[c] += values[row, c]
        divisor = divisors[s]
        for c in range(n_columns):
            pooled[s, c] = total[c] / divisor


@kernel
def pool_categories(codes, tables, segments, pooled):
    """Count the category slots in each segment and divide, as CSR rows.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_columns)  # IN
    tables : SlotTables  # IN
    segments : Segments  # IN
    pooled : SlotRows  # OUT

    Notes
    -----
    No dense one-hot row is ever made. Slots of a column come before those of the next,
    so sorting happens within one column of one segment. Most segments are of one row,
    or of rows with one code, and need none.
    """
    ptr, rows, divisors = segments
    low, first, table = tables
    indptr, slots, shares = pooled
    most_rows = 0
    for s in range(len(divisors)):
        most_rows = max(most_rows, ptr[s + 1] - ptr[s])
    found = np.empty(most_rows, np.int32)
    n_entries = 0
    indptr[0] = 0
    for s in range(len(divisors)):
        begin, end = ptr[s], ptr[s + 1]
        n_rows = end - begin
        weight = np.float32(1.0 / divisors[s])
        for c in range(codes.shape[1] if n_rows else 0):
            code = codes[rows[begin], c]
            n_alike = 1
            while n_alike < n_rows and codes[rows[begin + n_alike], c] == code:
                n_alike += 1
            entry = first[c] + code - low[c] + 1
            if entry < first[c] or entry >= first[c + 1]:
                entry = first[c]
            slot = table[entry]
            if n_alike == n_rows:
                slots[n_entries], shares[n_entries] = slot, weight * n_rows
                n_entries += 1
                continue
            found[:n_alike] = slot
            for k in range(n_alike, n_rows):
                entry = first[c] + codes[rows[begin + k], c] - low[c] + 1
                if entry < first[c] or entry >= first[c + 1]:
                    entry = first[c]
                found[k] = table[entry]
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
    vocabulary: Vocabulary,
) -> PooledFeatures:
    """One row for each segment (-1 drops a row)."""
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
        codes, tables = vocabulary.tables_for(features.categories)
        slots, shares = np.empty(codes.size, np.int32), np.empty(codes.size, FLOAT)
        pool_categories(codes, tables, segments, SlotRows(indptr, slots, shares))
    n_entries = indptr[-1]
    return PooledFeatures(
        numeric, indptr, slots[:n_entries], shares[:n_entries], vocabulary.n_slots
    )
