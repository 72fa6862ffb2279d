"""QSelectionDisplay: how q* was chosen, as a figure.

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


def _curves_of(curves: ResolutionCurves) -> Iterator[tuple[str, str, str, str]]:
    """Name, label, colour and style of each curve."""
    labels = {loss.name: loss.label for loss in SPECTRAL_LOSSES}
    for rows, color in COLORS.items():
        others = (name for name in curves.others or () if name.startswith(f"{rows}_"))
        names = [*labels, *(name.removeprefix(f"{rows}_") for name in others)]
        for name, style in zip(names, cycle(LOSS_STYLES), strict=False):
            label = labels.get(name, f"{name} loss")
            yield f"{rows}_{name}", f"{rows} {label}", color, style
        name = f"{rows}_{COMPLEXITY}"
        yield name, f"{rows} {COMPLEXITY}", color, COMPLEXITY_STYLE


class QSelectionDisplay:
    """The objective J, its curves and its minimiser q*.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    curves : ResolutionCurves
        Curves on a grid of q.
    q_star : float
        The chosen resolution.
    interval : (float, float), default=None
        Where q* lies with 95 %; None or nan draws none.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    ax_ : matplotlib.axes.Axes
    lines_ : dict of str to matplotlib.lines.Line2D
        By the names of the curves' fields.
    band_ : matplotlib.collections.PolyCollection
        J plus and minus its standard deviation over graphs.
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
    def from_estimator(cls, coarsener: Any, *, ax: Any = None) -> QSelectionDisplay:
        """Plot the selection of a fitted coarsener.

        Parameters
        ----------
        coarsener : KFCoarsener
            Fitted with ``q="auto"``.
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
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> QSelectionDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        self : QSelectionDisplay
        """
        self.ax_ = ax = one_axes(ax, (7, 4.5))
        self.figure_ = ax.figure
        q, objective = self.curves.q, self.curves.objective
        spread = self.curves.objective_std
        self.band_ = ax.fill_between(
            q, objective - spread, objective + spread, color="0.88", linewidth=0
        )
        self.lines_ = {}
        for name, label, color, style in _curves_of(self.curves):
            values = self.curves[name]
            if np.any(values):
                (self.lines_[name],) = ax.plot(
                    q, values, style, color=color, label=label, linewidth=1.3
                )
        (self.lines_["objective"],) = ax.plot(
            q, objective, color="black", label="objective J ± sd", linewidth=2
        )
        self.lines_["q_star"] = ax.axvline(
            self.q_star,
            color="tab:red",
            label=f"q* = {self.q_star:.3g}",
            linewidth=1.3,
        )
        self.interval_ = None
        if self.interval is not None and np.isfinite(self.interval).all():
            self.interval_ = ax.axvspan(
                *self.interval, color="tab:red", alpha=0.15, linewidth=0
            )
        ax.set(xscale="log", xlabel="q (larger is finer)", ylabel="mean over graphs")
        ax.set_xlim(q[0], q[-1])
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        return self
