"""Models of targets with several columns and NaN, made of models that take no NaN.

In: a table (or graphs) and a target of several columns, where NaN stands for no label.
Out: what is predicted for all columns, side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from skshake._base import BaseSHAKE

FORESTS = (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)


def _forests_of(model: Any) -> list[Any]:
    """Forests whose plain mean a model predicts; none if it is anything else."""
    if type(model) in FORESTS:
        return [model]
    if type(model) not in (VotingClassifier, VotingRegressor):
        return []
    forests = [forest for _, forest in model.estimators if forest != "drop"]
    is_mean = model.weights is None and getattr(model, "voting", "soft") == "soft"
    return forests if is_mean and all(type(f) in FORESTS for f in forests) else []


class JointForest(MetaEstimatorMixin, BaseEstimator):
    """Fit each forest to all columns, which takes a fraction of the time of many.

    A forest learns two outputs for a column with NaN: the label, or 0 where there is
    none, and whether there is one. What it says of the former over what it says of the
    latter is the mean of the labels that are known, as its leaves weigh them.

    Parameters
    ----------
    forest : forest of scikit-learn, or VotingClassifier or VotingRegressor of forests
        Of labels 0 and 1, or of numbers, which it gets standardised. Of several forests
        the mean is predicted.
    """

    def __init__(self, forest: Any) -> None:
        self.forest = forest

    def fit(self, X: Any, y: np.ndarray, sample_weight: Any = None) -> JointForest:
        """Fit the forest to ``y`` of shape (n_rows, n_columns)."""
        is_known = ~np.isnan(y)
        mean, spread = np.nanmean(y, axis=0), np.nanstd(y, axis=0)
        self._has_gaps = ~is_known.all(axis=0)
        is_labels = is_classifier(self.forest)
        self._mean = np.zeros_like(mean) if is_labels else mean
        self._scale = np.where(is_labels | (spread == 0), 1.0, spread)
        # Of a column that no leaf knows, nothing but its mean is known.
        self._default = mean - self._mean
        targets = np.where(is_known, (y - self._mean) / self._scale, 0)
        if is_labels:
            targets = targets.astype(np.int64)
        joint = np.hstack([targets, is_known[:, self._has_gaps]])
        self.forests_ = [
            clone(forest).fit(X, joint, sample_weight)
            for forest in _forests_of(self.forest)
        ]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels or numbers (n_rows, n_columns)."""
        if is_classifier(self.forest):
            return (self.predict_proba(X) > 0.5).astype(np.int64)
        found = [self._means(forest.predict(X)) for forest in self.forests_]
        numbers: np.ndarray = np.mean(found, axis=0) * self._scale + self._mean
        return numbers

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label (n_rows, n_columns)."""
        found = []
        for forest in self.forests_:
            outputs = zip(forest.predict_proba(X), forest.classes_, strict=True)
            # An output with one value may lack the column of ones.
            of_ones = [each @ (classes == 1) for each, classes in outputs]
            found.append(self._means(np.column_stack(of_ones)))
        # Rounding may lift a ratio over 1.
        probabilities: np.ndarray = np.minimum(np.mean(found, axis=0), 1.0)
        return probabilities

    def _means(self, outputs: np.ndarray) -> np.ndarray:
        """Outputs of all columns over the fractions that are known."""
        n_columns = len(self._has_gaps)
        known = np.ones((len(outputs), n_columns))
        known[:, self._has_gaps] = outputs[:, n_columns:]
        default = np.tile(self._default, (len(outputs), 1))
        found: np.ndarray = np.divide(
            outputs[:, :n_columns], known, out=default, where=known > 0
        )
        return found


class EachColumn(MetaEstimatorMixin, BaseEstimator):
    """Fit a clone of an estimator to each column, on the rows that are labelled.

    scikit-learn's MultiOutputClassifier and MultiOutputRegressor take no NaN.

    Parameters
    ----------
    estimator : estimator
        Of labels 0 and 1, or of numbers.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: np.ndarray, sample_weight: Any = None) -> EachColumn:
        """Fit the estimators to ``y`` of shape (n_rows, n_columns)."""
        self.estimators_ = []
        for column in y.T:
            known = np.flatnonzero(~np.isnan(column))
            target = column[known]
            if is_classifier(self.estimator):
                target = target.astype(np.int64)
            given = {}
            if sample_weight is not None:
                given["sample_weight"] = np.asarray(sample_weight)[known]
            rows = _safe_indexing(X, known)
            self.estimators_.append(clone(self.estimator).fit(rows, target, **given))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels or numbers (n_rows, n_columns)."""
        return np.column_stack([each.predict(X) for each in self.estimators_])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label (n_rows, n_columns)."""
        return np.column_stack(
            # A label with one value may lack the column of ones.
            [each.predict_proba(X) @ (each.classes_ == 1) for each in self.estimators_]
        )


def take_columns(member: Any) -> Any:
    """The member, made to take several columns with NaN.

    Networks take them as they are. Of a pipeline the last step alone is changed, so
    that tables are made once.
    """
    name, last = member.steps[-1] if isinstance(member, Pipeline) else ("", member)
    if isinstance(last, BaseSHAKE):
        return member
    made = JointForest(last) if _forests_of(last) else EachColumn(last)
    return member.set_params(**{name: made}) if name else made
