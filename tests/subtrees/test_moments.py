"""Moments per graph, by hand and against numpy's."""

import numpy as np
import pytest

from skshake.subtrees._moments import measure_moments, moments_table


def test_moments_by_hand():
    values = np.array([[1, -1], [3, -1], [5, 7]], np.float32)
    moments = np.empty((3, 8))
    measure_moments(np.array([0, 2, 2, 3]), values, moments)
    assert moments.tolist() == [
        [2, 1, 1, 3, -1, 0, -1, -1],
        [0] * 8,
        [5, 0, 5, 5, 7, 0, 7, 7],
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centre", [0.0, 1e9])
def test_moments_are_those_of_numpy(dtype, centre, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values = (centre + rng.normal(size=(60, 2))).astype(dtype)
    ptr = np.array([0, 20, 21, 60])
    table = moments_table(ptr, values)
    for g, row in enumerate(table):
        part = values[ptr[g] : ptr[g + 1]].astype(np.float64)
        expected = [part.mean(0), part.std(0), part.min(0), part.max(0)]
        np.testing.assert_allclose(row, np.ravel(expected, "F"), rtol=1e-6, atol=1e-12)


def test_no_columns_have_no_moments():
    assert moments_table(np.array([0, 2]), np.empty((2, 0))).shape == (1, 0)
