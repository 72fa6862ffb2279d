"""Kernels of graph pooling: by hand, and against plain torch."""

import numpy as np
import torch

from skshake.network._readouts import mean_max_sum
from skshake.network.cpu._columns import cut_off_parts, pad, pad_parts
from skshake.network.cpu._pooling import pool_graphs, pool_graphs_backward

# Two nodes, none, three nodes.
NODE_PTR = np.array([0, 2, 2, 5])
H = pad(np.array([[1.0], [3.0], [-5.0], [-1.0], [-1.0]], np.float32))


def test_pooling_by_hand():
    out = np.full((3, 5, H.shape[1]), -1.0, np.float32)
    pool_graphs(0, 3, NODE_PTR, H, 1, out.reshape(3, -1))
    rows = [[2, 3, 4 / 2**0.5], [0, 0, 0], [-7 / 3, -1, -7 / 3**0.5]]
    np.testing.assert_allclose(out[:, 1:4, 0], rows, rtol=1e-6)
    assert (out[:, [0, 4]] == -1).all()


def test_a_tile_has_the_rows_of_its_own_graphs():
    out = np.full((3, 3 * H.shape[1]), -1.0, np.float32)
    pool_graphs(2, 3, NODE_PTR, H[2:], 0, out)
    np.testing.assert_allclose(cut_off_parts(out, 1)[2, :2], [-7 / 3, -1], rtol=1e-6)
    assert (out[:2] == -1).all()


def test_gradients_by_hand():
    out = np.empty((3, 3 * H.shape[1]), np.float32)
    pool_graphs(0, 3, NODE_PTR, H, 0, out)
    # Of the mean, the maximum (shared by equal nodes) and the scaled sum.
    grad = pad_parts(np.array([[2, 0, 0], [9, 9, 9], [0, 6, 0]], np.float32), 1)
    grad_h = np.full_like(H, 100)
    pool_graphs_backward(0, 3, NODE_PTR, H, 0, out, grad, grad_h)
    assert grad_h[:, 0].tolist() == [101, 101, 100, 103, 103]
    grad = np.array([[0, 0, 2**0.5], [0, 0, 0], [0, 0, 0]], np.float32)
    pool_graphs_backward(0, 3, NODE_PTR, H, 0, out, pad_parts(grad, 1), grad_h)
    np.testing.assert_allclose(grad_h[:, 0], [102, 102, 100, 103, 103], rtol=1e-6)


def test_equal_to_plain_torch(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    h = rng.normal(size=(5, 4)).astype(np.float32)
    grad = rng.normal(size=(3, 12)).astype(np.float32)
    tensor = torch.tensor(h).requires_grad_()
    expected = mean_max_sum(tensor, torch.tensor(NODE_PTR))
    expected.backward(torch.tensor(grad))
    rows = pad(h)
    out, grad_h = np.empty((3, 3 * rows.shape[1]), np.float32), np.zeros_like(rows)
    pool_graphs(0, 3, NODE_PTR, rows, 0, out)
    pool_graphs_backward(0, 3, NODE_PTR, rows, 0, out, pad_parts(grad, 4), grad_h)
    close = {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(cut_off_parts(out, 4), expected.detach(), **close)
    np.testing.assert_allclose(grad_h[:, :4], tensor.grad, **close)


def test_a_maximum_that_is_no_number_stays_one():
    for h in ([[1.0], [np.nan]], [[np.nan], [1.0]]):
        rows = pad(np.array(h, np.float32))
        out = np.empty((1, 3 * rows.shape[1]), np.float32)
        pool_graphs(0, 1, np.array([0, 2]), rows, 0, out)
        assert np.isnan(cut_off_parts(out, 1)).all()
