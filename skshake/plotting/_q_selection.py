"""QSelectionDisplay: how q* was chosen, and what any q leaves, as a figure.

In: a fitted KFCoarsener. Out: matplotlib artists, in scikit-learn's Display convention.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np

from skshake.plotting._axes import one_axes
from skshake.resolution import COMPLEXITY, SPECTRAL_LOSSES, ResolutionCurves

COLORS = {"node": "tab:blue", "edge": "tab:orange"}
# Of losses one after the other, and of the complexity.
LOSS_STYLES, COMPLEXITY_STYLE = ("-", "--", "-."), ":"
# A J that is larger than the smallest by less than this part of it is about as good.
ABOUT_AS_GOOD = 0.01


def _parts_of(curves: ResolutionCurves) -> Iterator[tuple[str, str, str, str]]:
    """Name, label, colour and style of each curve that J is made of."""
    labels = {loss.name: loss.label for loss in SPECTRAL_LOSSES}
    for rows, color in COLORS.items():
        others = (name for name in curves.others or () if name.startswith(f"{rows}_"))
        names = [*labels, *(name.removeprefix(f"{rows}_") for name in others)]
        for name, style in zip(names, cycle(LOSS_STYLES), strict=False):
            label = labels.get(name, f"{name} loss")
            yield f"{rows}_{name}", f"{rows} {label}", color, style
        name = f"{rows}_{COMPLEXITY}"
        yield name, f"{rows} {COMPLEXITY}", color, COMPLEXITY_STYLE


def _range_about_as_good(q: np.ndarray, objective: np.ndarray) -> tuple[float, float]:
    """Range of q around the smallest J on which it is about as good.

    Ends between two q of the grid are interpolated on a logarithmic scale.
    """
    best, log_q = int(objective.argmin()), np.log(q)
    limit = objective[best] + ABOUT_AS_GOOD * abs(objective[best])
    ends = []
    for step, last in ((-1, 0), (1, len(q) - 1)):
        k = best
        while k != last and objective[k + step] <= limit:
            k += step
        end = log_q[k]
        if k != last:
            inside, outside = objective[k], objective[k + step]
            part = (limit - inside) / (outside - inside)
            end += part * (log_q[k + step] - log_q[k])
        ends.append(float(np.exp(end)))
    return ends[0], ends[1]


class QSelectionDisplay:
    """The objective J, its minimiser q*, and what any q leaves of the graphs.

    J (black, left axis) weighs what smoothing at q loses of the features against the
    size that is left; q* is where it is smallest. The right axis says which percentage
    of nodes and edges is left. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    curves : ResolutionCurves
        Curves on a grid of q.
    q_star : float
        The chosen resolution.
    interval : (float, float), default=None
        Where q* of all training graphs lies with 95 %; None or nan draws none, as does
        one without width, because q* is exact.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    ax_ : matplotlib.axes.Axes
        Of J, and of its parts.
    left_ax_ : matplotlib.axes.Axes
        Of the percentages of nodes and edges that are left, with the same q.
    lines_ : dict of str to matplotlib.lines.Line2D
        "objective", "q_star", "node_fraction", "edge_fraction", and the parts by the
        names of the curves' fields.
    flat_ : matplotlib.patches.Rectangle
        Where J is at most 1 % above its smallest value: any of these q is about as
        good, however exactly q* is known.
    interval_ : matplotlib.patches.Rectangle or None
        The interval of q*.
    """

    def __init__(
        self,
        curves: ResolutionCurves,
        q_star: float,
        interval: tuple[float, float] | None = None,
    ) -> None:
        self.curves = curves
        self.q_star = q_star
        self.interval = interval

    @classmethod
    def from_estimator(
        cls, coarsener: Any, *, parts: bool = False, ax: Any = None
    ) -> QSelectionDisplay:
        """Plot the selection of a fitted coarsener.

        Parameters
        ----------
        coarsener : KFCoarsener
            Fitted with ``q="auto"``.
        parts : bool, default=False
            Whether to draw the six curves that J is made of, too.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : QSelectionDisplay

        Raises
        ------
        ValueError
            If the coarsener is not fitted, or was given its q.
        """
        if not hasattr(coarsener, "q_curves_"):
            raise ValueError(
                "expected a KFCoarsener fitted with q='auto'; this one has no q_curves_"
            )
        return cls(
            coarsener.q_curves_, coarsener.q_star_, coarsener.q_star_interval_
        ).plot(parts=parts, ax=ax)

    def plot(self, *, parts: bool = False, ax: Any = None) -> QSelectionDisplay:
        """Draw.

        Parameters
        ----------
        parts : bool, default=False
            Whether to draw the six curves that J is made of, too.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        self : QSelectionDisplay
        """
        self.ax_ = ax = one_axes(ax, (7.5, 4.2))
        self.figure_ = ax.figure
        self.lines_: dict[str, Any] = {}
        q, objective = self.curves.q, self.curves.objective
        good = _range_about_as_good(q, objective)
        self.flat_ = ax.axvspan(
            *good,
            color="0.5",
            alpha=0.15,
            linewidth=0,
            label=f"J within {ABOUT_AS_GOOD:.0%}: {good[0]:.3g} to {good[1]:.3g}",
        )
        (self.lines_["objective"],) = ax.plot(
            q, objective, color="black", label="objective J", linewidth=2
        )
        if parts:
            self._plot_parts()
        self._plot_q_star()
        ax.set(xscale="log", xlabel="q (larger is finer)", ylabel="J, mean over graphs")
        ax.set_xlim(q[0], q[-1])
        if not parts:
            self._look_at_the_valley()
        self._plot_left()
        handles = [*ax.get_legend_handles_labels()[0], *self.left_ax_.get_lines()]
        ax.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(1.14, 1.0),
            frameon=False,
        )
        return self

    def _plot_parts(self) -> None:
        """Draw what J is the sum of; curves of nothing are left out."""
        for name, label, color, style in _parts_of(self.curves):
            values = self.curves[name]
            if np.any(values):
                (self.lines_[name],) = self.ax_.plot(
                    self.curves.q, values, style, color=color, label=label, linewidth=1
                )

    def _plot_q_star(self) -> None:
        """Draw q*, and its interval where it has a width."""
        label, ends = f"q* = {self.q_star:.3g}", self.interval
        self.interval_ = None
        if ends is not None and np.isfinite(ends).all() and ends[1] > ends[0]:
            if f"{ends[0]:.3g}" != f"{ends[1]:.3g}":
                label += f" (95 %: {ends[0]:.3g} to {ends[1]:.3g})"
            self.interval_ = self.ax_.axvspan(
                *ends, color="tab:red", alpha=0.2, linewidth=0
            )
        self.lines_["q_star"] = self.ax_.axvline(
            self.q_star, color="tab:red", label=label, linewidth=1.3
        )

    def _look_at_the_valley(self) -> None:
        """Show the q at which something happens, and J there from side to side."""
        fraction, q = self.curves.node_fraction, self.curves.q
        span = np.ptp(fraction)
        happens = np.flatnonzero(
            (fraction > fraction.min() + 0.005 * span)
            & (fraction < fraction.max() - 0.005 * span)
        )
        if len(happens):
            low, high = q[happens[[0, -1]]]
            self.ax_.set_xlim(min(low, self.q_star / 2), max(high, self.q_star * 2))

    def _plot_left(self) -> None:
        """Draw what is left of nodes and edges on an axis of percentages."""
        self.left_ax_ = ax = self.ax_.twinx()
        for rows, color in COLORS.items():
            fraction = self.curves[f"{rows}_fraction"]
            if fraction is None or np.isnan(fraction).all():
                continue
            log_q = np.log(self.curves.q)
            known = ~np.isnan(fraction)
            here = np.interp(np.log(self.q_star), log_q[known], fraction[known])
            (self.lines_[f"{rows}_fraction"],) = ax.plot(
                self.curves.q,
                100 * fraction,
                color=color,
                linewidth=4 if rows == "node" else 2,
                alpha=0.5,
                label=f"{rows}s left: about {here:.0%} at q*",
            )
        ax.set(ylim=(0, 100), ylabel="left of nodes and edges, %")
