"""Kernels of message passing: by hand, and against loops in plain Python."""

import numpy as np
import pytest

from skshake.network._csr import BatchArcs
from skshake.network.cpu._columns import pad
from skshake.network.cpu._messages import sum_messages, sum_messages_backward
from tests._helpers import naive
from tests._helpers.naive import TRIANGLE_WITH_TAIL


def test_messages_by_hand():
    h = pad(np.array([[1.0], [-2.0], [3.0], [4.0], [5.0]], np.float32))
    e = pad(np.array([[0.5], [0.0], [-1.0], [1.0]], np.float32))
    out = np.full_like(h, np.nan)
    sum_messages(0, 5, TRIANGLE_WITH_TAIL, np.float32(10.0), h, e, out)
    expected = [
        10 * 1.0 + 1 * 0 + 2 * 3.0,  # from 1: relu(-1.5) = 0; from 2: relu(3)
        10 * -2.0 + 1 * 1.5 + 3 * 2.0,
        10 * 3.0 + 2 * 1.0 + 3 * 0 + 4 * 5.0,
        10 * 4.0 + 4 * 4.0,
        10 * 5.0,
    ]
    assert out[:, 0].tolist() == expected
    assert (out[:, 1:] == 0).all()


def test_gradients_by_hand():
    # One edge between two nodes, and a third node alone: h_0 + e = 3 is open.
    arcs = BatchArcs(
        np.array([0, 1, 2, 2]),
        np.array([1, 0]),
        np.array([0, 0]),
        np.array([2.0, 2.0], np.float32),
    )
    h = pad(np.array([[1.0], [-4.0], [7.0]], np.float32))
    e = pad(np.array([[2.0]], np.float32))
    grad = pad(np.array([[1.0], [10.0], [100.0]], np.float32))
    grad_h, grad_e = np.full_like(h, np.nan), np.full_like(e, 0.25)
    found = sum_messages_backward(
        0, 3, arcs, np.float32(5.0), h, e, grad, grad_h, grad_e
    )
    assert grad_h[:, 0].tolist() == [5 * 1.0 + 2 * 10.0, 5 * 10.0, 5 * 100.0]
    assert grad_e[0].tolist() == [0.25 + 2 * 10.0] + [0.25] * (len(grad_e[0]) - 1)
    assert found == 1 * 1.0 - 4 * 10.0 + 7 * 100.0


@pytest.mark.parametrize("width", [1, 64])
def test_equal_to_loops(width, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    h, grad = pad(rng.normal(size=(2, 5, width)).astype(np.float32))
    e = pad(rng.normal(size=(4, width)).astype(np.float32))
    self_weight, out = np.float32(1.25), np.empty_like(h)
    sum_messages(0, 5, TRIANGLE_WITH_TAIL, self_weight, h, e, out)
    expected = naive.sum_messages(TRIANGLE_WITH_TAIL, self_weight, h, e)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    grad_h, grad_e = np.empty_like(h), np.zeros_like(e)
    found = sum_messages_backward(
        0, 5, TRIANGLE_WITH_TAIL, self_weight, h, e, grad, grad_h, grad_e
    )
    expected = naive.sum_messages_backward(TRIANGLE_WITH_TAIL, self_weight, h, e, grad)
    for one, other in zip((grad_h, grad_e, found), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_a_tile_is_a_part_of_a_batch():
    """Rows 2 to 4 of a batch, whose arcs are numbered from its first row."""
    arcs = BatchArcs(
        np.array([0, 1, 2, 3, 4]),
        np.array([1, 0, 3, 2]),
        np.array([0, 0, 1, 1]),
        np.array([9.0, 9.0, 2.0, 2.0], np.float32),
    )
    h = pad(np.array([[1.0], [3.0]], np.float32))
    e = pad(np.array([[100.0], [0.5]], np.float32))
    out, grad_h, grad_e = np.empty_like(h), np.empty_like(h), np.zeros_like(e)
    sum_messages(2, 4, arcs, np.float32(1.0), h, e, out)
    assert out[:, 0].tolist() == [1 + 2 * 3.5, 3 + 2 * 1.5]
    grad = pad(np.array([[1.0], [10.0]], np.float32))
    sum_messages_backward(2, 4, arcs, np.float32(1.0), h, e, grad, grad_h, grad_e)
    assert grad_h[:, 0].tolist() == [1 + 2 * 10, 10 + 2 * 1]
    assert grad_e[:, 0].tolist() == [0, 2 * 10 + 2 * 1]
