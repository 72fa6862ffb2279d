"""Linear layers in lanes are those of torch."""

import pytest
import torch

from skshake.network.cpu._engine import CPUEngine


@pytest.mark.parametrize("n_rows", [1, 3, 50])
def test_rows_and_gradients_are_those_of_torch(n_rows, monkeypatch):
    monkeypatch.setattr("skshake.network.cpu._engine.FEWEST_VALUES", 0)
    generator = torch.Generator().manual_seed(0)
    layer = torch.nn.Linear(6, 4)
    values = torch.randn(n_rows, 6, generator=generator)
    grad = torch.randn(n_rows, 4, generator=generator)
    found = []
    for function in (lambda x: CPUEngine().linear(layer, x), layer):
        x = values.clone().requires_grad_()
        layer.zero_grad()
        out = function(x)
        out.backward(grad)
        found.append((out.detach(), x.grad, layer.weight.grad, layer.bias.grad))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
