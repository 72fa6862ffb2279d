"""Hash tables of values, by hand and against dictionaries."""

import numpy as np
import pytest

from skshake.subtrees._numbering import find_rows, find_values, number_values

VALUES = np.array([7, 2**64 - 1, 7, 0, 2**63, 0], np.uint64)


def test_values_are_numbered_in_their_order():
    numbers = np.empty(6, np.int32)
    known = number_values(VALUES, numbers)
    assert known.tolist() == [7, 2**64 - 1, 0, 2**63]
    assert numbers.tolist() == [0, 1, 0, 2, 3, 2]


def test_known_values_are_found():
    columns = np.full((6, 2), 9, np.int32)
    find_values(VALUES, np.array([0, 7, 8], np.uint64), 100, columns, 1)
    assert columns[:, 0].tolist() == [9] * 6
    assert columns[:, 1].tolist() == [101, -1, 101, 100, -1, 100]


def test_first_rows_are_found():
    rows = np.empty(3, np.int64)
    find_rows(VALUES, np.array([2**63, 0, 7], np.uint64), rows)
    assert rows.tolist() == [4, 3, 0]


def test_nothing_is_known_and_nothing_comes():
    none = np.empty(0, np.uint64)
    columns = np.empty((6, 1), np.int32)
    find_values(VALUES, none, 0, columns, 0)
    assert (columns == -1).all()
    find_rows(VALUES, none, np.empty(0, np.int64))
    assert not len(number_values(none, np.empty(0, np.int32)))


@pytest.mark.parametrize("n_different", [100, 512, 513, 5_000])
def test_tables_that_grow_are_dictionaries(n_different, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Neighbours, and values of which only high bits differ.
    pool = np.arange(n_different, dtype=np.uint64)
    pool[::2] <<= np.uint64(50)
    values = rng.choice(pool, 3 * n_different)
    numbers = np.empty(len(values), np.int32)
    known = number_values(values, numbers)
    twin = {}
    expected = [twin.setdefault(value, len(twin)) for value in values.tolist()]
    assert numbers.tolist() == expected
    assert known.tolist() == list(twin)
    columns = np.empty((len(values), 1), np.int32)
    find_values(values, np.sort(known), 0, columns, 0)
    assert (np.sort(known)[columns[:, 0]] == values).all()
    rows = np.empty(len(known), np.int64)
    find_rows(values, known, rows)
    assert rows.tolist() == [values.tolist().index(value) for value in known.tolist()]
