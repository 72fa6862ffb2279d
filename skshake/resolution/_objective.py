"""J(q): curves averaged over graphs, its minimiser q*, and expected node counts.

In: spectral measures of nodes and of edges. Out: :class:`ResolutionCurves` and
q*. Equations of the paper's section on learning the resolution; see
``docs/guide/resolution.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from skshake._warnings import warn_user
from skshake.resolution._curves import COMPLEXITY, SPECTRAL_LOSSES
from skshake.resolution._measure import SpectralMeasure, join_measures

N_GRID = 121
# Shares of nodes that a q* at the border may leave, and that it leaves if J says
# nothing: if it is flat, or its ends differ by less than this share of its range.
FEWEST_NODES, MOST_NODES, UNDECIDED_NODES = 0.05, 0.95, 0.5
UNDECIDED = 0.1
# Of log q, for derivatives of J.
STEP = 0.05


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
    objective_error : ndarray of shape (n_grid,)
        Standard error of J as the mean over all training graphs: from graphs left out,
        and from complexities that were estimated. 0 if all is exact.
    node_fraction : ndarray of shape (n_grid,)
        Expected coarse nodes over input nodes of all graphs.
    n_graphs : int
        Training graphs that were used.
    edge_fraction : ndarray of shape (n_grid,), default=None
        Coarse edges over input edges. There is no closed form, so forests of some
        graphs are drawn, see ``sample_edge_fraction``.
    others : dict of str to ndarray of shape (n_grid,), default=None
        Curves of further losses, such as "node_curvature".
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
    objective_error: np.ndarray
    node_fraction: np.ndarray
    n_graphs: int
    edge_fraction: np.ndarray | None = None
    others: Mapping[str, np.ndarray] | None = None

    def __repr__(self) -> str:
        best = int(np.argmin(self.objective))
        return (
            f"<ResolutionCurves at {len(self.q)} q from {self.q[0]:.3g} to "
            f"{self.q[-1]:.3g}: mean J of {self.n_graphs} graphs, smallest with "
            f"{self.objective[best]:.3g} at q = {self.q[best]:.3g}>"
        )

    def __getitem__(self, name: str) -> np.ndarray:
        """A curve by its name."""
        others = self.others or {}
        return others[name] if name in others else getattr(self, name)

    def to_frame(self) -> Any:
        """All curves as a pandas DataFrame, one row per q."""
        import pandas as pd

        columns = {name: getattr(self, name) for name in CURVE_FIELDS}
        if self.edge_fraction is not None:
            columns["edge_fraction"] = self.edge_fraction
        return pd.DataFrame({"q": self.q, **columns, **(self.others or {})})


# Curves that have a field of their own.
CURVE_FIELDS = tuple(
    f.name
    for f in fields(ResolutionCurves)
    if f.name not in ("q", "n_graphs", "edge_fraction", "others")
)


@dataclass(frozen=True, eq=False)
class Objective:
    r"""The data set's objective, the mean over graphs of

    .. math::
        J(q) = L_{info,node} + L_{info,edge} + \phi (df_{node} + df_{edge}),
        \quad L_{info} = (L_{rec} + L_{dir}) / 2,

    where :math:`L_{info}` is the mean of whatever losses were measured.

    Parameters
    ----------
    node, edge : SpectralMeasure
    n_components : ndarray of shape (n_graphs,)
        Connected components; each keeps at least one node.
    n_nodes : ndarray of shape (n_graphs,)
    phi : float
        Weight of the complexity; larger phi, coarser graphs.
    n_population : int
        Training graphs, of which the measured ones are a random subset or all.
    """

    node: SpectralMeasure
    edge: SpectralMeasure
    n_components: np.ndarray
    n_nodes: np.ndarray
    phi: float
    n_population: int

    def joined(self, more: Objective) -> Objective:
        """The objective of these graphs and more of the same population."""
        return replace(
            self,
            node=join_measures([self.node, more.node]),
            edge=join_measures([self.edge, more.edge]),
            n_components=np.concatenate([self.n_components, more.n_components]),
            n_nodes=np.concatenate([self.n_nodes, more.n_nodes]),
        )

    def per_graph(self, q: float) -> dict[str, np.ndarray]:
        """Curves and J of each graph by name, each of shape (n_graphs,)."""
        node, edge = self.node.curves(q), self.edge.curves(q)
        loss = np.zeros(len(self.n_nodes))
        for curves in (node, edge):
            for each in self.node.losses:
                loss += curves[each.name] / len(self.node.losses)
        return {
            **{f"node_{name}": values for name, values in node.items()},
            **{f"edge_{name}": values for name, values in edge.items()},
            "objective": loss + self.phi * (node[COMPLEXITY] + edge[COMPLEXITY]),
        }

    def _values(self, q: float) -> np.ndarray:
        """J of each graph."""
        return self.per_graph(q)["objective"]

    def __call__(self, q: float) -> float:
        return float(self._values(q).mean())

    def curves(self, grid: np.ndarray) -> ResolutionCurves:
        """Means over graphs on a grid."""
        rows = []
        for q in grid:
            curves = self.per_graph(q)
            objective = curves["objective"]
            error = np.hypot(self._sampling_error(objective), self._probe_error(q))
            # Graph by graph, so that sums of all curves are rounded alike.
            table = np.empty((len(objective), len(curves)))
            for column, values in zip(table.T, curves.values(), strict=True):
                column[:] = values
            means = dict(zip(curves, table.mean(axis=0), strict=True))
            rows.append(
                {
                    **means,
                    "objective_std": objective.std(),
                    "objective_error": error,
                    "node_fraction": self.expected_node_fraction(q),
                }
            )
        found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        # A loss that was not measured has a curve of nothing.
        nothing = np.zeros(len(grid))
        known = {name: found.pop(name, nothing) for name in CURVE_FIELDS}
        n_graphs = len(self.n_nodes)
        return ResolutionCurves(
            q=grid, n_graphs=n_graphs, others=found or None, **known
        )

    def _sampling_error(self, values: np.ndarray) -> float:
        """Standard error of a mean over graphs because some were left out."""
        n = len(values)
        if n == self.n_population:
            return 0.0
        return float(values.std(ddof=1) * np.sqrt((1 - n / self.n_population) / n))

    def _probe_error(self, q: float, q_before: float = 0.0) -> float:
        """Standard error of J(q), less J(q_before), because df is estimated."""
        node = self.node.complexity_error(q, q_before)
        edge = self.edge.complexity_error(q, q_before)
        return self.phi * float(np.hypot(node, edge))

    def minimiser_error(self, q: float) -> float:
        """Standard error of log q at a minimum of J, by the delta method."""
        low, high = q * np.exp(-STEP), q * np.exp(STEP)
        below, at, above = (self._values(x) for x in (low, q, high))
        error = np.hypot(
            self._sampling_error(above - below), self._probe_error(high, low)
        )
        curvature = (above - 2 * at + below).mean() / STEP**2
        return float(error / (2 * STEP) / curvature) if curvature > 0 else np.inf

    def expected_node_fraction(self, q: float) -> float:
        """Expected coarse nodes over input nodes, the sum of tr K(q) over graphs."""
        return self.expected_nodes(q)[0] / max(self.n_nodes.sum(), 1)

    def expected_nodes(self, q: float) -> tuple[float, float]:
        """Expected coarse nodes of the measured graphs, and its standard error.

        The error is that of the fraction among all training graphs, times the input
        nodes.
        """
        if np.isinf(q):
            return float(self.n_nodes.sum()), 0.0
        value, error = self.node.trace(q, self.n_nodes)
        value += self.n_components.sum()
        kept = self.n_components + self.n_nodes * self.node.curves(q)[COMPLEXITY]
        surprise = kept - self.n_nodes * (value / max(self.n_nodes.sum(), 1))
        sampling = len(kept) * self._sampling_error(surprise)
        return value, float(np.hypot(error, sampling))

    def q_for_node_fraction(self, fraction: float) -> float:
        """The q at which the given fraction of nodes is expected.

        No q leaves fewer nodes than components, nor more than all; there the answer is
        a q below (above) every eigenvalue by a factor of 1000.
        """

        def excess(log_q: float) -> float:
            return self.expected_node_fraction(float(np.exp(log_q))) - fraction

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
    share = np.concatenate([measure.complexity for measure in measures])
    low, high = 1.0, 1.0
    if len(mu):
        order = np.argsort(mu)
        done = np.cumsum(np.maximum(share[order], 0))
        places = np.searchsorted(done, np.array([0.01, 0.99]) * done[-1])
        low, high = mu[order[np.minimum(places, len(mu) - 1)]]
    return np.geomspace(low * 1e-2, high * 1e2, N_GRID)


def has_inner_minimum(curves: ResolutionCurves) -> bool:
    """Whether features vary and J is not smallest at the border of the grid."""
    best = int(np.argmin(curves.objective))
    return _features_vary(curves) and 0 < best < len(curves.q) - 1


def _features_vary(curves: ResolutionCurves) -> bool:
    """Whether any q loses anything."""
    ours = {
        f"{rows}_{loss.name}" for rows in ("node", "edge") for loss in SPECTRAL_LOSSES
    }
    return any(curves[name].any() for name in ours.union(curves.others or ()))


def refine(objective: Callable[[float], float], curves: ResolutionCurves) -> float:
    """Minimiser of J around the smallest value on the grid, to a relative 1e-4."""
    best = int(np.argmin(curves.objective))
    result = minimize_scalar(
        lambda log_q: objective(float(np.exp(log_q))),
        bounds=np.log(curves.q[[best - 1, best + 1]]),
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
        smallest at the border of the grid. Where both borders are about as good, and
        all between is worse, half of the nodes are kept.
    """
    grid = curves.q
    if not _features_vary(curves):
        q = objective.q_for_node_fraction(UNDECIDED_NODES)
        warn_user(
            "the features of every graph are constant, so no q loses anything; q* = "
            f"{q:.4g} was taken, at which {objective.expected_node_fraction(q):.0%} of "
            "the nodes are expected to remain. Give node features, or set q yourself.",
            ResolutionWarning,
        )
        return q
    if has_inner_minimum(curves):
        return refine(objective, curves)
    best = int(np.argmin(curves.objective))
    fraction, end = (FEWEST_NODES, "smallest") if best == 0 else (MOST_NODES, "largest")
    ends = curves.objective[[0, -1]]
    if abs(ends[1] - ends[0]) < UNDECIDED * np.ptp(curves.objective):
        fraction = UNDECIDED_NODES
    limit = objective.q_for_node_fraction(fraction)
    q = max(limit, grid[0]) if best == 0 else min(limit, grid[-1])
    advice = "decrease" if best == 0 else "increase"
    warn_user(
        f"J is smallest at the {end} q of the grid ({grid[best]:.4g}), so it has no "
        f"inner minimum; q* = {q:.4g} was taken, at which "
        f"{objective.expected_node_fraction(q):.0%} of the nodes are expected to "
        f"remain. {advice.capitalize()} phi, widen q_grid, or set q yourself.",
        ResolutionWarning,
    )
    return float(q)
