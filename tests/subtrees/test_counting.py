"""Counts per graph, by hand and against counters."""

from collections import Counter

import numpy as np

from skshake.subtrees import count_subtrees
from skshake.subtrees._counting import count_columns, count_table


def test_columns_are_counted_by_hand():
    ptr = np.array([0, 3, 3, 4])
    columns = np.array([[1, 5], [0, 4], [1, -1], [-1, 4]], np.int32)
    indptr, indices, counts = np.empty(4, np.int64), np.empty(8, np.int32), np.empty(8)
    count_columns(ptr, columns, indptr, indices, counts)
    assert indptr.tolist() == [0, 4, 4, 5]
    assert indices[:5].tolist() == [0, 1, 4, 5, 4]
    assert counts[:5].tolist() == [1, 2, 1, 1, 1]


def test_subtrees_of_each_depth_have_their_columns():
    colours = [np.array([7, 7, 8], np.uint64), np.array([8, 9, 9], np.uint64)]
    counted = [np.array([8], np.uint64), np.array([8, 9], np.uint64)]
    table = count_subtrees(np.array([0, 2, 3]), colours, counted)
    assert table.toarray().tolist() == [[0, 1, 1], [1, 0, 1]]


def test_tables_are_counters(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # One graph has more rows than there are columns, others have none.
    ptr = np.cumsum([0, 0, 90, 5, 0, 30, 1, 0])
    columns = np.array([0, 12, 24]) + rng.integers(-1, 12, (ptr[-1], 3))
    columns[columns % 12 == 11] = -1
    table = count_table(ptr, columns.astype(np.int32), 36)
    assert table.has_canonical_format
    for g, row in enumerate(table.toarray()):
        found = Counter(columns[ptr[g] : ptr[g + 1]].ravel().tolist())
        assert row.tolist() == [found[column] for column in range(36)]
