"""SHAKEEnsembleRegressor: the network and trees, averaged, for numbers.

In: a list of graphs and numbers. Out: the weighted mean of what a network on
hierarchies and trees on counts of subtrees predict.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.ensemble import VotingRegressor
from sklearn.utils import Tags

from skshake._regressor import SHAKERegressor
from skshake._targets import NumberTarget, check_sample_weight, mean_r2
from skshake.ensemble._base import MEMBERS, BaseEnsemble
from skshake.graphs import GraphsLike


class SHAKEEnsembleRegressor(RegressorMixin, BaseEnsemble):
    """Predict numbers of graphs by a network and by trees, averaged.

    See :class:`SHAKEEnsembleClassifier`; the members are those of numbers.

    Parameters
    ----------
    shake : estimator or None, default=None
        Network, or any regressor of graphs. None is
        ``Pipeline([("coarsen", KFCoarsener()), ("reg", SHAKERegressor())])``.
    trees : estimator or None, default=None
        Trees, or any regressor of graphs. None is a pipeline of ``"count"``, a
        SubtreeVectorizer, and ``"forests"``, the mean of a RandomForestRegressor and an
        ExtraTreesRegressor, ``"random"`` and ``"extra"``, of 100 trees each. Its table
        holds statistics, and counts of subtrees unless a random forest on statistics
        alone has the greater out-of-bag coefficient of determination.
    weights : "auto", array-like of shape (2,) or None, default="auto"
        Weights of ``shake`` and of ``trees`` in the mean. "auto" gives the network
        0.7 n / (n + 100) of it, where n is the number of training graphs. None weighs
        them alike.
    n_jobs : int or None, default=None
        Handed down to whatever in the members has ``n_jobs`` and leaves it None. The
        members are fitted one after the other; the network has threads of its own.
    random_state : int, RandomState instance or None, default=None
        Seeds whatever in the members has ``random_state`` and leaves it None.
    verbose : int, default=0
        Greater than 0 shows the network's progress bar, unless it has a ``verbose`` of
        its own.

    Attributes
    ----------
    named_estimators_ : Bunch
        The fitted members, ``shake`` and ``trees``.
    voting_ : VotingRegressor or None
        Averages the members; None with several columns, which it does not take.
    weights_ : ndarray of shape (2,)
        Weights of the members, which add up to 1.
    n_features_in_ : int
        Columns of node features.

    Raises
    ------
    ValueError
        If a parameter is out of range, the graphs cannot be read (the message names the
        graph), y has another length than X or a missing number, or a member takes no
        weights but some are given.

    See Also
    --------
    SHAKERegressor : The network.
    SHAKEEnsembleClassifier : The same for labels, with more notes.

    References
    ----------
    Breiman (2001), "Random Forests", on out-of-bag estimates.

    Examples
    --------
    >>> from skshake import SHAKEEnsembleRegressor
    >>> from skshake.datasets import load_mutag
    >>> graphs = load_mutag().data[:30]
    >>> n_nodes = [graph.n_nodes for graph in graphs]
    >>> model = SHAKEEnsembleRegressor(random_state=0)
    >>> model = model.set_params(shake__reg__max_iter=2)
    >>> model.fit(graphs, n_nodes).predict(graphs).shape
    (30,)
    """

    _target: NumberTarget
    _most_of_network = 0.7

    def predict(self, X: GraphsLike) -> np.ndarray:
        """Mean of the numbers that the members predict.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.

        Returns
        -------
        numbers : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
            NaN for graphs without nodes if the network has ``on_empty="nan"``.
        """
        graphs = self._read(X)
        if self.voting_ is not None:
            numbers: np.ndarray = self.voting_.predict(graphs)
            return numbers if self._target.is_flat else numbers[:, None]
        return self._average(
            [self.named_estimators_[name].predict(graphs) for name in MEMBERS]
        )

    def score(self, X: GraphsLike, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination, mean over columns.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.
        y : array-like of shape (n_graphs,) or (n_graphs, n_targets)
            True numbers; with several columns NaN stands for an entry that is not
            known, which does not count.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph.

        Returns
        -------
        score : float
            NaN if no column has two known entries.
        """
        found = self.predict(X)
        n_graphs = len(found)
        true = self._target.check(y, n_graphs, "y")
        weights = check_sample_weight(sample_weight, y, n_graphs)
        found = found.reshape(n_graphs, -1)
        true[np.isnan(found)] = np.nan
        return mean_r2(true, found, weights)

    def explain(
        self, X: GraphsLike, *, target: int = 0, level: int | None = None
    ) -> list[np.ndarray]:
        """How much each node adds to a target in the network, without the trees.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.
        target : int, default=0
            Column of y.
        level : int or None, default=None
            Level whose features are asked about, 0 the finest; None adds all levels.

        Returns
        -------
        contributions : list of ndarray of shape (n_nodes,)
            One per graph, as of :meth:`SHAKERegressor.explain`.
        """
        return self._explain(X, target=target, level=level)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _make_network(self) -> tuple[str, SHAKERegressor]:
        return "reg", SHAKERegressor()

    def _make_voting(self, members: list, weights: np.ndarray) -> Any:
        return VotingRegressor(members, weights=weights)

    def _learn_target(self, y: Any, n_graphs: int) -> NumberTarget:
        return NumberTarget(y, n_graphs)

    def _target_of_members(self, target: Any, y: Any, n_graphs: int) -> np.ndarray:
        numbers: np.ndarray = target.check(y, n_graphs, "y")
        return numbers if numbers.shape[1] > 1 else numbers[:, 0]
