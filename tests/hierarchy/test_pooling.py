"""Kernels that pool, on literal arrays and against naive twins."""

import numpy as np
import pytest

from skshake.hierarchy import learn_vocabulary
from skshake.hierarchy._pooling import (
    Segments,
    SlotRows,
    pool_categories,
    pool_numbers,
    sort_rows,
)

# Rows 0 and 2 become one, row 3 another; row 1 is dropped.
OF_ROW = np.array([0, -1, 0, 1])
PTR, ROWS = np.array([0, 2, 3]), np.array([0, 2, 3])
VALUES = np.array([[1, 5], [9, 9], [2, 7], [4, 4]], np.float32)


def _sort(of_row, n_segments):
    ptr, rows = np.full(n_segments + 1, 7), np.full(len(of_row), 7)
    sort_rows(of_row, ptr, rows)
    return ptr, rows[: ptr[-1]]


def test_rows_are_sorted_by_segment():
    ptr, rows = _sort(OF_ROW, 2)
    assert ptr.tolist() == PTR.tolist()
    assert rows.tolist() == ROWS.tolist()
    ptr, rows = _sort(np.array([3, -1, 1, 3, 1]), 5)
    assert ptr.tolist() == [0, 0, 2, 2, 4, 4]
    assert rows.tolist() == [2, 4, 0, 3]


@pytest.mark.parametrize(
    ("divisors", "expected"),
    [
        ([2.0, 1.0], [[1.5, 6.0], [4.0, 4.0]]),
        ([1.0, 1.0], [[3.0, 12.0], [4.0, 4.0]]),
        ([4.0, 0.5], [[0.75, 3.0], [8.0, 8.0]]),
    ],
)
def test_numbers_by_hand(divisors, expected):
    pooled = np.empty((2, 2), np.float32)
    pool_numbers(VALUES, Segments(PTR, ROWS, np.array(divisors)), pooled)
    assert pooled.tolist() == expected


def test_segments_without_rows_and_signs_of_zero():
    values = np.array([[-0.0], [2.0]], np.float32)
    segments = Segments(np.array([0, 1, 1, 2]), np.array([0, 1]), np.array([2.0, 1, 4]))
    pooled = np.full((3, 1), 9, np.float32)
    pool_numbers(values, segments, pooled)
    assert pooled.ravel().tolist() == [0.0, 0.0, 0.5]
    assert not np.signbit(pooled).any()
    rows = SlotRows(np.empty(4, np.int64), np.empty(2, np.int32), np.empty(2, "f4"))
    pool_categories(np.array([[5], [7]], np.int32), segments, rows)
    assert rows.indptr.tolist() == [0, 1, 1, 2]
    assert rows.slots.tolist() == [5, 7]
    assert rows.shares.tolist() == [0.5, 0.25]


def _pool(codes, segments):
    pooled = SlotRows(
        np.empty(len(segments.ptr), np.int64),
        np.empty(codes.size, np.int32),
        np.empty(codes.size, np.float32),
    )
    vocabulary = learn_vocabulary(codes)
    pool_categories(vocabulary.slots_of(codes), segments, pooled)
    return pooled, vocabulary


def test_categories_by_hand():
    codes = np.array([[3, 8], [5, 8], [3, 9], [5, 9]], np.int32)
    pooled, _ = _pool(codes, Segments(PTR, ROWS, np.array([4.0, 0.5])))
    # Slots: unseen, 3, 5 of the first column; unseen, 8, 9 of the second.
    n = pooled.indptr[-1]
    assert pooled.indptr.tolist() == [0, 3, 5]
    assert pooled.slots[:n].tolist() == [1, 4, 5, 2, 5]
    assert pooled.shares[:n].tolist() == [0.5, 0.25, 0.25, 2.0, 2.0]


def test_categories_are_counts_of_one_hot_rows(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # More rows in one segment than sorting by insertion alone would take.
    codes = rng.integers(-3, 4, (90, 2)).astype(np.int32)
    of_row = np.concatenate([np.zeros(60, np.int64), rng.integers(-1, 5, 30)])
    divisors = rng.uniform(0.5, 2.0, 5)
    pooled, vocabulary = _pool(codes, Segments(*_sort(of_row, 5), divisors))
    expected = np.zeros((5, vocabulary.n_slots))
    for row, segment in zip(codes, of_row, strict=True):
        for c, code in enumerate(row):
            if segment >= 0:
                slot = vocabulary.unseen_slots[c] + 1
                slot += np.searchsorted(vocabulary.categories[c], code)
                expected[segment, slot] += 1 / divisors[segment]
    found = np.zeros_like(expected)
    for segment in range(5):
        row = slice(pooled.indptr[segment], pooled.indptr[segment + 1])
        assert (np.diff(pooled.slots[row]) > 0).all()
        found[segment, pooled.slots[row]] = pooled.shares[row]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
