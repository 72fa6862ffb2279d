"""Kernels of message passing: by hand, and against loops in plain Python."""

import numpy as np
import pytest

from skshake.network._csr import BatchArcs
from skshake.network.cpu._messages import relu, sum_messages, sum_messages_backward
from tests._helpers import naive
from tests._helpers.naive import TRIANGLE_WITH_TAIL


def test_messages_by_hand():
    h = np.array([[1.0], [-2.0], [3.0], [4.0], [5.0]], np.float32)
    e = np.array([[0.5], [0.0], [-1.0], [1.0]], np.float32)
    out = np.full_like(h, np.nan)
    sum_messages(0, 5, TRIANGLE_WITH_TAIL, np.float32(10.0), h, e, out)
    expected = [
        10 * 1.0 + 1 * 0 + 2 * 3.0,  # from 1: relu(-1.5) = 0; from 2: relu(3)
        10 * -2.0 + 1 * 1.5 + 3 * 2.0,
        10 * 3.0 + 2 * 1.0 + 3 * 0 + 4 * 5.0,
        10 * 4.0 + 4 * 4.0,
        10 * 5.0,
    ]
    assert out.ravel().tolist() == expected


def test_gradients_by_hand():
    # One edge between two nodes, and a third node alone: h_0 + e = 3 is open.
    arcs = BatchArcs(
        np.array([0, 1, 2, 2]),
        np.array([1, 0]),
        np.array([0, 0]),
        np.array([2.0, 2.0], np.float32),
    )
    h = np.array([[1.0], [-4.0], [7.0]], np.float32)
    e, grad = np.array([[2.0]], np.float32), np.array([[1.0], [10.0], [100.0]])
    grad = grad.astype(np.float32)
    grad_h, grad_e = np.full_like(h, np.nan), np.full_like(e, 0.25)
    found = sum_messages_backward(
        0, 3, arcs, np.float32(5.0), h, e, grad, grad_h, grad_e
    )
    assert grad_h.ravel().tolist() == [5 * 1.0 + 2 * 10.0, 5 * 10.0, 5 * 100.0]
    assert grad_e.tolist() == [[0.25 + 2 * 10.0]]
    assert found == 1 * 1.0 - 4 * 10.0 + 7 * 100.0


@pytest.mark.parametrize("width", [1, 7])
def test_equal_to_loops(width, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    h, grad = rng.normal(size=(2, 5, width)).astype(np.float32)
    e = rng.normal(size=(4, width)).astype(np.float32)
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


def test_rows_outside_are_left_alone():
    h, e = np.ones((5, 2), np.float32), np.ones((4, 2), np.float32)
    out = np.full_like(h, -1.0)
    sum_messages(1, 3, TRIANGLE_WITH_TAIL, np.float32(1.0), h, e, out)
    assert (out[[0, 3, 4]] == -1).all()
    assert (out[1:3] > 0).all()


def test_relu_keeps_what_is_no_number():
    assert relu(np.float32(2.0)) == 2.0
    assert relu(np.float32(-2.0)) == 0.0
    assert np.isnan(relu(np.float32(np.nan)))
