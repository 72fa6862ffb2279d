"""Targets of several columns with NaN: one forest for all, or one model for each."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from skshake import SHAKEClassifier
from skshake.ensemble._columns import EachColumn, JointForest, take_columns

NAN = np.nan
TABLE = np.array([[0.0], [1.0], [2.0], [3.0]])
LABELS = np.array([[0, 1, 0], [0, NAN, 0], [1, 0, NAN], [1, 0, 0]])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_each_column_is_learnt_from_its_labelled_rows(container):
    X = container(TABLE)
    model = EachColumn(DecisionTreeClassifier()).fit(X, LABELS)
    assert [tree.tree_.n_node_samples[0] for tree in model.estimators_] == [4, 3, 3]
    expected = np.array([[0, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]])
    rows = np.array([0, 2, 3])
    assert np.array_equal(model.predict(X)[rows], expected[rows])
    # The last label is 0 wherever it is known, so that there is no column of ones.
    assert model.estimators_[2].classes_.tolist() == [0]
    assert np.array_equal(model.predict_proba(X)[rows], expected[rows])


def test_numbers_and_weights():
    y = np.array([[0.0, 1.0], [2.0, NAN], [4.0, 1.0], [6.0, 1.0]])
    model = EachColumn(LinearRegression()).fit(TABLE, y)
    assert model.predict(TABLE) == pytest.approx(np.c_[2 * TABLE, np.ones(4)])
    # Rows without weight do not count, and weights go with their rows.
    y[3] = 100.0
    weighted = EachColumn(LinearRegression()).fit(TABLE, y, [1, 1, 1, 0])
    assert weighted.predict(TABLE) == pytest.approx(np.c_[2 * TABLE, np.ones(4)])


def test_of_a_pipeline_the_last_step_alone_is_repeated():
    calls = []

    def count(X):
        calls.append(len(X))
        return X

    model = make_pipeline(FunctionTransformer(count), LogisticRegression())
    model = take_columns(model).fit(TABLE, LABELS[:, :2])
    assert calls == [4]
    assert len(model[-1].estimators_) == 2
    assert model.predict_proba(TABLE).shape == (4, 2)


def test_networks_take_all_columns_as_they_are():
    network = SHAKEClassifier()
    assert take_columns(network) is network
    model = make_pipeline("passthrough", network)
    assert take_columns(model)[-1] is network
    assert isinstance(take_columns(LogisticRegression()), EachColumn)
    assert isinstance(take_columns(RandomForestClassifier()), JointForest)


def test_a_joint_forest_gives_means_of_known_labels(global_random_seed):
    # Trees of one leaf: what they know is the mean of all.
    rng = np.random.default_rng(global_random_seed)
    y = (rng.random((50, 3)) < [0.2, 0.5, 0.8]).astype(float)
    y[rng.random((50, 3)) < [0.0, 0.5, 0.9]] = NAN
    y[:2] = [[0, 0, 0], [1, 1, 1]]
    X = rng.random((50, 2))
    forest = RandomForestClassifier(3, max_depth=None, bootstrap=False, max_features=1)
    stumps = forest.set_params(min_samples_leaf=50)
    model = JointForest(stumps).fit(X, y)
    expected = np.tile(np.nanmean(y, axis=0), (50, 1))
    assert model.predict_proba(X) == pytest.approx(expected)
    assert np.array_equal(model.predict(X), expected > 0.5)
    weights = rng.random(50)
    heavy = JointForest(stumps).fit(X, y, weights).predict_proba(X[:1])[0]
    known = ~np.isnan(y)
    means = [
        np.average(column[k], weights=weights[k])
        for column, k in zip(y.T, known.T, strict=True)
    ]
    assert heavy == pytest.approx(means)
    numbers = RandomForestRegressor(3, bootstrap=False, min_samples_leaf=50)
    found = JointForest(numbers).fit(X, 100 * y + 7).predict(X)
    assert found == pytest.approx(100 * expected + 7)


def test_the_mean_of_forests_is_that_of_joint_forests(global_random_seed):
    X = np.random.default_rng(global_random_seed).random((20, 2))
    y = np.repeat(LABELS, 5, axis=0)
    forests = [
        RandomForestClassifier(3, random_state=0),
        ExtraTreesClassifier(3, random_state=0),
    ]
    named = list(zip("ab", forests, strict=True))
    mean = take_columns(VotingClassifier(named, voting="soft"))
    expected = [JointForest(forest).fit(X, y).predict_proba(X) for forest in forests]
    found = mean.fit(X, y).predict_proba(X)
    assert found == pytest.approx(np.mean(expected, axis=0))
    # A weighted mean, one of votes, or one with another model has a fit per column.
    for other in (
        VotingClassifier(named, voting="soft", weights=[1, 2]),
        VotingClassifier(named),
        VotingClassifier([*named, ("c", LogisticRegression())], voting="soft"),
    ):
        assert isinstance(take_columns(other), EachColumn)
    numbers = VotingRegressor([("a", ExtraTreesRegressor(3))])
    assert isinstance(take_columns(numbers), JointForest)


def test_a_joint_forest_learns_all_columns_from_what_is_known():
    X, y = np.repeat(TABLE, 5, axis=0), np.repeat(LABELS, 5, axis=0)
    forest = RandomForestClassifier(5, bootstrap=False, random_state=0)
    model = JointForest(forest).fit(X, y)
    proba = model.predict_proba(X)
    known = ~np.isnan(y)
    assert np.array_equal(proba[known], y[known])
    # Where no leaf knows a label, it has the mean of those that are known.
    assert proba[5, 1] == pytest.approx(1 / 3)
    assert np.array_equal(proba[:, 2], np.zeros(20))
    regressor = ExtraTreesRegressor(5, random_state=0)
    numbers = JointForest(regressor).fit(X, y * 10 + 1).predict(X)
    assert numbers[known] == pytest.approx(y[known] * 10 + 1)
    assert numbers[5, 1] == pytest.approx(1 / 3 * 10 + 1)
