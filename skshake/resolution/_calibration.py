"""Complexity from random vectors, corrected by what is known of the spectrum.

In: Gauss rules of a graph's probes. Out: weights with the exact number of positive
eigenvalues, their exact sum and sum of squares (tr L and tr L^2 cost one pass).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skshake.resolution._columns import EXACT_ROWS
from skshake.resolution._measure import N_PROBES, NO_PROBE


@njit(cache=True, nogil=True)
def weigh_probes(points, moments, n_rows):
    """Turn what probes measured into weights of the complexity, and of its error.

    The complexity takes the probes of a graph together, calibrated once: a regression
    on few points is biased. Its error needs each probe calibrated alone.

    Parameters
    ----------
    points : float64 array of shape (n_points, 6), the points of one graph  # IN, OUT
    moments : number of positive eigenvalues, tr L, tr L^2  # IN
    n_rows : int  # IN
    """
    mu, probe = points[:, 0], points[:, 5]
    if n_rows <= EXACT_ROWS:
        points[:, 3] /= n_rows
        probe[:] = NO_PROBE
        return
    for k in range(N_PROBES):
        mine = np.flatnonzero(probe == k)
        points[mine, 4] = _calibrate(mu[mine], points[mine, 3], moments)
    points[:, 4] /= N_PROBES * n_rows
    every = np.flatnonzero(probe != NO_PROBE)
    points[every, 3] = _calibrate(mu[every], points[every, 3], moments) / n_rows


@njit(cache=True, nogil=True)
def _calibrate(mu, weight, moments):
    """Change weights least so that their moments 0, 1 and 2 are the exact ones.

    A regression estimator (Deville & Särndal 1992): the weights are multiplied by a
    quadratic in mu, built from polynomials that are orthogonal under them.

    Parameters
    ----------
    mu : float64 array of shape (n_points,)  # IN
    weight : float64 array of shape (n_points,)  # IN
    moments : float64 array (3,), number of positive eigenvalues, tr L, tr L^2  # IN

    Returns
    -------
    calibrated : float64 array of shape (n_points,)
    """
    total = weight.sum()
    if total <= 0:
        return weight
    weight = weight * (moments[0] / total)
    mean = (weight * mu).sum() / moments[0]
    first = mu - mean
    spread = (weight * first * first).sum()
    factor = np.ones(len(mu))
    if spread > 1e-12 * moments[0] * mean * mean:
        factor += first * (moments[1] - moments[0] * mean) / spread
        slope = (weight * mu * mu * first).sum() / spread
        level = (weight * mu * mu).sum() / moments[0]
        second = mu * mu - level - slope * first
        curvature = (weight * second * second).sum()
        if curvature > 1e-12 * moments[0] * level * level:
            exact = moments[2] - level * moments[0]
            exact -= slope * (moments[1] - mean * moments[0])
            factor += second * exact / curvature
    return weight * factor
