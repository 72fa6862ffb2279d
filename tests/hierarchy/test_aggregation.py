"""What sums over blocks are divided by."""

import pickle

import numpy as np
import pytest

from skshake import as_graphs
from skshake.hierarchy import Aggregation, Pooling, coarsen, learn_vocabulary
from skshake.hierarchy._aggregation import AGGREGATIONS, as_aggregation, divisors_of

SIZES = np.array([1.0, 4.0, 9.0])


@pytest.mark.parametrize(
    ("name", "expected"), [("mean", [1.0, 4.0, 9.0]), ("sum", [1.0, 1.0, 1.0])]
)
def test_ours_are_known_by_name(name, expected):
    aggregation = as_aggregation(name)
    assert aggregation is AGGREGATIONS[name]
    assert aggregation.name == name
    assert divisors_of(aggregation, SIZES).tolist() == expected


def test_those_of_users_come_back_as_they_are():
    root = Aggregation("root", np.sqrt)
    assert as_aggregation(root) is root
    assert divisors_of(root, SIZES).tolist() == [1.0, 2.0, 3.0]
    assert as_aggregation(AGGREGATIONS["mean"]) is AGGREGATIONS["mean"]
    with pytest.raises(KeyError):
        as_aggregation("root")


def test_names_of_ours_are_taken():
    with pytest.raises(ValueError, match="an aggregation is called 'mean' already"):
        as_aggregation(Aggregation("mean", np.sqrt))


def test_divisors_are_floats_in_one_piece():
    for divisor in (
        lambda sizes: sizes.astype(int),
        list,
        lambda sizes: np.repeat(sizes, 2)[::2],
    ):
        found = divisors_of(Aggregation("strange", divisor), SIZES)
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        assert found.tolist() == SIZES.tolist()
    assert divisors_of(AGGREGATIONS["mean"], np.empty(0)).shape == (0,)


@pytest.mark.parametrize(
    "divisor",
    [
        lambda sizes: sizes - 1,
        lambda sizes: -sizes,
        lambda sizes: sizes * np.nan,
        lambda sizes: sizes[:-1],
        lambda sizes: sizes[:, None],
        lambda sizes: 2.0,
    ],
)
def test_anything_but_a_positive_number_each_is_refused(divisor):
    with pytest.raises(
        ValueError, match="the divisor of the aggregation 'odd': expected"
    ):
        divisors_of(Aggregation("odd", divisor), SIZES)


def test_pickles_are_equal():
    for aggregation in (*AGGREGATIONS.values(), Aggregation("root", np.sqrt)):
        assert pickle.loads(pickle.dumps(aggregation)) == aggregation


def test_the_formula_by_hand(triangle_with_tail):
    # Blocks {0, 1, 2, 3} and {4}, of which the first is divided by 2.
    x = np.array([[1.0], [3.0], [5.0], [7.0], [9.0]])
    graphs = as_graphs([(triangle_with_tail, x)])
    none = learn_vocabulary(np.empty((0, 0), np.int32))
    pooling = Pooling(Aggregation("root", np.sqrt), "mean", none, none)
    level = coarsen(graphs, 1.0, np.array([0, 0, 0, 0, 1], np.int32), pooling)
    assert level.x.numeric.ravel().tolist() == [8.0, 9.0]
