"""Kernels as they are launched: by hand, and against plain torch or naive twins."""

from functools import partial

import numpy as np
import pytest
import torch

from skshake.network._csr import CSR, BatchArcs, transpose
from skshake.network._dropout import drop
from skshake.network._norm import INVSTD, MEAN, SCALE, SHIFT
from skshake.network._readouts import READOUTS, mean_max_sum
from skshake.network._torch_engine import LevelPlan
from tests._helpers import naive
from tests._helpers.naive import TRIANGLE_WITH_TAIL

CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def plan_of(ends, device, arcs=None):
    """Plan of graphs whose rows end there, without arcs if none are given."""
    tensor = partial(torch.as_tensor, device=device)
    if arcs is None:
        no_rows = tensor(np.zeros(0, np.int64))
        arcs = BatchArcs(
            tensor([0, *[0] * ends[-1]]), no_rows, no_rows, no_rows.float()
        )
    return LevelPlan(
        arcs,
        tensor([0, *ends]),
        shares_edges=False,
        n_linear=1,
        dropout=0.0,
        streams=None,
        is_training=True,
        residual=False,
        readout=READOUTS["mean_max_sum"],
    )


def test_messages_are_those_of_loops(device, global_random_seed):
    from skshake.network.cuda._launch import Launcher

    tensor = partial(torch.as_tensor, device=device)
    arcs = BatchArcs(*(tensor(a) for a in TRIANGLE_WITH_TAIL[:4]))
    by_edge = transpose(CSR(arcs.rowptr, arcs.edge, arcs.weight), 4)
    arcs = arcs._replace(by_edge=by_edge)
    rng = np.random.default_rng(global_random_seed)
    h, grad = rng.normal(size=(2, 5, 6)).astype(np.float32)
    e = rng.normal(size=(4, 6)).astype(np.float32)
    rows = Launcher(plan_of([5], device, arcs), tensor(h))
    epsilon = tensor([0.25])
    out = rows.sum_messages(epsilon, tensor(h), tensor(e))
    expected = naive.sum_messages(TRIANGLE_WITH_TAIL, 1.25, h, e)
    np.testing.assert_allclose(out.cpu(), expected, **CLOSE)
    found = rows.sum_messages_backward(epsilon, tensor(h), tensor(e), tensor(grad))
    expected = naive.sum_messages_backward(TRIANGLE_WITH_TAIL, 1.25, h, e, grad)
    np.testing.assert_allclose(found[0].cpu(), expected[0], **CLOSE)
    np.testing.assert_allclose(found[1].item(), expected[2], **CLOSE)
    grad_e = torch.zeros(2, 4, 6, device=device)
    rows.add_edge_gradients(tensor(h), tensor(e), tensor(grad), grad_e)
    np.testing.assert_allclose(grad_e.sum(dim=0).cpu(), expected[1], **CLOSE)


def test_a_normalisation_by_hand(device):
    from skshake.network.cuda._launch import Launcher

    tensor = partial(torch.as_tensor, device=device)
    # The last row does not count.
    z = tensor([[1.0], [3.0], [5.0], [99.0]])
    rows = Launcher(plan_of([3], device)._replace(), z)
    layer = torch.nn.BatchNorm1d(1, eps=1 / 3).to(device)
    norm = rows.find_norm(z, layer, tensor([4.0]), tensor([5.0]))
    # Mean 3, variance 8/3, unbiased 4.
    assert norm[MEAN].item() == 3
    assert norm[INVSTD].item() == pytest.approx(3**-0.5)
    assert norm[SCALE].item() == pytest.approx(4 * 3**-0.5)
    assert norm[SHIFT].item() == pytest.approx(5 - 12 * 3**-0.5)
    assert layer.running_mean.item() == pytest.approx(0.3)
    assert layer.running_var.item() == pytest.approx(0.9 + 0.4)
    out = torch.empty_like(z)
    rows.normalise(z, norm, 1.0, None, out)
    expected = [5 - 8 * 3**-0.5, 5.0, 5 + 8 * 3**-0.5, 0.0]
    assert out.ravel().tolist() == pytest.approx(expected)


def test_dropout_is_that_of_torch(device):
    from skshake.network.cuda._launch import Launcher

    z = torch.ones(20, 5, device=device)
    rows = Launcher(plan_of([20], device), z)
    norm = torch.zeros(4, 5, device=device)
    norm[SCALE] = 1.0
    stream = torch.tensor([12345678901234567], device=device)
    out = torch.empty_like(z)
    rows.normalise(z, norm, 0.7, stream, out)
    torch.testing.assert_close(out, drop(z, 0.3, stream[0]))


def test_pooling_is_that_of_torch(device, global_random_seed):
    from skshake.network.cuda._launch import GraphPooling, Launcher

    generator = torch.Generator().manual_seed(global_random_seed)
    # Two rows, none, three rows; the last row does not count.
    states = torch.randn(2, 6, 4, generator=generator).to(device)
    plan = plan_of([2, 2, 5], device)
    rows = Launcher(plan, states[0])
    pooling = GraphPooling(plan, rows, states)
    grad_pooled = torch.randn(3, 2, 12, generator=generator).to(device)
    pooling.number_rows()
    for s in range(2):
        counted = states[s, :5].clone().requires_grad_()
        expected = mean_max_sum(counted, plan.node_ptr)
        torch.testing.assert_close(pooling.pooled.flatten(2)[:, s], expected.detach())
        expected.backward(grad_pooled[:, s])
        grad = torch.zeros(6, 4, device=device)
        pooling.add_gradient(s, grad_pooled, grad)
        torch.testing.assert_close(grad[:5], counted.grad)
        assert not grad[5].any()


@pytest.mark.parametrize("n_rows", [0, 1])
def test_fewer_than_two_rows_leave_the_statistics_as_they_are(n_rows, device):
    from skshake.network.cuda._launch import Launcher

    width = 4
    tensor = partial(torch.as_tensor, device=device)
    norm = torch.nn.BatchNorm1d(width).to(device)
    norm.running_mean += torch.arange(width, device=device)
    norm.running_var += 1.0
    z = torch.linspace(-1, 1, 3 * width, device=device).view(3, width)
    rows = Launcher(plan_of([n_rows], device), z)
    norm_rows = rows.find_norm(z, norm, norm.weight.detach(), norm.bias.detach())
    assert norm.running_mean.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert norm.running_var.tolist() == [2.0] * width
    assert norm_rows[MEAN].tolist() == norm.running_mean.tolist()
    grad, out = torch.ones(3, width, device=device), torch.ones_like(z)
    rows.through_sublayer(out, grad, z, norm_rows, 1.0)
    # Known statistics have no gradient: only the scale is left.
    expected = norm_rows[SCALE].expand(3, width) * (tensor([[0], [1], [2]]) < n_rows)
    torch.testing.assert_close(grad, expected)
