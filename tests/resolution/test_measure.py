"""Sums over points, by hand, and joined measures."""

import numpy as np
import pytest

from skshake.resolution import SpectralLoss
from skshake.resolution._measure import _sum_points, empty_measure, exact, join_measures


@pytest.mark.parametrize("n_losses", [1, 2, 3])
def test_curves_by_hand(n_losses, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ptr, mu = np.array([0, 2, 2, 5]), np.array([1.0, 3.0, 1.0, 2.0, 4.0])
    weights, complexity, q = rng.random((5, n_losses)), rng.random(5), 2.0
    curves = np.empty((n_losses + 1, 3))
    _sum_points(ptr, mu, weights, complexity, q, curves)
    gain = q / (q + mu)
    terms = np.vstack([weights.T * (1 - gain) ** 2, complexity * gain])
    for g in range(3):
        found = terms[:, ptr[g] : ptr[g + 1]].sum(axis=1)
        np.testing.assert_allclose(curves[:, g], found, atol=1e-15)


def test_joined_measures_come_in_the_order_of_graphs():
    losses = (SpectralLoss("roughness", 1, "roughness"),)
    first = exact(losses, np.array([0, 1]), np.ones(1), np.ones((1, 1)), np.ones(1))
    both = join_measures([first, empty_measure(losses, 1)], np.array([1, 0]))
    assert both.ptr.tolist() == [0, 0, 1]
    assert both.curves(1.0)["roughness"].tolist() == [0.0, 0.25]
    assert both.curves(1.0)["complexity"].tolist() == [0.0, 0.5]
