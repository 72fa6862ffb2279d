"""J(q): six curves averaged over graphs, its minimiser q*, and expected node counts.

In: spectral measures of the node and the edge side. Out: :class:`ResolutionCurves` and
q*. Equations of the paper's section on learning the resolution; see ``docs/paper.md``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from skshake.resolution._measure import SpectralMeasure

N_GRID = 121
# Shares of nodes that a q* at the border may leave, and that it leaves if J is flat.
FEWEST_NODES, MOST_NODES, FLAT_NODES = 0.05, 0.95, 0.5


class ResolutionWarning(UserWarning):
    """The objective J has no minimum inside the range of q."""


@dataclass(frozen=True, eq=False)
class ResolutionCurves:
    """The objective J on a grid of q, averaged over graphs, and what it is made of.

    Parameters
    ----------
    q : ndarray of shape (n_grid,)
        Increasing.
    node_reconstruction, edge_reconstruction : ndarray of shape (n_grid,)
        Share of non-constant feature energy lost, between 0 and 1.
    node_dirichlet, edge_dirichlet : ndarray of shape (n_grid,)
        Share of Dirichlet energy lost, between 0 and 1.
    node_complexity, edge_complexity : ndarray of shape (n_grid,)
        Degrees of freedom per node (edge), between 0 and 1.
    objective : ndarray of shape (n_grid,)
        J.
    objective_std : ndarray of shape (n_grid,)
        Standard deviation of J over graphs.
    """

    q: np.ndarray
    node_reconstruction: np.ndarray
    node_dirichlet: np.ndarray
    node_complexity: np.ndarray
    edge_reconstruction: np.ndarray
    edge_dirichlet: np.ndarray
    edge_complexity: np.ndarray
    objective: np.ndarray
    objective_std: np.ndarray

    def to_frame(self) -> Any:
        """All curves as a pandas DataFrame, one row per q."""
        import pandas as pd

        return pd.DataFrame({f.name: getattr(self, f.name) for f in fields(self)})


@dataclass(frozen=True, eq=False)
class Objective:
    r"""The data set's objective, the mean over graphs of

    .. math::
        J(q) = L_{info,node} + L_{info,edge} + \phi (df_{node} + df_{edge}),
        \quad L_{info} = (L_{rec} + L_{dir}) / 2.

    Parameters
    ----------
    node, edge : SpectralMeasure
    n_components : int
        Connected components of all graphs; each keeps at least one node.
    n_nodes : ndarray of shape (n_graphs,)
    phi : float
        Weight of the complexity; larger phi, coarser graphs.
    """

    node: SpectralMeasure
    edge: SpectralMeasure
    n_components: int
    n_nodes: np.ndarray
    phi: float

    def per_graph(self, q: float) -> np.ndarray:
        """Six curves and J of each graph, shape (n_graphs, 7)."""
        curves = np.hstack([self.node.curves(q), self.edge.curves(q)])
        loss = (curves[:, [0, 1, 3, 4]] / 2).sum(axis=1)
        objective = loss + self.phi * (curves[:, 2] + curves[:, 5])
        return np.column_stack([curves, objective])

    def __call__(self, q: float) -> float:
        return float(self.per_graph(q)[:, -1].mean())

    def curves(self, grid: np.ndarray) -> ResolutionCurves:
        """Means over graphs on a grid."""
        rows = []
        for q in grid:
            values = self.per_graph(q)
            rows.append([*values.mean(axis=0), values[:, -1].std()])
        return ResolutionCurves(grid, *np.transpose(rows))

    def expected_node_share(self, q: float) -> float:
        """Expected coarse nodes over input nodes, the sum of tr K(q) over graphs."""
        if np.isinf(q):
            return 1.0
        df = self.node.curves(q)[:, 2]
        n_nodes = self.n_nodes.sum()
        return float(((df * self.n_nodes).sum() + self.n_components) / max(n_nodes, 1))

    def q_for_node_share(self, share: float) -> float:
        """The q at which the given share of nodes is expected.

        No q leaves fewer nodes than components, nor more than all; there the answer is
        a q below (above) every eigenvalue by a factor of 1000.
        """

        def excess(log_q: float) -> float:
            return self.expected_node_share(float(np.exp(log_q))) - share

        if not len(self.node.mu):
            return 1.0
        low = float(np.log(self.node.mu.min() * 1e-3))
        high = float(np.log(self.node.mu.max() * 1e3))
        if excess(low) >= 0:
            return float(np.exp(low))
        if excess(high) <= 0:
            return float(np.exp(high))
        return float(np.exp(brentq(excess, low, high, xtol=1e-6)))


def default_grid(measures: list[SpectralMeasure]) -> np.ndarray:
    """Logarithmic grid around the bulk of the spectra."""
    mu = np.concatenate([measure.mu for measure in measures])
    low, high = np.quantile(mu, [0.01, 0.99]) if len(mu) else (1.0, 1.0)
    return np.geomspace(low * 1e-2, high * 1e2, N_GRID)


def _refine(objective: Callable[[float], float], low: float, high: float) -> float:
    """Minimiser between two points of the grid, to a relative 1e-4."""
    result = minimize_scalar(
        lambda log_q: objective(float(np.exp(log_q))),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
        options={"xatol": 1e-4},
    )
    return float(np.exp(result.x))


def minimise(objective: Objective, curves: ResolutionCurves) -> float:
    """q* of the curves' grid, refined; a useful value with a warning at the border.

    Warns
    -----
    ResolutionWarning
        If features do not vary, so that J says nothing about the loss, or if J is
        smallest at the border of the grid.
    """
    grid = curves.q
    losses = (
        curves.node_reconstruction
        + curves.node_dirichlet
        + curves.edge_reconstruction
        + curves.edge_dirichlet
    )
    if not losses.any():
        q = objective.q_for_node_share(FLAT_NODES)
        warnings.warn(
            "the features of every graph are constant, so no q loses anything; q* = "
            f"{q:.4g} was taken, at which {objective.expected_node_share(q):.0%} of "
            "the nodes are expected to remain. Give node features, or set q yourself.",
            ResolutionWarning,
            stacklevel=2,
        )
        return q
    best = int(np.argmin(curves.objective))
    if 0 < best < len(grid) - 1:
        return _refine(objective, grid[best - 1], grid[best + 1])
    share, side = (FEWEST_NODES, "smallest") if best == 0 else (MOST_NODES, "largest")
    limit = objective.q_for_node_share(share)
    q = max(limit, grid[0]) if best == 0 else min(limit, grid[-1])
    advice = "decrease" if best == 0 else "increase"
    warnings.warn(
        f"J is smallest at the {side} q of the grid ({grid[best]:.4g}), so it has no "
        f"inner minimum; q* = {q:.4g} was taken, at which "
        f"{objective.expected_node_share(q):.0%} of the nodes are expected to remain. "
        f"{advice.capitalize()} phi, widen q_grid, or set q yourself.",
        ResolutionWarning,
        stacklevel=2,
    )
    return float(q)
