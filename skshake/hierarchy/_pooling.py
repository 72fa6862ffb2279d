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

    ``of_row`` int64 (n_rows,), INSIDE drops a row; ``sizes`` int64 (n_segments,), rows
    of each; ``divisors`` float64 (n_segments,), of their sums.
    """

    of_row: np.ndarray
    sizes: np.ndarray
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
def count_rows(of_row, sizes):
    """Number of rows of each segment.

    Parameters
    ----------
    of_row : int64 array of shape (n_rows,)  # IN, INSIDE drops the row
    sizes : int64 array of shape (n_segments,)  # OUT
    """
    sizes[:] = 0
    for row in range(len(of_row)):
        if of_row[row] != INSIDE:
            sizes[of_row[row]] += 1


@kernel
def pool_numbers(values, segments):
    """Sum the rows of each segment and divide, in double precision.

    Parameters
    ----------
    values : float32 array of shape (n_rows, n_columns)  # IN
    segments : Segments  # IN

    Returns
    -------
    pooled : float64 array of shape (n_segments, n_columns)
    """
    of_row, divisors = segments.of_row, segments.divisors
    n_columns = values.shape[1]
    pooled = np.zeros((len(divisors), n_columns))
    for row in range(len(values)):
        s = of_row[row]
        if s != INSIDE:
            for c in range(n_columns):
                pooled[s, c] += values[row, c]
    for s in range(len(divisors)):
        if divisors[s] != 1.0:
            for c in range(n_columns):
                pooled[s, c] /= divisors[s]
    return pooled


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
    so sorting happens within one column of one segment.
    """
    of_row, sizes, divisors = segments
    low, first, table = tables
    indptr, slots, shares = pooled
    n_rows, n_columns = codes.shape
    n_segments = len(sizes)
    # Rows by segment, by counting; afterwards start[s] is where segment s ends.
    start = np.zeros(n_segments + 1, np.int64)
    most_rows = 0
    for s in range(n_segments):
        most_rows = max(most_rows, sizes[s])
        start[s + 1] = start[s] + sizes[s]
    by_segment = np.empty(start[n_segments], np.int64)
    for row in range(n_rows):
        s = of_row[row]
        if s != INSIDE:
            by_segment[start[s]] = row
            start[s] += 1
    found = np.empty(most_rows, np.int32)
    n_entries = 0
    indptr[0] = 0
    begin = 0
    for s in range(n_segments):
        end = start[s]
        n_found = end - begin
        weight = np.float32(1.0 / divisors[s])
        for c in range(n_columns):
            last = first[c + 1] - 1
            for k in range(n_found):
                entry = first[c] + codes[by_segment[begin + k], c] - low[c] + 1
                found[k] = table[min(max(entry, first[c]), last)]
            if n_found == 1:
                slots[n_entries] = found[0]
                shares[n_entries] = weight
                n_entries += 1
                continue
            sort_first(found, n_found)
            k = 0
            while k < n_found:
                slot = found[k]
                after = k + 1
                while after < n_found and found[after] == slot:
                    after += 1
                slots[n_entries] = slot
                shares[n_entries] = weight * (after - k)
                n_entries += 1
                k = after
        begin = end
        indptr[s + 1] = n_entries


def pool_features(
    features: Features,
    of_row: np.ndarray,
    n_segments: int,
    aggregation: Aggregation,
    vocabulary: Vocabulary,
) -> PooledFeatures:
    """One row for each segment (-1 drops a row)."""
    sizes = np.empty(n_segments, np.int64)
    count_rows(of_row, sizes)
    divisors = divisors_of(aggregation, sizes.astype(np.float64))
    segments = Segments(of_row, sizes, divisors)
    n_numeric, n_categorical = features.widths
    numeric = np.empty((n_segments, 0), FLOAT)
    if n_numeric:
        numeric = pool_numbers(features.numeric, segments).astype(FLOAT)
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
