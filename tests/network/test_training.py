"""Epochs: schedules, and what happens when memory is short or a user interrupts."""

import warnings

import numpy as np
import pytest
import torch

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network._steps import Steps
from skshake.network._training import Training


@pytest.fixture(scope="module")
def hierarchies(mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=3, random_state=0)
    return coarsener.fit_transform(mutag[0]), mutag[1]


@pytest.fixture
def rates(monkeypatch):
    """Learning rates of the steps that are made."""
    found, step = [], Steps.step

    def noted(self, window, b):
        found.append(self.optimizer.param_groups[0]["lr"])
        return step(self, window, b)

    monkeypatch.setattr(Steps, "step", noted)
    return found


def test_one_cycle_rises_and_falls(hierarchies, rates):
    SHAKEClassifier(max_iter=5, learning_rate=0.01, random_state=0).fit(*hierarchies)
    peak = int(np.argmax(rates))
    assert max(rates) == pytest.approx(0.01, rel=0.05)
    assert (np.diff(rates[: peak + 1]) > 0).all()
    assert (np.diff(rates[peak:]) < 0).all()
    assert rates[-1] < 0.001


def test_a_constant_rate_is_constant(hierarchies, rates):
    settings = {"schedule": "constant", "learning_rate": 0.01}
    SHAKEClassifier(max_iter=2, random_state=0, **settings).fit(*hierarchies)
    assert set(rates) == {0.01}


def test_each_epoch_takes_another_forest(hierarchies, monkeypatch):
    step, forests = Steps.step, []

    def noted(self, window, b):
        forests.append(window.forest)
        return step(self, window, b)

    monkeypatch.setattr(Steps, "step", noted)
    SHAKEClassifier(max_iter=4, batch_size=188, random_state=0).fit(*hierarchies)
    assert forests == [0, 1, 2, 0]


def test_an_interrupt_before_the_first_epoch_is_raised(hierarchies, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "run_epoch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        SHAKEClassifier(max_iter=2).fit(*hierarchies)


def test_out_of_memory_halves_the_batch(hierarchies, monkeypatch):
    step, sizes = Steps.step, []

    def small_memory(self, window, b):
        n_graphs = len(window.graphs_of(b))
        if n_graphs > 20:
            raise torch.OutOfMemoryError("too much")
        sizes.append(n_graphs)
        return step(self, window, b)

    monkeypatch.setattr(Steps, "step", small_memory)
    model = SHAKEClassifier(batch_size=64, max_iter=3, random_state=0)
    with pytest.warns(UserWarning, match="out of memory: going on with batch_size"):
        model.fit(*hierarchies)
    assert sum(sizes) == 3 * len(hierarchies[1])
    assert max(sizes) <= 20
    assert model.n_iter_ == 3


def test_memory_that_never_suffices_is_an_error(hierarchies, monkeypatch):
    def no_memory(self, window, b):
        raise torch.OutOfMemoryError("too much")

    monkeypatch.setattr(Steps, "step", no_memory)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(torch.OutOfMemoryError):
            SHAKEClassifier(max_iter=1).fit(*hierarchies)
