"""Steps: clipped gradients, averaged weights, random numbers that follow the seed."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network import find_loss
from skshake.network._engine import choose_engine
from skshake.network._fitting import build_network
from skshake.network._steps import Steps, Targets
from skshake.network.batches import DeviceHierarchies, Window

CPU = torch.device("cpu")


@pytest.fixture
def make_steps(small_mutag, make_shape):
    """Function of options of the estimator that gives steps and a window of a batch."""
    graphs, y = small_mutag
    hierarchies = KFCoarsener(q=1.0, n_forests=1).fit_transform(graphs)

    def make(dropout=0.0, **options):
        model = SHAKEClassifier(schedule="constant", **options)
        plan = model._plan(len(y), False, find_loss("cross_entropy"), "classes", seed=3)
        shape = make_shape(hierarchies, dropout=dropout)
        network = build_network(hierarchies, shape).on(choose_engine(shape, CPU))
        codes = np.unique(y, return_inverse=True)[1]
        targets = Targets(torch.from_numpy(codes), torch.ones(len(y)))
        data = DeviceHierarchies(hierarchies, CPU)
        window = Window(data, [np.arange(len(y))], 0, with_transposes=False)
        return Steps(network.train(), data, targets, plan), window

    return make


def weights_of(network):
    return torch.cat([p.detach().ravel().clone() for p in network.parameters()])


def test_averaged_weights_follow_slowly(make_steps):
    steps, window = make_steps()
    steps.average_weights(4)
    found = []
    for _ in range(2):
        steps.step(window, 0)
        found.append(weights_of(steps.network))
    # The first are taken as they are.
    expected = 0.75 * found[0] + 0.25 * found[1]
    torch.testing.assert_close(weights_of(steps.result), expected)
    assert not torch.equal(found[0], found[1])


def test_without_an_average_the_last_weights_are_kept(make_steps):
    steps, _ = make_steps()
    assert steps.result is steps.network


@pytest.mark.parametrize("conv", ["gine", "gcn"])
def test_gradients_are_clipped(conv, make_steps):
    steps, window = make_steps(clip_norm=1e-3, conv=conv)
    steps.step(window, 0)
    gradients = [p.grad.ravel() for p in steps.network.parameters()]
    assert torch.cat(gradients).norm() == pytest.approx(1e-3, rel=1e-3)


def test_each_step_drops_others_and_each_training_the_same(make_steps):
    losses = []
    for _ in range(2):
        # Without a rate nothing but what is dropped differs between steps.
        steps, window = make_steps(dropout=0.5, learning_rate=1e-12, weight_decay=0)
        losses.append([steps.step(window, 0).item() for _ in range(3)])
    assert losses[0] == losses[1]
    assert np.ptp(losses[0]) > 1e-3
