"""Slices of flat arrays: index arithmetic against loops."""

import numpy as np
import pytest

from skshake.graphs import as_graph_numbers, offsets, owner_of, rows_of

PTR = np.array([0, 2, 2, 5, 6])


def test_offsets_are_sums_of_lengths():
    assert offsets([2, 0, 3, 1]).tolist() == PTR.tolist()
    assert offsets(np.array([2, 1], np.int32)).dtype == np.int64
    assert offsets([]).tolist() == [0]
    # Lengths of 32 bits may add up to more.
    assert offsets(np.array([2**31 - 1] * 3, np.int32))[-1] == 3 * (2**31 - 1)


def test_rows_of_chosen_graphs_by_hand():
    rows, ptr = rows_of(PTR, np.array([2, 0, 1, 2]))
    assert rows.tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert ptr.tolist() == [0, 3, 5, 5, 8]
    rows, ptr = rows_of(PTR, np.empty(0, np.int64))
    assert (rows.tolist(), ptr.tolist()) == ([], [0])


def test_rows_of_chosen_graphs_are_slices(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ptr, graphs = offsets(rng.integers(0, 5, 20)), rng.integers(0, 20, 30)
    rows, new_ptr = rows_of(ptr, graphs)
    slices = [list(range(ptr[g], ptr[g + 1])) for g in graphs]
    assert rows.tolist() == [row for rows in slices for row in rows]
    assert np.diff(new_ptr).tolist() == list(map(len, slices))


def test_owners_of_rows():
    assert owner_of(PTR).tolist() == [0, 0, 2, 2, 2, 3]
    assert owner_of(np.array([0])).tolist() == []


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(None, None, -2), [4, 2, 0]),
        ([3, -5, -1], [3, 0, 4]),
        (np.array([4, 0], np.uint8), [4, 0]),
        ([True, False, False, True, False], [0, 3]),
        ([], []),
        (np.empty(0), []),
        (np.empty((0, 3), int), []),
    ],
    ids=str,
)
def test_keys_are_numbers_of_graphs(key, expected):
    assert as_graph_numbers(key, 5).tolist() == expected


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        ([0, 5], IndexError, "graph 5 is out of range for 5 graphs"),
        ([-6], IndexError, "graph -6 is out of range"),
        ([True] * 4, IndexError, "a mask of length 5, got 4"),
        (np.empty(0, bool), IndexError, "a mask of length 5, got 0"),
        ([0.0], TypeError, "got an array of dtype float64 and shape \\(1,\\)"),
        ([[1, 2]], TypeError, "shape \\(1, 2\\)"),
        (["a"], TypeError, "dtype <U1"),
        (None, TypeError, "dtype object"),
    ],
    ids=str,
)
def test_other_keys_are_refused(key, error, message):
    with pytest.raises(error, match=message):
        as_graph_numbers(key, 5)
