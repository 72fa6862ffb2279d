"""What classifier and regressor share: which graphs they take, and how they train."""

import numpy as np
import pytest

from skshake import KFCoarsener, SHAKEClassifier
from skshake._base import automatic_batch_size

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
    assert [len(level) for level in classifier.module_.levels] == [0, 3]
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
