"""Complexity from random vectors, corrected by what is known of the spectrum.

In: Gauss rules of a graph's probes. Out: weights with the exact number of positive
eigenvalues, their exact sum and sum of squares (tr L and tr L^2 cost one pass).
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.resolution._columns import EXACT_ROWS
from skshake.resolution._measure import N_PROBES, NO_PROBE
from skshake.resolution._points import COMPLEXITY, MU, PROBE, SPREAD


@kernel
def weigh_probes(points, moments, n_rows):
    """Turn what probes measured into weights of the complexity, and of its error.

    The complexity takes the probes of a graph together, calibrated once: a regression
    on few points is biased. Its error needs each probe calibrated alone.

    Parameters
    ----------
    points : float64 array of shape (n_points, n_columns)  # IN and OUT
        Those of one graph; for the columns see ``_points``.
    moments : number of positive eigenvalues, tr L, tr L^2  # IN
    n_rows : int  # IN
    """
    if n_rows <= EXACT_ROWS:
        for k in range(len(points)):
            points[k, COMPLEXITY] /= n_rows
            points[k, PROBE] = NO_PROBE
        return
    mu, weight = np.empty(len(points)), np.empty(len(points))
    # One probe after the other, then all of them together.
    for one in range(N_PROBES + 1):
        is_each = one < N_PROBES
        n = 0
        for k in range(len(points)):
            if points[k, PROBE] == one if is_each else points[k, PROBE] != NO_PROBE:
                mu[n], weight[n] = points[k, MU], points[k, COMPLEXITY]
                n += 1
        _calibrate(mu[:n], weight[:n], moments)
        n = 0
        for k in range(len(points)):
            if points[k, PROBE] == one if is_each else points[k, PROBE] != NO_PROBE:
                if is_each:
                    points[k, SPREAD] = weight[n] / (N_PROBES * n_rows)
                else:
                    points[k, COMPLEXITY] = weight[n] / n_rows
                n += 1


@kernel
def _calibrate(mu, weight, moments):
    """Change weights least so that their moments 0, 1 and 2 are the exact ones.

    A regression estimator (Deville & Särndal 1992): the weights are multiplied by a
    quadratic in mu, built from polynomials that are orthogonal under them.

    Parameters
    ----------
    mu : float64 array of shape (n_points,)  # IN
    weight : float64 array of shape (n_points,)  # IN and OUT
    moments : float64 array (3,), number of positive eigenvalues, tr L, tr L^2  # IN
    """
    n, total = len(mu), 0.0
    for i in range(n):
        total += weight[i]
    if total <= 0:
        return
    mean, square, cube, spread = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        weight[i] *= moments[0] / total
        mean += weight[i] * mu[i] / moments[0]
    for i in range(n):
        first = mu[i] - mean
        spread += weight[i] * first * first
        square += weight[i] * mu[i] * mu[i]
        cube += weight[i] * mu[i] * mu[i] * first
    if spread <= 1e-12 * moments[0] * mean * mean:
        return
    slope, level = cube / spread, square / moments[0]
    curvature = 0.0
    for i in range(n):
        second = mu[i] * mu[i] - level - slope * (mu[i] - mean)
        curvature += weight[i] * second * second
    exact = moments[2] - level * moments[0] - slope * (moments[1] - mean * moments[0])
    is_curved = curvature > 1e-12 * moments[0] * level * level
    for i in range(n):
        first = mu[i] - mean
        second = mu[i] * mu[i] - level - slope * first
        factor = 1.0 + first * (moments[1] - moments[0] * mean) / spread
        if is_curved:
            factor += second * exact / curvature
        weight[i] *= factor
