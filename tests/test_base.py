"""What classifier and regressor share: which graphs they take, and how they train."""

import numpy as np
import pytest

from skshake import KFCoarsener, SHAKEClassifier
from skshake._base import (
    DROPOUT_OF_MANY,
    LARGEST_BATCH,
    LEARNING_RATES,
    SMALLEST_BATCH,
    automatic_batch_size,
)

FAST = {"hidden_dim": 8, "n_layers": 1, "max_iter": 3, "random_state": 0}


@pytest.fixture
def hierarchies(two_levels):
    return two_levels


@pytest.fixture
def y(small_mutag):
    return small_mutag[1]


def fast(**parameters):
    return SHAKEClassifier(**{**FAST, **parameters})


@pytest.mark.parametrize(
    ("n_graphs", "expected"),
    [(1, 32), (188, 32), (4_095, 32), (4_110, 64), (32_901, 256), (10**7, 256)],
)
def test_automatic_batch_size(n_graphs, expected):
    assert automatic_batch_size(n_graphs) == expected


def test_hierarchies_of_another_coarsener_are_refused(hierarchies, y, small_mutag):
    classifier = fast().fit(hierarchies, y)
    other = KFCoarsener(q=0.3, random_state=0).fit_transform(small_mutag[0])
    with pytest.raises(ValueError, match="another coarsener"):
        classifier.predict(other)
    sums = KFCoarsener(q=[np.inf, 1.0], node_pooling="sum", n_forests=2)
    with pytest.raises(ValueError, match="another coarsener"):
        classifier.predict(sums.fit_transform(small_mutag[0]))
    with pytest.raises(ValueError, match="fitted on hierarchies"):
        classifier.predict(small_mutag[0])
    for empty in ([], hierarchies[:0]):
        with pytest.raises(ValueError, match="at least one"):
            classifier.predict(empty)


def test_raw_graphs_are_one_level(small_mutag, y):
    graphs = small_mutag[0]
    classifier = fast().fit(list(graphs), y)
    assert classifier.predict(graphs[:3]).shape == (3,)
    assert classifier.predict([graphs[0]]).shape == (1,)


def test_layers_are_per_level(hierarchies, y):
    classifier = fast(n_layers=[0, 3]).fit(hierarchies, y)
    for network in classifier.module_.networks:
        assert [len(level) for level in network.levels] == [0, 3]
    with pytest.raises(ValueError, match="n_layers: expected 2 numbers"):
        fast(n_layers=[1, 2, 3]).fit(hierarchies, y)


def test_warm_start_goes_on(hierarchies, y):
    classifier = fast(warm_start=True, max_iter=30, hidden_dim=16).fit(hierarchies, y)
    first = classifier.loss_curve_[0]
    classifier.fit(hierarchies, y)
    assert classifier.loss_curve_[0] < first
    with pytest.raises(ValueError, match="warm_start: expected the classes"):
        classifier.fit(hierarchies, np.arange(40) % 3)
    with pytest.raises(ValueError, match="warm_start: expected the network"):
        classifier.set_params(hidden_dim=5).fit(hierarchies, y)


def test_many_graphs_are_trained_with_dropout(hierarchies, y, monkeypatch):
    assert fast().fit(hierarchies, y).module_.shape.dropout == 0
    monkeypatch.setattr("skshake._base.MANY_GRAPHS", len(y))
    options = {"early_stopping": False, "warm_start": True}
    many = fast(**options).fit(hierarchies, y)
    assert many.module_.shape.dropout == DROPOUT_OF_MANY
    # A network that goes on with fewer graphs is still the same.
    many.fit(hierarchies[:30], y[:30])
    assert many.module_.shape.dropout == DROPOUT_OF_MANY
    assert fast(dropout=0.1).fit(hierarchies, y).module_.shape.dropout == 0.1


def _plan(n_graphs=100, *, stops_early=False, **parameters):
    return fast(**parameters)._plan(n_graphs, stops_early, None, "classes", 7)


def test_automatic_settings_follow_from_early_stopping():
    fixed, stopped = _plan(), _plan(stops_early=True)
    assert (fixed.schedule, fixed.uses_ema) == ("one-cycle", False)
    assert (stopped.schedule, stopped.uses_ema) == ("constant", True)
    assert fixed.learning_rate == LEARNING_RATES["adamw"]
    assert _plan(optimizer="pesg").learning_rate == LEARNING_RATES["pesg"]
    assert [_plan(n).batch_size for n in (100, 10**6)] == [
        SMALLEST_BATCH,
        LARGEST_BATCH,
    ]


def test_settings_of_the_user_are_kept():
    plan = _plan(
        stops_early=True,
        schedule="one-cycle",
        weight_averaging=True,
        learning_rate=0.5,
        batch_size=3,
    )
    assert (plan.schedule, plan.uses_ema) == ("one-cycle", True)
    assert (plan.learning_rate, plan.batch_size, plan.seed) == (0.5, 3, 7)


def test_a_held_out_set_is_given_as_a_whole(hierarchies, y):
    for half in ({"X_val": hierarchies[:5]}, {"y_val": y[:5]}):
        with pytest.raises(ValueError, match="X_val and y_val: give both or neither"):
            fast().fit(hierarchies, y, **half)
    with pytest.raises(ValueError, match="X_val: expected at least one graph"):
        fast().fit(hierarchies, y, X_val=hierarchies[:0], y_val=[])
    with pytest.raises(ValueError, match="early_stopping=True needs at least 2 graphs"):
        fast(early_stopping=True).fit(hierarchies[:1], y[:1])


def test_tables_of_numbers_are_no_graphs(hierarchies, y, small_mutag):
    on_hierarchies = fast().fit(hierarchies, y)
    on_graphs = fast().fit(small_mutag[0], y)
    for model, shapes in (
        (on_hierarchies, [(2, 2), (3, 4)]),
        (on_graphs, [(1, 1), (3, 4)]),
    ):
        for shape in shapes:
            with pytest.raises(
                TypeError, match=r"X: expected graphs .* table of numbers"
            ):
                model.predict(np.zeros(shape))


def test_a_fit_that_fails_leaves_the_last_one(hierarchies, y):
    model = fast().fit(hierarchies, y)
    expected = model.predict_proba(hierarchies)
    with pytest.raises(ValueError, match="n_layers"):
        model.set_params(n_layers=[1, 2, 3]).fit(hierarchies, y)
    assert (model.predict_proba(hierarchies) == expected).all()


def test_embeddings_are_rows_of_the_hidden_dimension(hierarchies, y):
    model = fast().fit(hierarchies, y)
    embedding = model.embed(hierarchies)
    assert embedding.shape == (40, 8)
    assert (model.transform(hierarchies) == embedding).all()
    names = model.get_feature_names_out()
    assert names.tolist() == [f"shakeclassifier{k}" for k in range(8)]


def test_graphs_that_differ_from_those_of_fit_are_found_before(small_mutag, y):
    graphs = small_mutag[0]
    model = fast().fit(graphs, y)
    stranger = np.zeros((2, 2)), np.ones((2, 3))
    problems = model.check([graphs[0], stranger, "text"])
    assert [problem.graph for problem in problems] == [1, 2]
    assert model.check(graphs[:3]) == []
    # Before a fit only what no fit could read is found.
    assert [p.graph for p in fast().check([graphs[0], "text"])] == [1]
