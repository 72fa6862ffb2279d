"""SpectralMeasure: all that the six curves need to know about each graph.

In: eigenvalues (or quadrature nodes) with weights. Out: losses and complexity at any q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

N_CURVES = 3


@dataclass(frozen=True, eq=False)
class SpectralMeasure:
    r"""Weighted points on the spectrum of each graph's Laplacian.

    With gains :math:`h_i = q / (q + \mu_i)`, a graph's curves are

    .. math::
        L_{rec}(q) = \sum_i r_i (1 - h_i)^2, \quad
        L_{dir}(q) = \sum_i d_i (1 - h_i)^2, \quad
        df(q) = \sum_i c_i h_i

    over its points with :math:`\mu_i > 0`.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)
        Points of each graph.
    mu : float64 array of shape (n_points,)
    reconstruction, dirichlet, complexity : float64 arrays of shape (n_points,)
        Weights r, d and c.
    """

    ptr: np.ndarray
    mu: np.ndarray
    reconstruction: np.ndarray
    dirichlet: np.ndarray
    complexity: np.ndarray

    def curves(self, q: float) -> np.ndarray:
        """L_rec, L_dir and df of each graph at one q, shape (n_graphs, 3)."""
        curves = np.empty((len(self.ptr) - 1, N_CURVES))
        _curves(
            self.ptr,
            self.mu,
            self.reconstruction,
            self.dirichlet,
            self.complexity,
            q,
            curves,
        )
        return curves


@njit(cache=True, nogil=True)
def _curves(ptr, mu, reconstruction, dirichlet, complexity, q, curves):
    """Sum the three curves over the points of each graph.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    mu, reconstruction, dirichlet, complexity : float64 arrays (n_points,)  # IN
    q : float  # IN
    curves : float64 array of shape (n_graphs, 3)  # OUT
    """
    for g in range(len(ptr) - 1):
        rec, dirich, df = 0.0, 0.0, 0.0
        for i in range(ptr[g], ptr[g + 1]):
            gain = q / (q + mu[i])
            lost = (1.0 - gain) * (1.0 - gain)
            rec += reconstruction[i] * lost
            dirich += dirichlet[i] * lost
            df += complexity[i] * gain
        curves[g, 0] = rec
        curves[g, 1] = dirich
        curves[g, 2] = df


def empty_measure(n_graphs: int) -> SpectralMeasure:
    """A side that contributes nothing."""
    none = np.empty(0)
    return SpectralMeasure(np.zeros(n_graphs + 1, np.int64), none, none, none, none)
