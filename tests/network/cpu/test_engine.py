"""What the CPU's engine computes itself, and what it leaves to plain torch."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network._fitting import build_network
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import DeviceHierarchies
from skshake.network.cpu import _engine
from skshake.network.cpu._engine import CPUEngine


@pytest.fixture
def calls(monkeypatch):
    """Number of conv stacks that were run."""
    found, run = [], _engine.run_conv_stack

    def counted(*arguments):
        found.append(1)
        return run(*arguments)

    monkeypatch.setattr(_engine, "run_conv_stack", counted)
    return found


def test_layers_are_fused_but_for_a_lone_row_and_for_gradients_in_evaluation(
    calls, make_shape
):
    graphs = [np.zeros((1, 1)), np.ones((3, 3)) - np.eye(3)]
    hierarchies = KFCoarsener(q=np.inf, n_forests=1).fit_transform(graphs)
    network = build_network(hierarchies, make_shape(hierarchies))
    network = network.on(CPUEngine(fuses=True)).train()
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    for graphs, fused in (([0], 0), ([1], 1)):
        network(data.batch(np.array(graphs)))
        assert len(calls) == fused
    network.eval()
    network(data.batch(np.array([1])))
    assert len(calls) == 1
    with torch.no_grad():
        network(data.batch(np.array([0])))
    assert len(calls) == 2
    with torch.no_grad():
        network.on(CPUEngine(fuses=False))(data.batch(np.array([1])))
        network.on(PLAIN)(data.batch(np.array([1])))
    assert len(calls) == 2


def test_nothing_is_dropped_without_a_stream():
    h = torch.rand(4, 3)
    assert CPUEngine().drop(h, 0.5, None) is h
    assert CPUEngine().drop(h, 0.0, torch.tensor(5)) is h
