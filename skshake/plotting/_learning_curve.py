"""LearningCurveDisplay: loss and validation score of each epoch, as a figure.

In: a fitted estimator. Out: matplotlib artists, in scikit-learn's Display convention.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake._extras import require
from skshake.plotting._axes import one_axes


class LearningCurveDisplay:
    """Training loss by epoch and, with early stopping, the validation score.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    loss : array-like of shape (n_epochs,)
        Mean training loss of each epoch.
    score : array-like of shape (n_epochs,) or None
        Validation score of each epoch; None if nothing was held out.
    score_name : str, default="validation score"
        Label of the scores.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    ax_ : matplotlib.axes.Axes
        Of the loss.
    score_ax_ : matplotlib.axes.Axes or None
        Of the score, with the same epochs.
    lines_ : dict of str to matplotlib.lines.Line2D
        "loss", "score" and "best", the last two with a score.
    """

    def __init__(
        self, loss: Any, score: Any = None, *, score_name: str = "validation score"
    ) -> None:
        self.loss = loss
        self.score = score
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> LearningCurveDisplay:
        """Plot the training of a fitted estimator.

        Parameters
        ----------
        estimator : SHAKEClassifier or SHAKERegressor
            Fitted.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : LearningCurveDisplay

        Raises
        ------
        ValueError
            If the estimator is not fitted.
        """
        if not hasattr(estimator, "loss_curve_"):
            raise ValueError(
                "expected a fitted SHAKEClassifier; this object has no loss_curve_"
            )
        return cls(estimator.loss_curve_, estimator.validation_scores_).plot(ax=ax)

    def plot(self, ax: Any = None) -> LearningCurveDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        self : LearningCurveDisplay
        """
        require("matplotlib", "drawing")
        from matplotlib.ticker import MaxNLocator

        self.ax_ = one_axes(ax, (6, 4))
        self.figure_ = self.ax_.figure
        self.score_ax_: Any = None
        epochs = np.arange(1, len(self.loss) + 1)
        (line,) = self.ax_.plot(epochs, self.loss, color="black", label="training loss")
        self.lines_ = {"loss": line}
        self.ax_.set(xlabel="epoch", ylabel="training loss")
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        if self.score is not None:
            self._plot_score(epochs)
        self.ax_.legend(
            handles=list(self.lines_.values()),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=len(self.lines_),
            frameon=False,
        )
        return self

    def _plot_score(self, epochs: np.ndarray) -> None:
        """Draw the scores on an axis of their own, and mark the best."""
        self.score_ax_ = ax = self.ax_.twinx()
        best = int(np.argmax(self.score))
        (self.lines_["score"],) = ax.plot(
            epochs, self.score, color="tab:blue", label=self.score_name
        )
        (self.lines_["best"],) = ax.plot(
            epochs[best],
            self.score[best],
            "o",
            color="tab:red",
            label=f"best: {self.score[best]:.3f} in epoch {epochs[best]}",
        )
        ax.set_ylabel(self.score_name, color="tab:blue")
        ax.tick_params(axis="y", labelcolor="tab:blue")
