"""What gets a column: in enough graphs, and in most."""

import numpy as np
import pytest

from skshake.hierarchy import learn_vocabulary
from skshake.subtrees import Choice, choose_colours
from skshake.subtrees._vocabulary import choose_categories, count_graphs

# Four graphs, of which the third has no rows.
PTR = np.array([0, 3, 5, 5, 7])
ROWS = np.array([4, 4, 9, 4, 2, 4, 2])


def test_graphs_are_counted_by_hand():
    columns = np.array([[0, 3], [0, 3], [2, 4], [0, 4], [1, 3], [0, 3], [1, 3]])
    n_graphs_with = np.full(6, 7)
    count_graphs(PTR, columns.astype(np.int32), n_graphs_with)
    assert n_graphs_with.tolist() == [3, 2, 1, 3, 2, 0]


@pytest.mark.parametrize(
    ("min_df", "max_features", "expected"),
    [
        (1, None, [2, 4, 9]),
        (2, None, [2, 4]),
        (3, None, [4]),
        (4, None, []),
        (0.0, None, [2, 4, 9]),
        (0.5, None, [2, 4]),
        (0.51, None, [4]),
        (1.0, None, []),
        (1, 2, [2, 4]),
        (1, 1, [4]),
        (1, 9, [2, 4, 9]),
    ],
)
def test_colours_and_categories_are_chosen_alike(min_df, max_features, expected):
    choice = Choice(min_df, max_features)
    assert choose_colours(ROWS.astype(np.uint64), PTR, choice).tolist() == expected
    codes = np.column_stack([ROWS, ROWS[::-1]]).astype(np.int32)
    chosen = choose_categories(learn_vocabulary(codes), codes, PTR, choice)
    assert chosen.categories[0].tolist() == expected
    assert len(chosen.categories) == 2


def test_of_equally_frequent_colours_the_smaller_are_taken():
    colours = np.array([5, 3, 8, 8, 5, 3, 1], np.uint64)
    ptr = np.array([0, 3, 7])
    assert choose_colours(colours, ptr, Choice(1, 2)).tolist() == [3, 5]
    assert (
        choose_colours(colours[::-1].copy(), np.array([0, 4, 7]), Choice(1, 2))[0] == 3
    )


def test_without_rows_nothing_is_chosen():
    none, ptr = np.empty((0, 2), np.int32), np.zeros(3, np.int64)
    chosen = choose_categories(learn_vocabulary(none), none, ptr, Choice(1, None))
    assert [len(codes) for codes in chosen.categories] == [0, 0]
    assert not len(choose_colours(np.empty(0, np.uint64), ptr, Choice(0.0, None)))
