"""Weights of random vectors, corrected by moments that are known exactly."""

import numpy as np
import pytest

from skshake.resolution._calibration import _calibrate, weigh_probes
from skshake.resolution._columns import EXACT_ROWS
from skshake.resolution._measure import N_PROBES, NO_PROBE
from skshake.resolution._points import COMPLEXITY, FIRST_LOSS, MU, PROBE, SPREAD


def _calibrated(mu, weight, moments):
    weight = np.array(weight, float)
    _calibrate(np.array(mu, float), weight, np.array(moments, float))
    return weight


def _moments(mu, weight):
    return [(weight * np.array(mu, float) ** p).sum() for p in range(3)]


def _regressed(mu, weight, moments):
    """The same as one system of equations: weights times a quadratic."""
    basis = np.stack([np.ones_like(mu), mu, mu**2], axis=1)
    matrix = basis.T @ (weight[:, None] * basis)
    return weight * (basis @ np.linalg.solve(matrix, moments))


def test_three_moments_decide_three_weights():
    # 1, 2 and 3 at 1, 2 and 4: they sum up to 6, 17 and 57.
    found = _calibrated([1, 2, 4], [1, 1, 1], [6, 17, 57])
    np.testing.assert_allclose(found, [1, 2, 3], rtol=1e-12)


def test_two_points_meet_two_moments_and_one_point_one():
    np.testing.assert_allclose(
        _calibrated([1, 3], [5, 5], [4, 6, 99]), [3, 1], rtol=1e-12
    )
    assert _calibrated([2], [5], [4, 99, 99]).tolist() == [4]
    assert _calibrated([2, 2], [1, 3], [8, 99, 99]).tolist() == [2, 6]


def test_nothing_to_weigh_stays_nothing():
    assert _calibrated([], [], [3, 2, 1]).tolist() == []
    assert _calibrated([1, 2], [0, 0], [3, 2, 1]).tolist() == [0, 0]


def test_weights_that_are_right_stay():
    mu, weight = np.array([0.5, 1.0, 3.0, 7.0]), np.array([2.0, 1.0, 0.5, 3.0])
    found = _calibrated(mu, weight, _moments(mu, weight))
    np.testing.assert_allclose(found, weight, rtol=1e-12)


def _draw(rng, n):
    """Eigenvalues, weights, and moments of weights that are somewhat different."""
    mu, weight = rng.uniform(0.1, 8.0, n), rng.uniform(0.5, 1.5, n)
    return mu, weight, np.array(_moments(mu, weight * rng.uniform(0.8, 1.2, n)))


@pytest.mark.parametrize("n", [4, 12, 60])
def test_calibration_is_a_regression(n, global_random_seed):
    mu, weight, moments = _draw(np.random.default_rng(global_random_seed), n)
    found = _calibrated(mu, weight, moments)
    np.testing.assert_allclose(_moments(mu, found), moments, rtol=1e-9)
    expected = _regressed(mu, weight, moments)
    # Powers of 8 and a system of three equations lose some digits.
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * weight.max())


def _points(rng):
    """Points of features, and five of each probe."""
    points = np.zeros((3 + 5 * N_PROBES, FIRST_LOSS + 1))
    points[:, MU] = rng.uniform(0.1, 8.0, len(points))
    points[:, PROBE] = NO_PROBE
    points[3:, PROBE] = np.tile(np.arange(N_PROBES), 5)
    points[3:, COMPLEXITY] = rng.uniform(0.5, 1.5, len(points) - 3)
    points[:3, FIRST_LOSS] = 1 / 3
    return points


def test_few_rows_are_weighed_exactly(global_random_seed):
    before = _points(np.random.default_rng(global_random_seed))
    points = before.copy()
    weigh_probes(points, np.array([5.0, 99.0, 99.0]), EXACT_ROWS)
    np.testing.assert_allclose(
        points[:, COMPLEXITY], before[:, COMPLEXITY] / EXACT_ROWS
    )
    assert (points[:, PROBE] == NO_PROBE).all()
    for column in (MU, SPREAD, FIRST_LOSS):
        assert (points[:, column] == before[:, column]).all()


def test_many_rows_are_weighed_together_and_probe_by_probe(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    before, n_rows = _points(rng), EXACT_ROWS + 1
    moments = np.array(_moments(before[3:, MU], before[3:, COMPLEXITY]))
    moments *= rng.uniform(0.95, 1.05, 3)
    points = before.copy()
    weigh_probes(points, moments, n_rows)
    for column in (MU, PROBE, FIRST_LOSS):
        assert (points[:, column] == before[:, column]).all()
    assert not points[:3, [COMPLEXITY, SPREAD]].any()

    def expected(rows):
        return _calibrated(before[rows, MU], before[rows, COMPLEXITY], moments) / n_rows

    together = before[:, PROBE] != NO_PROBE
    assert points[together, COMPLEXITY].tolist() == expected(together).tolist()
    for probe in range(N_PROBES):
        rows = before[:, PROBE] == probe
        np.testing.assert_allclose(points[rows, SPREAD] * N_PROBES, expected(rows))
