"""EachColumn: one estimator for each column of a target, on the rows that are labelled.

In: a table (or graphs) and a target of several columns with NaN. Out: what the
estimators of all columns predict, side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from skshake._base import BaseSHAKE


class EachColumn(MetaEstimatorMixin, BaseEstimator):
    """Fit a clone of an estimator to each column; NaN stands for no label.

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
            # A label of which only one value is known may lack the column of ones.
            [each.predict_proba(X) @ (each.classes_ == 1) for each in self.estimators_]
        )


def fit_each_column(member: Any) -> Any:
    """The member, made to take several columns with NaN.

    Networks take them as they are. Of a pipeline the last step alone is fitted to each
    column, so that tables are made once.
    """
    name, last = member.steps[-1] if isinstance(member, Pipeline) else ("", member)
    if isinstance(last, BaseSHAKE):
        return member
    if not name:
        return EachColumn(member)
    return member.set_params(**{name: EachColumn(last)})
