"""Losses: means over labelled entries of a batch, and what each of them needs.

In: outputs of the network, targets, weights of graphs. Out: one number to minimise.
Targets are class codes, int64 (n_graphs,), or numbers, float32 (n_graphs, n_tasks),
where NaN stands for an entry without label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from skshake.network.batches import balanced_batches, shuffled_batches

MARGIN = 1.0


@dataclass(frozen=True)
class Loss:
    """A loss, and what training with it needs.

    Parameters
    ----------
    modules : mapping of str to callable
        For each form of targets that the loss takes, what makes its module from the
        number of their columns. Forms are "classes" (codes, int64 (n_graphs,)),
        "labels" (0, 1 or NaN, float32 (n_graphs, n_columns)) and "numbers"
        (standardised or NaN, float32 (n_graphs, n_columns)). The module takes outputs
        (n_graphs, n_outputs), targets and weights (n_graphs,), and gives the mean over
        the batch. It may have parameters of its own, which are learnt too.
    make_batches : callable, default=shuffled_batches
        From a random generator, targets (n_graphs, n_columns) and the batch size, the
        graphs of each batch of an epoch.
    ascends : tuple of str, default=()
        Parameters of the module that are maximised, and kept at 0 or more.
    is_binary : bool, default=False
        Whether targets that are classes must be two.
    count : callable or None, default=None
        From the targets of a batch, the number of labels that the module's mean is
        over, a Tensor of shape (), as ``count_labelled`` gives it. Processes that
        train together weigh their losses by it; None, for losses that are no such mean,
        trains in one process alone.
    """

    modules: Mapping[str, Callable[[int], nn.Module]]
    make_batches: Callable[[np.random.Generator, np.ndarray, int], list[np.ndarray]] = (
        shuffled_batches
    )
    ascends: tuple[str, ...] = ()
    is_binary: bool = False
    count: Callable[[Tensor], Tensor] | None = None

    def make(self, form: str, n_tasks: int) -> nn.Module:
        """The module for a form of targets, of so many columns."""
        return self.modules[form](n_tasks)


def count_labelled(targets: Tensor) -> Tensor:
    """Number of labels of a batch.

    Parameters
    ----------
    targets : Tensor of shape (n_graphs,) or (n_graphs, n_columns)
        NaN where there is no label.

    Returns
    -------
    count : int64 Tensor of shape ()
    """
    return (~targets.isnan()).sum()


def _mean_of_labelled(losses: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Weighted losses summed over labelled entries, over the number of those."""
    is_labelled = ~targets.isnan()
    losses = torch.where(is_labelled, losses * weights[:, None], 0.0)
    return losses.sum() / is_labelled.sum().clamp(min=1)


class CrossEntropy(nn.Module):
    """Weight times cross-entropy, mean over graphs.

    Weights have mean 1 over the training graphs; a batch of heavy graphs counts more
    than one of light graphs.
    """

    def __init__(self, n_tasks: int = 1) -> None:
        super().__init__()

    def forward(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        losses = functional.cross_entropy(outputs, targets, reduction="none")
        return (losses * weights).mean()


class BinaryCrossEntropy(nn.Module):
    """Cross-entropy of each label by itself, for multi-label targets of 0, 1, NaN."""

    def __init__(self, n_tasks: int = 1) -> None:
        super().__init__()

    def forward(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        losses = functional.binary_cross_entropy_with_logits(
            outputs, targets.nan_to_num(), reduction="none"
        )
        return _mean_of_labelled(losses, targets, weights)


class SquaredError(nn.Module):
    """Squared error of numbers, NaN where there is no label."""

    def __init__(self, n_tasks: int = 1) -> None:
        super().__init__()

    def forward(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        losses = (outputs - targets.nan_to_num()) ** 2
        return _mean_of_labelled(losses, targets, weights)


class AUCMargin(nn.Module):
    r"""AUC-margin loss (Yuan et al. 2021), a min-max surrogate of 1 - ROC-AUC.

    With scores s (sigmoids of the outputs), means over positives and negatives and one
    triple (a, b, alpha) per task,

    .. math:: E_+ (s - a)^2 + E_- (s - b)^2
        + 2 \alpha (m + E_- s - E_+ s) - \alpha^2,

    minimised over network, a and b, maximised over alpha >= 0. The paper's MolHIV
    setting; a mean over tasks that have both labels in the batch. With codes of two
    classes the scores are the probabilities of the second, as cross-entropy has them.

    Parameters
    ----------
    n_tasks : int
    """

    def __init__(self, n_tasks: int) -> None:
        super().__init__()
        # LibAUC starts all three at 0. Scores are then drawn to a = b = 0 before they
        # part, and a sigmoid does not come back from there; these are the best values
        # for outputs of 0.
        self.a = nn.Parameter(torch.full((n_tasks,), 0.5))
        self.b = nn.Parameter(torch.full((n_tasks,), 0.5))
        self.alpha = nn.Parameter(torch.full((n_tasks,), MARGIN))

    def forward(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        if targets.ndim == 1:
            outputs, targets = outputs[:, 1:] - outputs[:, :1], targets[:, None]
        scores = outputs.float().sigmoid()
        positive = torch.where(targets == 1, weights[:, None], 0.0)
        negative = torch.where(targets == 0, weights[:, None], 0.0)
        n_positive, n_negative = positive.sum(dim=0), negative.sum(dim=0)
        positive = positive / n_positive.clamp(min=1e-12)
        negative = negative / n_negative.clamp(min=1e-12)
        spread = (positive * (scores - self.a) ** 2).sum(dim=0)
        spread = spread + (negative * (scores - self.b) ** 2).sum(dim=0)
        gap = MARGIN + ((negative - positive) * scores).sum(dim=0)
        losses = spread + 2 * self.alpha * gap - self.alpha**2
        has_both = (n_positive > 0) & (n_negative > 0)
        return torch.where(has_both, losses, 0.0).sum() / has_both.sum().clamp(min=1)


LOSSES = {
    "cross_entropy": Loss(
        {"classes": CrossEntropy, "labels": BinaryCrossEntropy}, count=count_labelled
    ),
    "squared_error": Loss({"numbers": SquaredError}, count=count_labelled),
    "auc_margin": Loss(
        {"classes": AUCMargin, "labels": AUCMargin},
        make_batches=balanced_batches,
        ascends=("alpha",),
        is_binary=True,
    ),
}


def find_loss(loss: Any) -> Loss:
    """Loss by its name, or as it was given.

    Raises
    ------
    TypeError
        If it is neither a name nor a Loss.
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        raise TypeError(
            f"loss: expected a name or a skshake.network.Loss, got {loss!r}"
        )
    return LOSSES[loss]
