"""LearningCurveDisplay: loss and validation score of each epoch, as a figure.

In: a fitted estimator. Out: matplotlib artists, in scikit-learn's Display convention.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from skshake._extras import require
from skshake.plotting._axes import one_axes

# No score of ours can be larger; the least that the axis shows below it.
LARGEST_SCORE, LEAST_SPAN = 1.0, 0.05


class LearningCurveDisplay:
    """Training loss by epoch and, with early stopping, the validation score.

    The figure says how many graphs were held out, what their score is, and how far a
    score of so few can be trusted. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    loss : array-like of shape (n_epochs,)
        Mean training loss of each epoch.
    score : array-like of shape (n_epochs,) or None
        Validation score of each epoch, at most 1; None if nothing was held out.
    loss_name : str, default="training loss"
        Label of the losses.
    score_name : str, default="validation score"
        Label of the scores.
    score_error : float or None, default=None
        Standard error of each score, drawn around it; None draws none.
    n_held_out : int or None, default=None
        Graphs that were held out, for the title; None says nothing.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    ax_ : matplotlib.axes.Axes
        Of the loss.
    score_ax_ : matplotlib.axes.Axes or None
        Of the score, with the same epochs.
    lines_ : dict of str to matplotlib.lines.Line2D
        "loss", "score" and "kept", the last two with a score: the weights of the epoch
        with the best score are kept.
    band_ : matplotlib.collections.PolyCollection or None
        One standard error of the score to either side.
    """

    def __init__(
        self,
        loss: Any,
        score: Any = None,
        *,
        loss_name: str = "training loss",
        score_name: str = "validation score",
        score_error: float | None = None,
        n_held_out: int | None = None,
    ) -> None:
        self.loss = loss
        self.score = score
        self.loss_name = loss_name
        self.score_name = score_name
        self.score_error = score_error
        self.n_held_out = n_held_out

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> LearningCurveDisplay:
        """Plot the training of a fitted estimator.

        Around the score of a classifier a rough standard error is drawn: half of the
        inverse root of the number of held-out graphs, the largest that a fraction of so
        many graphs has, and about that of a ROC-AUC that is not near 1.

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
        n_held_out, error = estimator.n_held_out_, None
        if is_classifier(estimator) and n_held_out:
            error = 0.5 / np.sqrt(n_held_out)
        loss = estimator._auto_loss if estimator.loss == "auto" else estimator.loss
        of_loss = f" ({loss.replace('_', ' ')})" if isinstance(loss, str) else ""
        return cls(
            estimator.loss_curve_,
            estimator.validation_scores_,
            loss_name=f"training loss{of_loss}",
            score_name=f"{estimator._target.score_name} of held-out graphs",
            score_error=error,
            n_held_out=n_held_out,
        ).plot(ax=ax)

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
        self.band_: Any = None
        epochs = np.arange(1, len(self.loss) + 1)
        (line,) = self.ax_.plot(epochs, self.loss, color="black", label=self.loss_name)
        self.lines_ = {"loss": line}
        self.ax_.set(xlabel="epoch", ylabel=self.loss_name)
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        handles = [line]
        if self.score is not None:
            handles += self._plot_score(epochs)
        if self.n_held_out is not None:
            held_out = f"{self.n_held_out:,}" if self.n_held_out else "no"
            self.ax_.set_title(f"{held_out} graphs held out", fontsize="medium")
        self.ax_.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=2,
            frameon=False,
        )
        return self

    def _plot_score(self, epochs: np.ndarray) -> list[Any]:
        """Draw the scores on an axis of their own, and mark what is kept."""
        self.score_ax_ = ax = self.ax_.twinx()
        score = np.asarray(self.score, dtype=float)
        best, color = int(np.argmax(score)), "tab:blue"
        (self.lines_["score"],) = ax.plot(
            epochs, score, color=color, label=self.score_name, clip_on=False
        )
        (self.lines_["kept"],) = ax.plot(
            epochs[best],
            score[best],
            "o",
            color="tab:red",
            label=f"weights kept: epoch {epochs[best]}",
            clip_on=False,
            zorder=3,
        )
        handles = [self.lines_["score"], self.lines_["kept"]]
        if self.score_error is not None:
            self.band_ = ax.fill_between(
                epochs,
                score - self.score_error,
                np.minimum(score + self.score_error, LARGEST_SCORE),
                color=color,
                alpha=0.12,
                linewidth=0,
                label=f"± {self.score_error:.2g}: rough standard error",
            )
            handles.append(self.band_)
        finite = score[np.isfinite(score)]
        if len(finite):
            low = min(
                finite.min() - (self.score_error or 0), LARGEST_SCORE - LEAST_SPAN
            )
            margin = 0.05 * (LARGEST_SCORE - low)
            top = finite.max() + (self.score_error or 0) + margin
            ax.set_ylim(low - margin, min(top, LARGEST_SCORE))
        ax.set_ylabel(self.score_name, color=color)
        ax.tick_params(axis="y", labelcolor=color)
        return handles
