"""SpectralMeasure: all that the curves of q* need to know about each graph.

In: eigenvalues or quadrature points, with weights. Out: losses and complexity at any
q, and how far the complexity can be wrong where it is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skshake._jit import kernel
from skshake.graphs import offsets, owner_of, rows_of
from skshake.resolution._curves import COMPLEXITY, SpectralLoss

# Random vectors per graph wherever the complexity is estimated; NO_PROBE marks a point
# that no random vector stands behind.
N_PROBES, NO_PROBE = 8, -1
POINT_FIELDS = ("mu", "loss_weights", "complexity", "spread", "probe")


@dataclass(frozen=True, eq=False)
class SpectralMeasure:
    r"""Weighted points on the spectrum of each graph's Laplacian.

    With gains :math:`h_i = q / (q + \mu_i)`, a graph's curves are

    .. math::
        L(q) = \sum_i w_i (1 - h_i)^2, \quad df(q) = \sum_i c_i h_i

    over its points with :math:`\mu_i > 0`, one L with its weights w for each loss.

    Parameters
    ----------
    losses : tuple of SpectralLoss
    ptr : int64 array of shape (n_graphs + 1,)
        Points of each graph.
    mu : float64 array of shape (n_points,)
    loss_weights : float64 array of shape (n_points, n_losses)
        Weights w, which sum to 1 in a graph whose features vary.
    complexity : float64 array of shape (n_points,)
        Weights c.
    spread : float64 array of shape (n_points,)
        Weights c of each random vector taken alone, for the error of df.
    probe : int8 array of shape (n_points,)
        Random vector, 0 to 7, from which a point's complexity was estimated; -1 where
        it is exact.
    loss_error : float64 array of shape (n_graphs,)
        Bound of what each curve of a graph may be off because steps ended; 0 if exact.
    """

    losses: tuple[SpectralLoss, ...]
    ptr: np.ndarray
    mu: np.ndarray
    loss_weights: np.ndarray
    complexity: np.ndarray
    spread: np.ndarray
    probe: np.ndarray
    loss_error: np.ndarray

    def curves(self, q: float) -> dict[str, np.ndarray]:
        """Losses and complexity of each graph at one q, by name, each (n_graphs,)."""
        curves = np.empty((len(self.losses) + 1, len(self.ptr) - 1))
        _sum_points(self.ptr, self.mu, self.loss_weights, self.complexity, q, curves)
        names = [*(loss.name for loss in self.losses), COMPLEXITY]
        return dict(zip(names, curves, strict=True))

    def complexity_error(self, q: float, q_before: float = 0.0) -> float:
        """Standard error of the mean df at q, less that at ``q_before``; 0 if exact."""
        mu = self.mu[self._estimated]
        gain = q / (q + mu) - q_before / (q_before + mu)
        return self._probe_error(gain) / (len(self.ptr) - 1)

    def trace(self, q: float, n_rows: np.ndarray) -> tuple[float, float]:
        """Sum of gains of all graphs, and its standard error.

        Parameters
        ----------
        q : float
        n_rows : int array of shape (n_graphs,)
            Rows of each graph, by which its df is multiplied.
        """
        gain = n_rows[owner_of(self.ptr)] * q / (q + self.mu)
        error = self._probe_error(gain[self._estimated])
        return float(self.complexity @ gain), error

    @cached_property
    def _estimated(self) -> np.ndarray:
        """Points whose complexity was estimated."""
        return np.flatnonzero(self.probe != NO_PROBE)

    def _probe_error(self, values: np.ndarray) -> float:
        """Standard error of the sum of c times values over the estimated points."""
        if not len(values):
            return 0.0
        by_probe = np.bincount(
            self.probe[self._estimated],
            self.spread[self._estimated] * values,
            minlength=N_PROBES,
        )
        # Each vector's part is an eighth of an independent estimate of the sum.
        return float(by_probe.std(ddof=1) * np.sqrt(N_PROBES))


@kernel
def _sum_points(ptr, mu, loss_weights, complexity, q, curves):
    """Sum the curves over the points of each graph.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    mu, complexity : float64 arrays of shape (n_points,)  # IN
    loss_weights : float64 array of shape (n_points, n_losses)  # IN
    q : float  # IN
    curves : float64 array of shape (n_losses + 1, n_graphs)  # OUT
        The complexity comes last.
    """
    n_losses = loss_weights.shape[1]
    for g in range(len(ptr) - 1):
        # Two losses at a time, so that their sums are kept in registers.
        for one in range(0, n_losses, 2):
            other = min(one + 1, n_losses - 1)
            lost_of_one, lost_of_other, kept = 0.0, 0.0, 0.0
            for i in range(ptr[g], ptr[g + 1]):
                gain = q / (q + mu[i])
                lost = (1.0 - gain) * (1.0 - gain)
                lost_of_one += loss_weights[i, one] * lost
                lost_of_other += loss_weights[i, other] * lost
                kept += complexity[i] * gain
            curves[one, g] = lost_of_one
            curves[other, g] = lost_of_other
            curves[n_losses, g] = kept


def empty_measure(losses: tuple[SpectralLoss, ...], n_graphs: int) -> SpectralMeasure:
    """A measure that contributes nothing."""
    ptr = np.zeros(n_graphs + 1, np.int64)
    return exact(losses, ptr, np.empty(0), np.empty((0, len(losses))), np.empty(0))


def exact(
    losses: tuple[SpectralLoss, ...],
    ptr: np.ndarray,
    mu: np.ndarray,
    loss_weights: np.ndarray,
    complexity: np.ndarray,
) -> SpectralMeasure:
    """A measure in which nothing is estimated."""
    return SpectralMeasure(
        losses,
        ptr,
        mu,
        loss_weights,
        complexity,
        np.zeros(len(mu)),
        np.full(len(mu), NO_PROBE, np.int8),
        np.zeros(len(ptr) - 1),
    )


def join_measures(
    parts: list[SpectralMeasure], graphs: np.ndarray | None = None
) -> SpectralMeasure:
    """One measure of all graphs, whose numbers are given in the order of the parts.

    None keeps that order.
    """
    n_graphs = sum(len(part.loss_error) for part in parts)
    order = np.arange(n_graphs) if graphs is None else np.argsort(graphs)
    counts = np.concatenate([np.diff(part.ptr) for part in parts])
    rows, ptr = rows_of(offsets(counts), order)
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])[rows]
        for name in POINT_FIELDS
    }
    loss_error = np.concatenate([part.loss_error for part in parts])[order]
    return SpectralMeasure(parts[0].losses, ptr, loss_error=loss_error, **joined)
