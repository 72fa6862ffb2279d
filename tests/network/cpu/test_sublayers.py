"""Kernels of a sublayer: by hand, and against torch in float64."""

import numpy as np
import pytest
import torch

from skshake._simd import WIDTH
from skshake.network._norm import INVSTD, MEAN, N_ROWS, SCALE, SHIFT
from skshake.network.cpu._columns import pad
from skshake.network.cpu._sublayers import (
    apply_linear,
    apply_linear_backward,
    find_means,
    find_moments,
    find_norm,
    move_running,
    normalise,
    normalise_backward,
    relu_dropout_backward,
)

NO_STREAM = np.uint64(0)
# float32 in sums of a few dozen numbers around 1.
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def float32(values):
    return np.array(values, np.float32)


def test_a_linear_layer_by_hand():
    x = pad(float32([[1, 2], [3, 4]]))
    weight, bias = pad(float32([[1, 0], [1, 1]]), n_axes=2), pad(float32([[0, 10]]))
    z, sums = np.empty_like(x), pad(np.array([[100.0, 0.0], [0.0, 0.0]]))
    apply_linear(x, weight.T.copy(), bias, z, sums)
    assert z[:, :2].tolist() == [[1, 13], [3, 17]]
    assert sums[:, :2].tolist() == [[104, 30], [10, 13**2 + 17**2]]
    grad, grad_x = pad(float32([[1, 2], [10, 20]])), np.empty_like(x)
    grad_weight, product = np.ones((2, WIDTH, WIDTH), np.float32)
    apply_linear_backward(x, weight, grad, grad_x, grad_weight, product)
    assert grad_x[:, :2].tolist() == [[3, 2], [30, 20]]
    assert grad_weight[:2, :2].tolist() == [[1 + 31, 1 + 42], [1 + 62, 1 + 84]]
    for rest in (z[:, 2:], sums[:, 2:], grad_x[:, 2:], grad_weight[2:] - 1):
        assert (rest == 0).all()


def test_moments_by_hand():
    # Two lanes, the second with one row: values 1, 3 and 5 of the first column.
    sums = np.array([[[4.0, 0.0], [10.0, 0.0]], [[5.0, 0.0], [25.0, 0.0]]])
    moments = np.empty((2, 2))
    find_moments(sums, 3, moments)
    np.testing.assert_allclose(moments, [[3, 0], [8 / 3, 0]])
    mean, variance = float32([1, 1]), float32([1, 1])
    move_running(moments, 3, 0.1, mean, variance)
    np.testing.assert_allclose(mean, [1.2, 0.9])
    np.testing.assert_allclose(variance, [1 + 0.1 * (4 - 1), 0.9])


def test_variances_are_never_negative_but_may_be_no_numbers():
    sums = np.array([[[3.0, np.nan], [3.0 - 1e-15, 1.0]]])
    moments = np.empty((2, 2))
    find_moments(sums, 3, moments)
    assert moments[1, 0] == 0.0
    assert np.isnan(moments[1, 1])


def test_a_normalisation_by_hand():
    norm = np.empty((N_ROWS, 1), np.float32)
    find_norm(np.array([[2.0], [3.0]]), 1.0, float32([4]), float32([5]), norm)
    expected = {MEAN: 2, INVSTD: 0.5, SCALE: 2, SHIFT: 5 - 2 * 2}
    assert {row: norm[row, 0] for row in range(N_ROWS)} == expected
    z, out = float32([[3], [-9], [np.nan]]), np.full((3, 1), -1, np.float32)
    normalise(0, 1, z, norm, 1.0, NO_STREAM, out)
    assert out[:2].tolist() == [[7], [0]]
    # A training that explodes shall be noticed.
    assert np.isnan(out[2])


def test_means_of_gradients_by_hand():
    sums = np.array([[[1.0], [10.0]], [[3.0], [30.0]]])
    totals, means = np.empty((2, 1)), np.empty((2, 1), np.float32)
    find_means(sums, 8, totals, means)
    assert totals.tolist() == [[4], [40]]
    assert means.tolist() == [[0.5], [5]]


@pytest.mark.parametrize("keep", [1.0, 0.6])
def test_a_sublayer_is_that_of_torch(keep, global_random_seed):
    """Forward and backward, in two lanes, with the same values dropped."""
    rng = np.random.default_rng(global_random_seed)
    n_rows, width, eps, stream = 40, WIDTH, 1e-5, np.uint64(7)
    lanes = [(0, 25), (25, 40)]
    x, grad_out = rng.normal(size=(2, n_rows, width)).astype(np.float32)
    weight = rng.normal(size=(width, width)).astype(np.float32)
    bias, norm_weight, norm_bias = rng.normal(size=(3, width)).astype(np.float32)
    z, out, grad_x = np.empty((3, n_rows, width), np.float32)
    sums, moments = np.zeros((2, 2, width)), np.empty((2, width))
    norm = np.empty((N_ROWS, width), np.float32)
    for lane, (first, last) in enumerate(lanes):
        tile, transposed = slice(first, last), weight.T.copy()
        apply_linear(x[tile], transposed, bias[None], z[tile], sums[lane])
    find_moments(sums, n_rows, moments)
    find_norm(moments, eps, norm_weight, norm_bias, norm)
    for first, last in lanes:
        tile = slice(first, last)
        normalise(first, width, z[tile], norm, keep, stream, out[tile])
    # Where a value of 0 before ReLU is within rounding, gradients may differ.
    before = z * norm[SCALE] + norm[SHIFT]
    grad = np.where(np.abs(before) > 1e-3, grad_out, 0).astype(np.float32)

    double = torch.tensor(x).double().requires_grad_()
    linear, batch_norm = torch.nn.Linear(width, width), torch.nn.BatchNorm1d(width)
    with torch.no_grad():
        for parameter, value in zip(
            (*linear.parameters(), *batch_norm.parameters()),
            (weight, bias, norm_weight, norm_bias),
            strict=True,
        ):
            parameter.copy_(torch.tensor(value))
    linear.double(), batch_norm.double()
    mask = torch.tensor((out > 0) | (before <= 0)) / keep
    expected = torch.relu(batch_norm(linear(double))) * mask
    expected.backward(torch.tensor(grad).double())
    np.testing.assert_allclose(out, expected.detach(), **CLOSE)

    back, totals, means = np.zeros((2, 2, width)), np.empty((2, width)), norm[:2] * 0
    for lane, (first, last) in enumerate(lanes):
        tile, factor = slice(first, last), np.float32(1 / keep)
        relu_dropout_backward(out[tile], grad[tile], factor, z[tile], norm, back[lane])
    find_means(back, n_rows, totals, means)
    grad_weight, product = np.zeros((2, width, width), np.float32)
    of_z = np.empty_like(grad)
    for first, last in lanes:
        tile = slice(first, last)
        normalise_backward(z[tile], norm, means, grad[tile], of_z[tile])
        apply_linear_backward(
            x[tile], weight, of_z[tile], grad_x[tile], grad_weight, product
        )
    # What is subtracted where a column varies little is large beside what is left.
    largest = max(1.0, np.abs(norm[SCALE]).max())
    close = {"rtol": 1e-3, "atol": 1e-3 * largest}
    np.testing.assert_allclose(totals[0], batch_norm.bias.grad, **close)
    np.testing.assert_allclose(totals[1], batch_norm.weight.grad, **close)
    np.testing.assert_allclose(grad_x, double.grad, **close)
    np.testing.assert_allclose(grad_weight, linear.weight.grad, **close)
