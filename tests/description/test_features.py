"""Facts about columns of features, and what is odd about them."""

import numpy as np
import pytest

from skshake import describe, from_edges
from skshake.description._features import (
    N_SHOWN,
    feature_facts,
    feature_notices,
    weight_facts,
    weight_notices,
)
from skshake.graphs import build_features, empty_features

N_ROWS = 400


def _features(*columns, texts=()):
    return build_features(columns, N_ROWS, texts)


def _notices(nodes, edges=None):
    return [*feature_notices(nodes, edges or empty_features(3))]


def test_kinds_and_ranges_of_columns():
    numbers = np.linspace(-1, 1, N_ROWS)[:, None]
    categories = np.repeat([[3], [8]], [300, 100], axis=0)
    nearly = np.repeat([[3], [8]], [N_ROWS - 1, 1], axis=0)
    features = _features(
        ("a", numbers, False),
        ("b", categories, True),
        ("c", np.hstack([nearly, 0 * nearly]), True),
        ("d", categories, True),
        texts=("d",),
    )
    assert dict(feature_facts("node", features)) == {
        "a": "numeric, -1 to 1, median 0",
        "b": "categorical, 2 values, 3 in 75% of the rows",
        "c[:, 0]": "categorical, 2 values, 3 in nearly all of the rows",
        "c[:, 1]": "categorical, constant",
        "d": "text, 2 values, the most frequent in 75% of the rows",
    }


def test_wide_fields_are_cut_and_missing_ones_said():
    features = _features(("x", np.random.default_rng(0).random((N_ROWS, 40)), False))
    facts = [*feature_facts("node", features)]
    assert len(facts) == N_SHOWN + 1
    assert facts[-1] == ("...", "x has 40 columns in all")
    (fact,) = feature_facts("node", empty_features(3))
    assert fact == ("features", "none; degrees take their place")
    (fact,) = feature_facts("edge", empty_features(3))
    assert fact == ("features", "none")


def test_constant_columns_are_named():
    values = np.random.default_rng(0).random((N_ROWS, 9))
    values[:, 1:] = 2.5
    (notice,) = _notices(_features(("x", values, False)))
    assert notice == (
        "8 columns of node features are constant and can be left out: x[:, 1], "
        "x[:, 2], x[:, 3], x[:, 4], x[:, 5], x[:, 6] and 2 more"
    )
    (notice,) = _notices(empty_features(3), _features(("w", 0 * values[:, :1], False)))
    assert notice.startswith("1 column of edge features is constant")


def test_numbers_that_are_read_as_categories_are_doubted():
    # Every row has a value of its own.
    (notice,) = _notices(_features(("age", np.arange(N_ROWS)[:, None], True)))
    assert notice.startswith("age: 400 rows hold 400 categories")
    assert "categorical_features" in notice


def test_categories_that_are_given_as_floats_are_doubted():
    rng = np.random.default_rng(0)
    kinds, flags = rng.integers(0, 5, (2, N_ROWS, 1)).astype(float)
    flags = np.minimum(flags, 1)
    late = kinds.copy()
    late[-1] = 0.5
    features = _features(
        ("kind", kinds, False),
        ("flag", flags, False),
        ("z", late, False),
        # Counted by ``graphs_from_edgelist``.
        ("channel=card", kinds, False),
    )
    (notice,) = _notices(features)
    assert notice == (
        "node features hold floats that are a few whole numbers: kind (5 values); if "
        "they are categories, give them as integers"
    )


def test_weights_and_how_far_they_are_apart():
    assert [*weight_facts(None)] == []
    assert [*weight_facts(np.array([1.0, 2.0]))] == [("weights", "1 to 2, median 1.5")]
    (_, fact) = weight_facts(np.array([1.0, 5000.0]))
    assert fact.value == "the largest is 5,000 times the smallest"


@pytest.mark.parametrize("weights", [None, np.ones(0), np.array([1.0, 999.0])])
def test_weights_that_are_no_amounts_are_not_spoken_of(weights):
    assert [*weight_notices(weights)] == []


def test_weights_that_may_be_amounts():
    (notice,) = weight_notices(np.array([0.5, 2.0, 1200.0]))
    assert "weighs 2,400 times as much as the lightest" in notice
    graphs = from_edges([[0, 1], [1, 2]], [2], [3], edge_weight=[1e4, 1.0])
    assert any("merged first" in text for text in describe(graphs).notices)
