"""SpectralLoss: which part of the features' energy a curve of q* is about.

In: nothing. Out: the losses that J averages, by name; solvers, J and figures take
whatever is listed here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class SpectralLoss(NamedTuple):
    r"""A share of features' energy that smoothing at q loses.

    .. math::
        L(q) = \sum_i \mu_i^p e_i (1 - h_i)^2 / \sum_i \mu_i^p e_i

    over the eigenvalues :math:`\mu_i > 0` of the Laplacian, with gains
    :math:`h_i = q / (q + \mu_i)` and the energy :math:`e_i` of the features along the
    eigenvector.

    Parameters
    ----------
    name : str
        Of the curve.
    power : int
        p, 0 or more; a larger one asks more about differences between neighbours.
    label : str
        Of the curve in figures.
    """

    name: str
    power: int
    label: str


SPECTRAL_LOSSES = (
    SpectralLoss("reconstruction", 0, "reconstruction loss"),
    SpectralLoss("dirichlet", 1, "Dirichlet loss"),
)
# The curve of the size that is left, beside those of losses.
COMPLEXITY = "complexity"


def powers_of(losses: tuple[SpectralLoss, ...]) -> np.ndarray:
    """Powers for kernels, int64 of shape (n_losses,)."""
    return np.array([loss.power for loss in losses], np.int64)
