"""Kernels of graph pooling: by hand, and against plain torch."""

import numpy as np
import torch

from skshake.network._readouts import mean_max_sum
from skshake.network.cpu._pooling import pool_graphs, pool_graphs_backward

# Two nodes, none, three nodes.
NODE_PTR = np.array([0, 2, 2, 5])


def test_pooling_by_hand():
    h = np.array([[1.0], [3.0], [-5.0], [-1.0], [-1.0]], np.float32)
    out = np.full((3, 5), -1.0, np.float32)
    pool_graphs(0, 3, NODE_PTR, h, 1, out)
    rows = [[2, 3, 4 / 2**0.5], [0, 0, 0], [-7 / 3, -1, -7 / 3**0.5]]
    np.testing.assert_allclose(out[:, 1:4], rows, rtol=1e-6)
    assert (out[:, [0, 4]] == -1).all()


def test_gradients_by_hand():
    h = np.array([[1.0], [3.0], [-5.0], [-1.0], [-1.0]], np.float32)
    out = np.empty((3, 3), np.float32)
    pool_graphs(0, 3, NODE_PTR, h, 0, out)
    # Of the mean, the maximum (shared by equal nodes) and the scaled sum.
    grad = np.array([[2, 0, 0], [9, 9, 9], [0, 6, 0]], np.float32)
    grad_h = np.full_like(h, 100)
    pool_graphs_backward(0, 3, NODE_PTR, h, 0, out, grad, grad_h)
    assert grad_h.ravel().tolist() == [101, 101, 100, 103, 103]
    grad[:] = [[0, 0, 2**0.5], [0, 0, 0], [0, 0, 0]]
    pool_graphs_backward(0, 3, NODE_PTR, h, 0, out, grad, grad_h)
    np.testing.assert_allclose(grad_h.ravel(), [102, 102, 100, 103, 103], rtol=1e-6)


def test_equal_to_plain_torch(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    h = rng.normal(size=(5, 4)).astype(np.float32)
    grad = rng.normal(size=(3, 12)).astype(np.float32)
    tensor = torch.tensor(h).requires_grad_()
    expected = mean_max_sum(tensor, torch.tensor(NODE_PTR))
    expected.backward(torch.tensor(grad))
    out, grad_h = np.empty((3, 12), np.float32), np.zeros_like(h)
    pool_graphs(0, 3, NODE_PTR, h, 0, out)
    pool_graphs_backward(0, 3, NODE_PTR, h, 0, out, grad, grad_h)
    np.testing.assert_allclose(out, expected.detach(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(grad_h, tensor.grad, rtol=1e-5, atol=1e-6)


def test_a_maximum_that_is_no_number_stays_one():
    h = np.array([[1.0], [np.nan]], np.float32)
    out = np.empty((1, 3), np.float32)
    pool_graphs(0, 1, np.array([0, 2]), h, 0, out)
    assert np.isnan(out[0, [0, 2]]).all()
