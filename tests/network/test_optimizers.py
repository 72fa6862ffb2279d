"""PESG by hand, and which way each parameter goes."""

import pytest
import torch

from skshake.network._losses import AUCMargin, CrossEntropy
from skshake.network._optimizers import PESG, flatten, make_optimizer, unflatten


def test_steps_of_pesg_by_hand():
    parameter = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    groups = [{"params": [parameter]}]
    optimizer = PESG(groups, lr=0.1, weight_decay=0.5, epoch_decay=0.2)
    parameter.grad = torch.tensor([3.0, -0.4])  # 3 is clamped to 1
    optimizer.step()
    expected = torch.tensor([1 - 0.1 * (1 + 0.5 * 1), 2 - 0.1 * (-0.4 + 0.5 * 2)])
    torch.testing.assert_close(parameter.data, expected)
    # Now the reference, still the start, pulls back.
    before = parameter.data.clone()
    parameter.grad = torch.zeros(2)
    optimizer.step()
    pull = 0.2 * (before - torch.tensor([1.0, 2.0])) + 0.5 * before
    torch.testing.assert_close(parameter.data, before - 0.1 * pull)
    optimizer.end_epoch()
    reference = optimizer.state[parameter]["reference"]
    torch.testing.assert_close(reference, (before + parameter.data) / 2)


@pytest.mark.parametrize("name", ["adamw", "pesg"])
def test_alpha_goes_up_and_the_rest_down(name):
    torch.manual_seed(0)
    network, loss = torch.nn.Linear(2, 1), AUCMargin(1)
    optimizer = make_optimizer(
        name, list(network.parameters()), loss, 0.01, 0.0, ascends=("alpha",)
    )
    outputs = network(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
    value = loss(outputs, torch.tensor([[1.0], [0.0]]), torch.ones(2))
    value.backward()
    before = {key: p.detach().clone() for key, p in loss.named_parameters()}
    optimizer.step()
    for key, parameter in loss.named_parameters():
        move = (parameter - before[key]).item() * parameter.grad.item()
        assert abs(parameter.grad.item()) > 1e-3
        assert (move > 0) == (key == "alpha")


def test_a_flat_network_moves_as_its_parameters_do():
    # In float64: AdamW divides gradients by their size, rounding of small ones too.
    networks, inputs = [], torch.randn(6, 3, dtype=torch.float64)
    for is_flat in (False, True):
        torch.manual_seed(0)
        network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
        network.double()
        weights = [flatten(network)] if is_flat else list(network.parameters())
        optimizer = make_optimizer("adamw", weights, CrossEntropy(), 0.1, 0.1)
        for _ in range(3):
            optimizer.zero_grad(set_to_none=False)
            network(inputs).square().sum().backward()
            optimizer.step()
        networks.append(network)
    for plain, flat in zip(*(n.parameters() for n in networks), strict=True):
        torch.testing.assert_close(plain, flat)
    values = [p.detach().clone() for p in networks[1].parameters()]
    unflatten(networks[1])
    for value, parameter in zip(values, networks[1].parameters(), strict=True):
        assert torch.equal(value, parameter)
        assert parameter.untyped_storage().nbytes() == parameter.nbytes


def test_a_state_of_pesg_is_restored():
    def make(network, loss):
        weights = list(network.parameters())
        return make_optimizer("pesg", weights, loss, lr=0.1, weight_decay=0.1)

    states = []
    for interrupted in (False, True):
        torch.manual_seed(0)
        network, loss = torch.nn.Linear(2, 2), CrossEntropy()
        optimizer = make(network, loss)
        for step in range(6):
            if interrupted and step == 4:
                state = optimizer.state_dict(), network.state_dict()
                network = torch.nn.Linear(2, 2)
                network.load_state_dict(state[1])
                optimizer = make(network, loss)
                optimizer.load_state_dict(state[0])
            network.weight.grad = torch.full((2, 2), 0.1 * step)
            network.bias.grad = torch.full((2,), -0.1 * step)
            optimizer.step()
            if step == 2:
                optimizer.end_epoch()
        states.append(network.weight.detach().clone())
    assert torch.equal(*states)
