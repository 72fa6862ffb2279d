"""Targets: what scikit-learn promises about ``y``, and what the network is given.

In: labels or numbers of any type. Out: arrays for the loss, and back from the network's
outputs to labels, probabilities, numbers and scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, softmax
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from skshake._as_array import is_missing
from skshake._warnings import warn_user


class Target(Protocol):
    """What ``y`` stands for, learnt from the training ``y``.

    ``form`` is what a loss knows it as ("classes", "labels" or "numbers"),
    ``n_outputs`` how many outputs the network has, ``score_name`` what ``score`` gives.
    """

    form: str
    n_outputs: int

    @property
    def score_name(self) -> str:
        """Name of the score, for figures."""

    @property
    def signature(self) -> Any:
        """What a later ``y`` must have in common to go on with the same network."""

    def encode(self, y: Any, n_graphs: int, name: str) -> np.ndarray:
        """What the loss takes, one row per graph."""

    def score(
        self, targets: np.ndarray, outputs: np.ndarray, weights: np.ndarray
    ) -> float:
        """Score of encoded targets, greater is better; -inf for outputs of NaN."""


class ClassTarget:
    """One of several classes per graph; labels of any type that sorts.

    Parameters
    ----------
    y : array-like of shape (n_graphs,)
    n_graphs : int
    """

    form = "classes"

    def __init__(self, y: Any, n_graphs: int) -> None:
        self.classes = np.unique(_check_labels(y, n_graphs, "y"))
        self.n_outputs = len(self.classes)

    @property
    def score_name(self) -> str:
        """ROC-AUC for two classes, else accuracy."""
        return "ROC-AUC" if self.n_outputs == 2 else "accuracy"

    @property
    def signature(self) -> list:
        """The classes."""
        return self.classes.tolist()

    def encode(self, y: Any, n_graphs: int, name: str) -> np.ndarray:
        """Codes (n_graphs,) of the classes."""
        labels = _check_labels(y, n_graphs, name)
        codes = np.minimum(np.searchsorted(self.classes, labels), len(self.classes) - 1)
        is_unknown = self.classes[codes] != labels
        if is_unknown.any():
            stranger = labels[is_unknown].tolist()[0]
            raise ValueError(
                f"{name}: label {stranger!r} does not occur in y, which has "
                f"{self.signature}"
            )
        return codes.astype(np.int64)

    def probabilities(self, outputs: np.ndarray) -> np.ndarray:
        """Probability of each class (n_graphs, n_classes)."""
        return softmax(outputs, axis=1)

    def margins(self, outputs: np.ndarray) -> np.ndarray:
        """Logits, or with two classes the log-odds of the second (n_graphs,)."""
        return outputs[:, 1] - outputs[:, 0] if len(self.classes) == 2 else outputs

    def labels(self, outputs: np.ndarray) -> np.ndarray:
        """Most probable labels, in the type of the training labels."""
        return self.classes[self.probabilities(outputs).argmax(axis=1)]

    def score(
        self, targets: np.ndarray, outputs: np.ndarray, weights: np.ndarray
    ) -> float:
        """ROC-AUC for two classes that both occur, else accuracy."""
        if not np.isfinite(outputs).all():
            return -np.inf
        codes, outputs = targets[weights > 0], outputs[weights > 0]
        weights = weights[weights > 0]
        if len(self.classes) == 2 and len(np.unique(codes)) == 2:
            margins = self.margins(outputs)
            return float(roc_auc_score(codes, margins, sample_weight=weights))
        found = self.probabilities(outputs).argmax(axis=1)
        return float(accuracy_score(codes, found, sample_weight=weights))


class LabelTarget:
    """Several labels per graph, each 0, 1 or NaN (not labelled).

    Parameters
    ----------
    y : array-like of shape (n_graphs, n_labels)
    n_graphs : int
    """

    form = "labels"

    def __init__(self, y: Any, n_graphs: int) -> None:
        values = _check_numbers(y, n_graphs, "y")
        self.n_outputs = values.shape[1]
        self.classes = np.arange(self.n_outputs)
        self.encode(y, n_graphs, "y")
        is_empty = np.isnan(values).all(axis=0)
        if is_empty.any():
            raise ValueError(
                f"y: column {np.flatnonzero(is_empty)[0]} has no label at all"
            )

    @property
    def score_name(self) -> str:
        """The mean over labels."""
        return "mean ROC-AUC"

    @property
    def signature(self) -> str:
        """The number of labels."""
        return f"{self.n_outputs} labels"

    def encode(self, y: Any, n_graphs: int, name: str) -> np.ndarray:
        """Zeros, ones and NaN (n_graphs, n_labels)."""
        values = _check_numbers(y, n_graphs, name, self.n_outputs)
        is_wrong = ~(np.isnan(values) | (values == 0) | (values == 1))
        if is_wrong.any():
            graph, column = np.argwhere(is_wrong)[0]
            raise ValueError(
                f"{name}: with several columns expected labels 0, 1 or NaN (not "
                f"labelled), got {values[graph, column]:g} at graph {graph}, column "
                f"{column}"
            )
        return values.astype(np.float32)

    def probabilities(self, outputs: np.ndarray) -> np.ndarray:
        """Probability of each label (n_graphs, n_labels)."""
        return expit(outputs)

    def margins(self, outputs: np.ndarray) -> np.ndarray:
        """Log-odds of each label."""
        return outputs

    def labels(self, outputs: np.ndarray) -> np.ndarray:
        """Zeros and ones (n_graphs, n_labels)."""
        return (outputs > 0).astype(np.int64)

    def score(
        self, targets: np.ndarray, outputs: np.ndarray, weights: np.ndarray
    ) -> float:
        """Mean ROC-AUC of the labels that have both values."""
        if not np.isfinite(outputs).all():
            return -np.inf
        scores = [
            roc_auc_score(true, found, sample_weight=weight)
            for true, found, weight in _labelled_columns(targets, outputs, weights)
            if len(np.unique(true)) == 2
        ]
        return float(np.mean(scores)) if scores else 0.0


class NumberTarget:
    """Numbers per graph; with several columns NaN stands for an entry without label.

    The network learns them standardised.

    Parameters
    ----------
    y : array-like of shape (n_graphs,) or (n_graphs, n_targets)
    n_graphs : int
    """

    form = "numbers"

    def __init__(self, y: Any, n_graphs: int) -> None:
        self.is_flat = np.ndim(y) == 1
        values = _check_numbers(y, n_graphs, "y")
        self.n_outputs = values.shape[1]
        if np.isnan(values).all(axis=0).any():
            raise ValueError("y: a column has no number at all")
        self.mean = np.nanmean(values, axis=0)
        spread = np.nanstd(values, axis=0)
        self.scale = np.where(spread > 0, spread, 1.0)

    @property
    def score_name(self) -> str:
        """The coefficient of determination."""
        return "R²" if self.n_outputs == 1 else "mean R²"

    @property
    def signature(self) -> str:
        """The number of columns."""
        return f"{self.n_outputs} numbers"

    def check(self, y: Any, n_graphs: int, name: str) -> np.ndarray:
        """Numbers (n_graphs, n_targets) in the units of ``y``, NaN where unknown."""
        return _check_numbers(y, n_graphs, name, self.n_outputs)

    def encode(self, y: Any, n_graphs: int, name: str) -> np.ndarray:
        """Standardised numbers (n_graphs, n_targets)."""
        values = self.check(y, n_graphs, name)
        return ((values - self.mean) / self.scale).astype(np.float32)

    def numbers(self, outputs: np.ndarray) -> np.ndarray:
        """Numbers in the units and the shape of the training ``y``."""
        values = outputs * self.scale + self.mean
        return values[:, 0] if self.is_flat else values

    def score(
        self, targets: np.ndarray, outputs: np.ndarray, weights: np.ndarray
    ) -> float:
        """Coefficient of determination, mean over columns."""
        if not np.isfinite(outputs).all():
            return -np.inf
        score = mean_r2(targets, outputs, weights)
        return 0.0 if np.isnan(score) else score


def mean_accuracy(
    target: ClassTarget | LabelTarget,
    y: Any,
    found: np.ndarray,
    is_gap: np.ndarray,
    sample_weight: Any,
) -> float:
    """Accuracy of found labels; with several labels the share of known ones.

    Graphs without a prediction (``is_gap``) do not count; NaN if nothing counts.
    """
    if is_gap.any():
        weights = check_sample_weight(sample_weight, y, len(found))
        sample_weight = np.where(is_gap, 0.0, weights)
        if not sample_weight.any():
            return np.nan
    if found.ndim == 1:
        return float(accuracy_score(y, found, sample_weight=sample_weight))
    true = target.encode(y, len(found), "y")
    weights = check_sample_weight(sample_weight, y, len(found))
    shares = ~np.isnan(true) * weights[:, None]
    if not shares.any():
        return np.nan
    return float(np.average(found == true, weights=shares))


def mean_r2(true: np.ndarray, found: np.ndarray, weights: np.ndarray) -> float:
    """Coefficient of determination of known entries, mean over columns.

    Columns with fewer than two known entries do not count; NaN if none counts.
    """
    scores = [
        r2_score(*column, sample_weight=weight)
        for *column, weight in _labelled_columns(true, found, weights)
        if len(weight) > 1
    ]
    return float(np.mean(scores)) if scores else np.nan


def _labelled_columns(
    targets: np.ndarray, outputs: np.ndarray, weights: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Targets, outputs and weights of the entries of each column that count."""
    for target, output in zip(targets.T, outputs.T, strict=True):
        counts = ~np.isnan(target) & (weights > 0)
        yield target[counts], output[counts], weights[counts]


def learn_class_target(y: Any, n_graphs: int) -> ClassTarget | LabelTarget:
    """Target of a classifier: labels if there are several columns, else classes."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return LabelTarget(y, n_graphs)
    return ClassTarget(y, n_graphs)


def check_loss(given: Any, loss: Any, target: Target) -> None:
    """Check that a :class:`skshake.network.Loss` takes the target.

    Raises
    ------
    ValueError
        If it takes other forms of targets, or two classes alone.
    """
    if target.form not in loss.modules:
        forms = " or ".join(loss.modules)
        raise ValueError(f"loss={given!r}: expected {forms}, got {target.form} in y")
    if loss.is_binary and isinstance(target, ClassTarget) and target.n_outputs != 2:
        raise ValueError(
            f"loss={given!r}: expected two classes, got {target.n_outputs}: "
            f"{target.classes.tolist()}"
        )


def _check_labels(y: Any, n_graphs: int, name: str) -> np.ndarray:
    """Labels as a 1-D array, one per graph, none missing.

    Raises
    ------
    ValueError
        If labels are missing (NaN or None), of another number than graphs,
        continuous, or in several columns.
    """
    if y is None:
        raise ValueError(f"{name}: expected one label per graph, got None")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(f"{name}: expected shape ({n_graphs},), got {labels.shape}")
    if labels.ndim == 0:
        raise ValueError(f"{name}: expected shape ({n_graphs},), got one {type(y)}")
    labels = labels.reshape(len(labels)) if labels.size == len(labels) else labels
    labels = column_or_1d(labels)
    if len(labels) != n_graphs:
        raise ValueError(f"{name}: expected {n_graphs} labels, got {len(labels)}")
    missing = np.array([is_missing(label) for label in labels], bool)
    if missing.any():
        raise ValueError(
            f"{name}: {missing.sum()} labels are missing, the first at graph "
            f"{np.flatnonzero(missing)[0]}"
        )
    check_classification_targets(labels)
    return labels


def _check_numbers(
    y: Any, n_graphs: int, name: str, n_columns: int | None = None
) -> np.ndarray:
    """Numbers (n_graphs, n_columns), float64; NaN only beside other columns."""
    if y is None:
        raise ValueError(f"{name}: expected numbers, one row per graph, got None")
    values = np.asarray(y)
    if values.dtype == object:
        # None and pandas.NA are NaN, which float() makes of neither.
        missing = [is_missing(value) for value in values.ravel().tolist()]
        values = np.where(np.reshape(missing, values.shape), np.nan, values)
    try:
        values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers; {error}") from error
    if values.ndim not in (1, 2):
        raise ValueError(f"{name}: expected 1 or 2 dimensions, got {values.ndim}")
    if len(values) != n_graphs:
        raise ValueError(f"{name}: expected {n_graphs} rows, got {len(values)}")
    is_single = values.ndim == 1 or values.shape[1] == 1
    bad = np.isinf(values) | (np.isnan(values) & is_single)
    if bad.any():
        where = np.argwhere(bad)[0]
        raise ValueError(
            f"{name}: {values[tuple(where)]} at graph {where[0]}; expected numbers"
        )
    values = values.reshape(n_graphs, -1)
    if n_columns is not None and values.shape[1] != n_columns:
        raise ValueError(f"{name}: expected {n_columns} columns, got {values.shape[1]}")
    return values


def check_sample_weight(
    sample_weight: Any,
    y: Any,
    n_graphs: int,
    class_weight: Any = None,
    target: Target | None = None,
) -> np.ndarray:
    """Weight of each graph, float64: sample weight times class weight.

    ``target`` knows the classes of ``y``, which may lack some of them.
    """
    weights = _check_sample_weight(
        sample_weight,
        np.empty((n_graphs, 1)),
        dtype=np.float64,
        ensure_non_negative=True,
    )
    if class_weight is not None:
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] > 1:
            raise ValueError("class_weight: y has several columns; use sample_weight")
        if isinstance(class_weight, Mapping):
            known = target if isinstance(target, ClassTarget) else None
            known = known or ClassTarget(y, n_graphs)
            of_class = _weights_of_classes(class_weight, known.classes)
            weights = weights * of_class[known.encode(y, n_graphs, "y")]
        else:
            weights = weights * compute_sample_weight(class_weight, labels)
    if not weights.sum() > 0:
        raise ValueError("sample_weight: all weights are zero")
    return weights


def _weights_of_classes(given: Mapping[Any, Any], classes: np.ndarray) -> np.ndarray:
    """Weight of each class; 1 for one that is not named.

    Raises
    ------
    ValueError
        If a weight is negative or no finite number, or a class has no weight while
        another name stands for no class.
    """
    # The numpy scalar of a date is another key than Python's.
    names = [
        scalar if scalar in given else label
        for label, scalar in zip(classes.tolist(), classes, strict=True)
    ]
    strangers = [name for name in given if name not in names]
    if strangers and not all(name in given for name in names):
        raise ValueError(
            f"class_weight: {strangers[0]!r} is no class of y, which has "
            f"{classes.tolist()}"
        )
    for name, weight in given.items():
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(
                f"class_weight: expected a number of 0 or more, got {weight!r} for "
                f"class {name!r}"
            )
    return np.array([float(given.get(name, 1.0)) for name in names])


def split_validation(
    targets: np.ndarray, fraction: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Graphs to train on and to hold out, stratified by class where there are classes.

    Warns
    -----
    UserWarning
        If a class is too rare to be split; the split is then a plain random one.
    """
    graphs = np.arange(len(targets))
    has_classes = targets.ndim == 1 or targets.shape[1] == 1
    is_binary = np.isin(targets, (0, 1)).all()
    strata = targets if targets.ndim == 1 or (has_classes and is_binary) else None
    try:
        parts = train_test_split(
            graphs, test_size=fraction, random_state=seed, stratify=strata
        )
    except ValueError as error:
        warn_user(f"the held-out part is not stratified: {error}")
        parts = train_test_split(graphs, test_size=fraction, random_state=seed)
    return np.sort(parts[0]), np.sort(parts[1])
