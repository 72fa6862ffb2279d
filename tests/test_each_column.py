"""EachColumn: one estimator for each column, on the rows that are labelled."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from skshake import SHAKEClassifier
from skshake._each_column import EachColumn, fit_each_column

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
    model = fit_each_column(model).fit(TABLE, LABELS[:, :2])
    assert calls == [4]
    assert len(model[-1].estimators_) == 2
    assert model.predict_proba(TABLE).shape == (4, 2)


def test_networks_take_all_columns_as_they_are():
    network = SHAKEClassifier()
    assert fit_each_column(network) is network
    model = make_pipeline("passthrough", network)
    assert fit_each_column(model)[-1] is network
    alone = fit_each_column(LogisticRegression())
    assert isinstance(alone, EachColumn)
