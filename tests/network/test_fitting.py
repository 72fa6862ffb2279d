"""From hierarchies to a fitted network, and back from its parts."""

import numpy as np
import pytest

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network import (
    feature_widths,
    network_from_state,
    network_state,
    outputs_of,
)
from skshake.network._torch_engine import PLAIN


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=1.0, walk_length=0, n_forests=1, random_state=0)
    return coarsener.fit_transform(small_mutag[0])


@pytest.fixture
def network(hierarchies, small_mutag):
    model = SHAKEClassifier(max_iter=2, n_layers=2, random_state=0)
    return model.fit(hierarchies, small_mutag[1]).module_


def test_widths_are_those_of_the_features(hierarchies):
    widths, level = feature_widths(hierarchies), hierarchies.levels[0]
    assert (widths.x_numeric, widths.edge_numeric) == (0, 0)
    assert widths.x_slots == level.x.n_slots > 1
    assert widths.edge_slots == level.edge_attr.n_slots > 1


def test_a_fitted_network_is_plain_and_on_the_cpu(network):
    assert network.engine == PLAIN
    assert not network.training
    assert all(p.device.type == "cpu" for p in network.parameters())
    # What explanations start from has been learnt.
    for one in network.networks:
        assert one.engine == PLAIN
        assert one.baseline.abs().sum() > 0


def test_a_network_is_put_together_from_its_parts(network, hierarchies):
    again = network_from_state(network_state(network))
    expected = outputs_of(network, hierarchies, "cpu")
    assert np.array_equal(outputs_of(again, hierarchies, "cpu"), expected)


def test_a_prediction_without_its_gpu_warns(network, hierarchies, monkeypatch):
    monkeypatch.setattr("skshake.network._engine.PREFERRED", {"cuda": lambda: False})
    with pytest.warns(UserWarning, match="predicting on the CPU"):
        found = outputs_of(network, hierarchies, "cuda")
    assert np.array_equal(found, outputs_of(network, hierarchies, "cpu"))
