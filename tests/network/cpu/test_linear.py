"""Linear layers in lanes are those of torch."""

from copy import deepcopy
from functools import partial

import pytest
import torch
from torch import nn

from skshake.network.cpu._engine import CPUEngine

MLP = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 4))


@pytest.mark.parametrize(
    ("n_rows", "dtype"),
    [
        (1, torch.float32),
        (3, torch.float32),
        (50, torch.float32),
        # More than the fewest lanes, and no sums of so many rows in single precision.
        (20_000, torch.float64),
    ],
)
@pytest.mark.parametrize(
    ("layers", "in_lanes"),
    [(MLP[0], CPUEngine().linear), (MLP, CPUEngine().run_mlp)],
    ids=["one", "several"],
)
def test_rows_and_gradients_are_those_of_torch(
    layers, in_lanes, n_rows, dtype, monkeypatch
):
    layers = deepcopy(layers).to(dtype)
    monkeypatch.setattr("skshake.network.cpu._engine.FEWEST_VALUES", 0)
    monkeypatch.setattr("skshake.network.cpu._engine.FEWEST_ROWS", 0)
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(n_rows, 6, generator=generator, dtype=dtype)
    grad = torch.randn(n_rows, 4, generator=generator, dtype=dtype)
    found = []
    for function in (partial(in_lanes, layers), layers):
        x = values.clone().requires_grad_()
        layers.zero_grad()
        out = function(x)
        out.backward(grad)
        found.append((out.detach(), x.grad, *(p.grad for p in layers.parameters())))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_features_that_need_no_gradient_get_none(monkeypatch):
    monkeypatch.setattr("skshake.network.cpu._engine.FEWEST_VALUES", 0)
    layer, x = nn.Linear(3, 2), torch.ones(5, 3)
    CPUEngine().linear(layer, x).sum().backward()
    assert x.grad is None
    assert layer.weight.grad.tolist() == [[5.0] * 3] * 2


def test_large_batches_are_encoded_in_lanes(monkeypatch):
    monkeypatch.setattr("skshake.network.cpu._engine.FEWEST_ROWS", 20_000)
    layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    n_lanes = []
    monkeypatch.setattr(
        "skshake.network.cpu._linear.run_tasks",
        lambda task, n: n_lanes.append(n) or [task(lane) for lane in range(n)],
    )
    for n_rows in (19_999, 20_000):
        with torch.no_grad():
            CPUEngine().run_mlp(layers, torch.zeros(n_rows, 4))
    # Both layers have lanes of about 2,048 rows.
    assert n_lanes == [10, 10]
