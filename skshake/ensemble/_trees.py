"""Trees on counts of subtrees: what an ensemble has beside its network.

In: whether labels or numbers are predicted. Out: a pipeline from graphs to two forests
and their mean, whose table holds counts of subtrees only where they help.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import HasMethods

from skshake._fit_context import checks_parameters_of_all
from skshake._vectorizer import SubtreeVectorizer
from skshake.graphs import GraphsLike

# Trees of each forest, and of each of the two that are tried before them.
N_TREES, N_TRIAL_TREES = 100, 100
# Out-of-bag scores of fewer graphs differ by chance more than by columns (if a tenth of
# 200 graphs is judged otherwise, with a standard error of 2 %); more say nothing new.
FEWEST_GRAPHS, MOST_GRAPHS = 500, 5_000


class OutOfBagVectorizer(SubtreeVectorizer):
    """SubtreeVectorizer that leaves out counts of subtrees where trees do without.

    ``fit`` tries a small forest on the statistics alone and one on the whole table. If
    the former has the greater out-of-bag score, subtrees get no columns. Out-of-bag
    scores are free: each tree is judged by the graphs that its bootstrap left out.

    Parameters
    ----------
    depth, min_df, max_features, statistics, walk_length, categorical_features, \
log_features, sparse_output, n_jobs
        Those of :class:`SubtreeVectorizer`.
    trial : forest or None, default=None
        What is tried, with ``oob_score=True``, on 5,000 graphs at most. None tries
        nothing and keeps all columns, as do targets of several columns and fewer than
        500 graphs.
    """

    _parameter_constraints: dict = {
        **SubtreeVectorizer._parameter_constraints,
        "trial": [HasMethods(["fit", "predict"]), None],
    }

    def __init__(
        self,
        *,
        depth=2,
        min_df=3,
        max_features=2048,
        statistics=True,
        walk_length=8,
        categorical_features="from_dtype",
        log_features="auto",
        sparse_output=True,
        n_jobs=None,
        trial=None,
    ):
        super().__init__(
            depth=depth,
            min_df=min_df,
            max_features=max_features,
            statistics=statistics,
            walk_length=walk_length,
            categorical_features=categorical_features,
            log_features=log_features,
            sparse_output=sparse_output,
            n_jobs=n_jobs,
        )
        self.trial = trial

    def fit(self, X: GraphsLike, y: Any = None) -> OutOfBagVectorizer:
        """Learn which columns there are; see ``fit_transform``."""
        self.fit_transform(X, y)
        return self

    @checks_parameters_of_all
    def fit_transform(self, X: GraphsLike, y: Any = None) -> Any:
        """Learn which columns there are, and make the table of the same graphs."""
        table = self._make_table(*self._learn(X, y))
        n_statistics = table.shape[1] - sum(map(len, self.subtrees_))
        if self._is_better_without_subtrees(table, n_statistics, y):
            self.subtrees_ = [colours[:0] for colours in self.subtrees_]
            table = table[:, :n_statistics]
        return table

    def _is_better_without_subtrees(
        self, table: Any, n_statistics: int, y: Any
    ) -> bool:
        """Whether trees on the first columns alone have the greater score."""
        is_table_whole = n_statistics in (0, table.shape[1])
        if self.trial is None or y is None or is_table_whole:
            return False
        if np.ndim(y) != 1 or table.shape[0] < FEWEST_GRAPHS:
            return False
        some = np.random.default_rng(0).permutation(len(y))[:MOST_GRAPHS]
        tried, y = table[some], np.asarray(y)[some]
        without, with_subtrees = (
            clone(self.trial).fit(columns, y).oob_score_
            for columns in (tried[:, :n_statistics], tried)
        )
        return bool(without > with_subtrees)


def make_trees(*, is_classifier: bool) -> Pipeline:
    """Pipeline from graphs to forests of two kinds, with the default parameters.

    Random forests choose the best threshold of a column, extremely randomised trees
    (Geurts, Ernst & Wehenkel, 2006) the best of random ones: they err on other graphs.
    """
    if is_classifier:
        random, extra = RandomForestClassifier(N_TREES), ExtraTreesClassifier(N_TREES)
        options, mean = {"voting": "soft"}, VotingClassifier
    else:
        # All columns at each split, the default of regressors, take ten times as long.
        random = RandomForestRegressor(N_TREES, max_features=0.1)
        extra = ExtraTreesRegressor(N_TREES, max_features=0.3)
        options, mean = {}, VotingRegressor
    trial = clone(random).set_params(n_estimators=N_TRIAL_TREES, oob_score=True)
    forests = mean([("random", random), ("extra", extra)], **options)
    vectorizer = OutOfBagVectorizer(trial=trial)
    return Pipeline([("count", vectorizer), ("forests", forests)])
