"""Degrees, and the choice of a neighbour, by hand."""

import numpy as np
import pytest

from skshake import as_graphs
from skshake.forests._neighbours import as_walkable, degree_of, find_neighbour


def test_running_sums_go_along_the_arcs_of_each_node():
    matrix = np.array([[0, 2.0, 0.5], [2.0, 0, 0], [0.5, 0, 0]])
    walkable = as_walkable(as_graphs([matrix, matrix]))
    assert walkable.cumulative.tolist() == [2.0, 2.5, 2.0, 0.5] * 2
    assert not len(as_walkable(as_graphs([(matrix > 0) * 1.0])).cumulative)


@pytest.mark.parametrize(
    ("cumulative", "at", "expected"),
    [
        ([], 0.0, 7),
        ([], 0.99, 7),
        ([], 2.5, 9),
        # Rounding may bring ``at`` up to the degree itself.
        ([], 3.0, 9),
        ([9.0, 0.5, 0.7, 3.0], 0.49, 7),
        ([9.0, 0.5, 0.7, 3.0], 0.5, 8),
        ([9.0, 0.5, 0.7, 3.0], 2.9, 9),
        ([9.0, 0.5, 0.7, 3.0], 3.0, 9),
    ],
)
def test_the_neighbour_is_the_one_whose_part_holds_the_number(cumulative, at, expected):
    # The node has arcs 1 to 3.
    indices = np.array([1, 7, 8, 9, 2], np.int32)
    assert find_neighbour(indices, np.array(cumulative), 1, 4, at) == expected


def test_degrees():
    assert degree_of(np.empty(0), 1, 4) == 3.0
    assert degree_of(np.array([9.0, 0.5, 0.7, 3.0]), 1, 4) == 3.0
    assert degree_of(np.array([9.0, 0.5]), 1, 1) == 0.0
