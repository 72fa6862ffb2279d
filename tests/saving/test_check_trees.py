"""Trees that were read stay within themselves."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skshake.saving._check_trees import check_trees

X = np.random.default_rng(0).random((40, 5))
Y = (X[:, 0] > X[:, 1]).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(max_leaf_nodes=4),
        DecisionTreeClassifier(ccp_alpha=0.05),
        DecisionTreeClassifier(max_features=1, min_samples_leaf=30),
        RandomForestClassifier(3),
        ExtraTreesRegressor(3),
        GradientBoostingClassifier(n_estimators=3),
        IsolationForest(n_estimators=3, max_features=2),
        make_pipeline(StandardScaler(), RandomForestClassifier(3)),
    ],
    ids=str,
)
def test_trees_that_were_grown_pass(model):
    check_trees({"models": [(model.fit(X, Y),)]})


def grown():
    forest = RandomForestClassifier(2, random_state=0).fit(X, Y)
    return forest, forest.estimators_[1].tree_


def test_trees_need_to_say_how_many_columns_they_read():
    forest, _ = grown()
    del forest.n_features_in_
    with pytest.raises(ValueError, match="columns beyond the 0"):
        check_trees(forest)


@pytest.mark.parametrize(
    ("array", "value"),
    [
        # The next tree's, a node that is none, itself (for ever), no column.
        ("left_child", 10**6),
        ("right_child", -7),
        ("left_child", 0),
        ("feature", 5),
        ("feature", -3),
    ],
)
def test_trees_that_lead_outside_are_refused(array, value):
    forest, tree = grown()
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][array][0] = value
    tree.__setstate__(state)
    with pytest.raises(ValueError, match="lead outside of it"):
        check_trees([forest])


def test_depths_and_numbers_of_nodes_are_checked():
    for name, value in (("max_depth", 0), ("node_count", 10**6), ("node_count", 0)):
        forest, tree = grown()
        tree.__setstate__({**tree.__getstate__(), name: value})
        with pytest.raises(ValueError, match="lead outside of it"):
            check_trees(forest)


def test_columns_that_a_forest_does_not_have_are_refused():
    forest, _ = grown()
    forest.n_features_in_ = 3
    with pytest.raises(ValueError, match="columns beyond the 3 of its rows"):
        check_trees(forest)
