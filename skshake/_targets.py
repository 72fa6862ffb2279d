"""Labels, weights and the held-out part: what scikit-learn promises about ``y``.

In: labels of any type. Out: codes 0..n_classes-1, weights, and a stratified split.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight


def _is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, or a missing value of pandas."""
    if label is None:
        return True
    try:
        return bool(label != label)
    except TypeError:  # pandas.NA has no truth value
        return True


def check_labels(y: Any, n_graphs: int, name: str = "y") -> np.ndarray:
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
        raise ValueError(
            f"{name}: expected shape ({n_graphs},), got {labels.shape}; multi-label "
            "targets are not supported"
        )
    if labels.ndim == 0:
        raise ValueError(f"{name}: expected shape ({n_graphs},), got one {type(y)}")
    labels = labels.reshape(len(labels)) if labels.size == len(labels) else labels
    labels = column_or_1d(labels)
    if len(labels) != n_graphs:
        raise ValueError(f"{name}: expected {n_graphs} labels, got {len(labels)}")
    is_missing = np.array([_is_missing(label) for label in labels], bool)
    if is_missing.any():
        raise ValueError(
            f"{name}: {is_missing.sum()} labels are missing, the first at graph "
            f"{np.flatnonzero(is_missing)[0]}"
        )
    check_classification_targets(labels)
    return labels


def encode_labels(labels: np.ndarray, classes: np.ndarray, name: str) -> np.ndarray:
    """Position of each label among the sorted classes."""
    codes = np.searchsorted(classes, labels)
    codes = np.minimum(codes, len(classes) - 1)
    is_unknown = classes[codes] != labels
    if is_unknown.any():
        stranger = labels[is_unknown].tolist()[0]
        raise ValueError(
            f"{name}: label {stranger!r} does not occur in y, which has "
            f"{classes.tolist()}"
        )
    return codes


def check_weights(
    sample_weight: Any, labels: np.ndarray, class_weight: Any
) -> np.ndarray:
    """Weight of each graph, float64: sample weight times class weight."""
    weights = _check_sample_weight(
        sample_weight, labels[:, None], dtype=np.float64, ensure_non_negative=True
    )
    if class_weight is not None:
        weights = weights * compute_sample_weight(class_weight, labels)
    if not weights.sum() > 0:
        raise ValueError("sample_weight: all weights are zero")
    return weights


def split_validation(
    codes: np.ndarray, fraction: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Graphs to train on and to hold out, stratified by class where possible.

    Warns
    -----
    UserWarning
        If a class is too rare to be split; the split is then a plain random one.
    """
    graphs = np.arange(len(codes))
    try:
        parts = train_test_split(
            graphs, test_size=fraction, random_state=seed, stratify=codes
        )
    except ValueError as error:
        warnings.warn(
            f"the held-out part is not stratified: {error}", UserWarning, stacklevel=3
        )
        parts = train_test_split(graphs, test_size=fraction, random_state=seed)
    return np.sort(parts[0]), np.sort(parts[1])
