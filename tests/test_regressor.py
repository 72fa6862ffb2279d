"""SHAKERegressor: one and several numbers, missing ones, scikit-learn's habits."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKERegressor


@pytest.fixture
def graphs(mutag):
    return mutag[0]


@pytest.fixture
def sizes(graphs):
    return np.diff(graphs.node_ptr).astype(float)


def test_it_learns_the_number_of_nodes(graphs, sizes):
    model = Pipeline(
        [
            ("coarsen", KFCoarsener(n_forests=2, random_state=0)),
            ("reg", SHAKERegressor(max_iter=40, n_layers=2, random_state=0)),
        ]
    )
    scores = cross_val_score(model, graphs, sizes, cv=3)
    # 0.84 and more, over seeds; 0 would be the mean of all.
    assert scores.mean() > 0.7


def test_predictions_have_the_units_and_the_shape_of_y(graphs, sizes):
    model = SHAKERegressor(max_iter=3, n_layers=1, random_state=0)
    flat = model.fit(graphs, sizes + 1_000).predict(graphs)
    assert flat.shape == sizes.shape
    assert 950 < flat.mean() < 1_100
    y = np.column_stack([sizes, -sizes])
    assert clone(model).fit(graphs, y).predict(graphs).shape == y.shape


def test_missing_numbers_beside_others_are_left_out(graphs, sizes):
    y = np.column_stack([sizes, 2 * sizes])
    y[::2, 1] = np.nan
    model = SHAKERegressor(max_iter=40, n_layers=2, random_state=0).fit(graphs, y)
    predicted = model.predict(graphs)
    assert np.isfinite(predicted).all()
    # 0.99, over seeds.
    assert np.corrcoef(predicted[:, 1], 2 * sizes)[0, 1] > 0.8


def test_early_stopping_watches_r2(graphs, sizes):
    model = SHAKERegressor(max_iter=5, early_stopping=True, random_state=0)
    model.fit(graphs, sizes)
    assert len(model.validation_scores_) == model.n_iter_
    assert model.best_score_ == max(model.validation_scores_)


def test_it_repeats_itself_and_survives_pickling(graphs, sizes):
    one, other = (
        SHAKERegressor(max_iter=2, random_state=4).fit(graphs, sizes) for _ in range(2)
    )
    expected = one.predict(graphs)
    assert (other.predict(graphs) == expected).all()
    assert (pickle.loads(pickle.dumps(one)).predict(graphs) == expected).all()
    assert one.embed(graphs).shape == (len(graphs), one.hidden_dim)


def test_a_loss_of_the_classifier_is_refused(graphs, sizes):
    with pytest.raises(ValueError, match="'loss' parameter of SHAKERegressor"):
        SHAKERegressor(loss="cross_entropy").fit(graphs, sizes)
