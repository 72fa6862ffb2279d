"""take_apart: the network in a model, and what stands in front of it.

In: an estimator, or a pipeline, search, ensemble, calibration or threshold of one.
Out: the steps that read and transform what is given, and the estimator behind them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

# Besides what has ``cv``: they ask the one estimator that they hold.
ASKS_ONE = (FrozenEstimator, FixedThresholdClassifier)


class Parts(NamedTuple):
    """``steps`` that inputs go through one after the other, and the ``estimator``."""

    steps: tuple[Any, ...]
    estimator: Any


def take_apart(model: Any) -> list[Parts]:
    """Parts of a model: of each of the models that a calibration averages, else of one.

    Parameters
    ----------
    model : estimator
        A search stands for its best pipeline, an ensemble for its network. What is not
        fitted is taken as it will be cloned.

    Returns
    -------
    parts : list of Parts
    """
    if isinstance(model, Pipeline):
        *front, (_, last) = model.steps
        steps = tuple(step for _, step in front if step not in (None, "passthrough"))
        return [Parts(steps + rest, last) for rest, last in take_apart(last)]
    within = _models_within(model)
    if within is None:
        return [Parts((), model)]
    return [parts for inner in within for parts in take_apart(inner)]


def _models_within(model: Any) -> list[Any] | None:
    """Models that a model asks; None for one that asks nobody else."""
    if hasattr(model, "_network_member"):
        # An ensemble of ours.
        return [model._network_member]
    if hasattr(model, "best_estimator_"):
        return [model.best_estimator_]
    if hasattr(model, "calibrated_classifiers_"):
        return [inner.estimator for inner in model.calibrated_classifiers_]
    # A threshold, what is frozen, and a search or calibration that is not fitted: not
    # what averages many copies, such as bagging.
    if hasattr(model, "cv") or isinstance(model, ASKS_ONE):
        inner = getattr(model, "estimator_", getattr(model, "estimator", None))
        return None if inner is None else [inner]
    return None
