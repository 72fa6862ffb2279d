"""Rows that mean one edge, against a loop over groups."""

import numpy as np
import pytest

from skshake import InvalidGraphError
from skshake.graphs._aggregate import OF_NUMBERS, check_rules, combine, most_frequent
from skshake.graphs._features import build_features

NAIVE = {"sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max}


@pytest.mark.parametrize("how", OF_NUMBERS)
def test_numbers_of_groups(how, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    group, values = rng.integers(0, 6, 40), rng.normal(size=(40, 2))
    found = combine(group, values, how, 8)
    for k in range(8):
        rows = values[group == k]
        expected = NAIVE[how](rows, axis=0) if len(rows) else np.zeros(2)
        assert found[k] == pytest.approx(expected)
    assert not combine(np.empty(0, int), np.empty((0, 1)), how, 2).any()


def test_most_frequent_category(global_random_seed):
    group = np.array([0, 0, 0, 1, 1, 2])
    codes = np.array([[5, 1], [7, 1], [7, 2], [9, 3], [-4, 3], [0, 0]], np.int32)
    rng = np.random.default_rng(global_random_seed)
    order = rng.permutation(6)
    # Of equally many, the smallest code.
    expected = [[7, 1], [-4, 3], [0, 0], [0, 0]]
    assert most_frequent(group[order], codes[order], 4).tolist() == expected


def test_rules_suit_columns():
    features = build_features(
        [("a", np.ones((1, 1)), False), ("k", np.ones((1, 1), int), True)], 1
    )
    check_rules({"a": "sum", "k": "most_frequent", "other": "sum"}, features)
    for rules in ({"a": "most_frequent"}, {"k": "mean"}):
        with pytest.raises(InvalidGraphError, match=r"aggregate: '[ak]' holds"):
            check_rules(rules, features)
