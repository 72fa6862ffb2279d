"""SHAKEEnsembleClassifier: the network and trees, averaged, for classes and labels.

In: a list of graphs and labels. Out: the weighted mean of what a network on hierarchies
and trees on counts of subtrees find probable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import VotingClassifier
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, StrOptions

from skshake._classifier import SHAKEClassifier
from skshake._targets import (
    ClassTarget,
    LabelTarget,
    check_sample_weight,
    learn_class_target,
    mean_accuracy,
)
from skshake.ensemble._base import MEMBERS, BaseEnsemble
from skshake.graphs import GraphsLike


class SHAKEEnsembleClassifier(ClassifierMixin, BaseEnsemble):
    """Classify graphs by a network and by trees on counts of subtrees, averaged.

    One line for what two pipelines are: :class:`KFCoarsener` and
    :class:`SHAKEClassifier`, which read where things are, and two forests on the
    table of :class:`SubtreeVectorizer`, which reads sharp thresholds of counts. The
    mean of their probabilities is often better than either. Graphs are read
    once, and the network is trained once.

    Parameters
    ----------
    shake : estimator or None, default=None
        Network, or any classifier of graphs with ``predict_proba``. None is
        ``Pipeline([("coarsen", KFCoarsener()), ("clf",
        SHAKEClassifier(temperature=1.0))])``: what it is too sure of, trees are not.
    trees : estimator or None, default=None
        Trees, or any classifier of graphs with ``predict_proba``. None is a pipeline of
        ``"count"``, a SubtreeVectorizer, and ``"forests"``, the mean of a
        RandomForestClassifier and an ExtraTreesClassifier, ``"random"`` and
        ``"extra"``, of 100 trees each. Its table holds statistics, and counts of
        subtrees unless a random forest on statistics alone has the greater out-of-bag
        accuracy (see Notes).
    weights : "auto", array-like of shape (2,) or None, default="auto"
        Weights of ``shake`` and of ``trees`` in the mean. "auto" gives the network
        n / (2n + 200) of it, where n is the number of training graphs: from few graphs
        it is too sure of itself. None weighs them alike.
    class_weight : dict, "balanced" or None, default=None
        As in scikit-learn, for both members; multiplies ``sample_weight``.
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
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted; with several labels per graph the column numbers.
    named_estimators_ : Bunch
        The fitted members, ``shake`` and ``trees``.
    voting_ : VotingClassifier or None
        Averages the members; None with several labels, which it does not take.
    weights_ : ndarray of shape (2,)
        Weights of the members, which add up to 1.
    n_features_in_ : int
        Columns of node features.

    Raises
    ------
    ValueError
        If a parameter is out of range, the graphs cannot be read (the message names the
        graph), y has another length than X or a missing label, or a member takes no
        weights but some are given.

    See Also
    --------
    SHAKEClassifier : The network.
    SubtreeVectorizer : The table of the trees.
    sklearn.ensemble.StackingClassifier : Learns how to combine, from inner folds.

    Notes
    -----
    Parameters of members are reached whether they are given or not:
    ``set_params(shake__clf__hidden_dim=32, trees__forests__extra="drop")``, or a grid
    over ``trees__count__depth``. ``trees__count__trial=None`` keeps counts without a
    trial; so do several labels per graph, and fewer than 500 graphs, whose scores
    differ by chance.

    With several labels per graph, 0, 1 or NaN, the network learns all labels at once,
    and so do forests, which are told where labels are known. Any other last
    step of ``trees`` is fitted to each label, on the graphs that have it.

    References
    ----------
    Breiman (2001), "Random Forests", on out-of-bag estimates. Geurts, Ernst & Wehenkel
    (2006), "Extremely Randomized Trees".

    Examples
    --------
    >>> from skshake import SHAKEEnsembleClassifier
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> model = SHAKEEnsembleClassifier(random_state=0)
    >>> model = model.set_params(shake__clf__max_iter=5)
    >>> model.fit(graphs[:150], y[:150]).predict_proba(graphs[150:]).shape
    (38, 2)
    """

    _target: ClassTarget | LabelTarget
    _most_of_network = 0.5

    _parameter_constraints: dict = {
        **BaseEnsemble._parameter_constraints,
        "shake": [HasMethods(["fit", "predict_proba"]), None],
        "trees": [HasMethods(["fit", "predict_proba"]), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        shake=None,
        trees=None,
        weights="auto",
        class_weight=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        super().__init__(
            shake=shake,
            trees=trees,
            weights=weights,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def fit(
        self, X: GraphsLike, y: Any, sample_weight: Any = None
    ) -> SHAKEEnsembleClassifier:
        """Fit the network and the trees.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads; it is read once.
        y : array-like of shape (n_graphs,) or (n_graphs, n_labels)
            Labels of any type that sorts; with several columns 0, 1, or NaN for a label
            that is not known. scikit-learn cannot stratify labels with NaN, so searches
            and ``cross_val_score`` need ``cv=KFold(5)`` then, not ``cv=5``.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph for both members; None weighs all alike.

        Returns
        -------
        self : SHAKEEnsembleClassifier
        """
        super().fit(X, y, sample_weight)
        self.classes_ = self._target.classes
        return self

    def predict(self, X: GraphsLike) -> np.ndarray:
        """Most probable class of each graph.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.

        Returns
        -------
        labels : ndarray of shape (n_graphs,) or (n_graphs, n_labels)
            In the type of the training labels; zeros and ones with several labels.
        """
        return self._labels(self.predict_proba(X))

    def predict_proba(self, X: GraphsLike) -> np.ndarray:
        """Mean of the members' probabilities, columns in the order of ``classes_``.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.

        Returns
        -------
        probabilities : ndarray of shape (n_graphs, n_classes)
            With several labels the probability of each, rows not summing to 1. NaN for
            graphs without nodes if the network has ``on_empty="nan"``.
        """
        graphs = self._read(X)
        if self.voting_ is not None:
            probabilities: np.ndarray = self.voting_.predict_proba(graphs)
            return probabilities
        return self._average(
            [self.named_estimators_[name].predict_proba(graphs) for name in MEMBERS]
        )

    def score(self, X: GraphsLike, y: Any, sample_weight: Any = None) -> float:
        """Accuracy; with several labels the share of known ones that is right.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.
        y : array-like of shape (n_graphs,) or (n_graphs, n_labels)
            True labels.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph.

        Returns
        -------
        score : float
        """
        probabilities = self.predict_proba(X)
        is_gap = np.isnan(probabilities).any(axis=1)
        found = self._labels(probabilities)
        return mean_accuracy(self._target, y, found, is_gap, sample_weight)

    def explain(
        self, X: GraphsLike, *, target: Any = None, level: int | None = None
    ) -> list[np.ndarray]:
        """How much each node adds to a class in the network; trees have no part in it.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the features of the training graphs.
        target : label, default=None
            Class to explain, as for :meth:`SHAKEClassifier.explain`.
        level : int or None, default=None
            Level whose features are asked about, 0 the finest; None adds all levels.

        Returns
        -------
        contributions : list of ndarray of shape (n_nodes,)
            One per graph.
        """
        return self._explain(X, target=target, level=level)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _make_network(self) -> tuple[str, SHAKEClassifier]:
        # As sure as it is: trees are not sure enough.
        return "clf", SHAKEClassifier(temperature=1.0)

    def _make_voting(self, members: list, weights: np.ndarray) -> Any:
        return VotingClassifier(members, voting="soft", weights=weights)

    def _learn_target(self, y: Any, n_graphs: int) -> ClassTarget | LabelTarget:
        return learn_class_target(y, n_graphs)

    def _target_of_members(self, target: Any, y: Any, n_graphs: int) -> np.ndarray:
        codes: np.ndarray = target.encode(y, n_graphs, "y")
        return codes if codes.ndim > 1 else target.classes[codes]

    def _check_sample_weight(
        self, sample_weight: Any, y: Any, target: Any
    ) -> np.ndarray | None:
        if sample_weight is None and self.class_weight is None:
            return None
        return check_sample_weight(sample_weight, y, len(y), self.class_weight, target)

    def _labels(self, probabilities: np.ndarray) -> np.ndarray:
        """Most probable labels."""
        if isinstance(self._target, LabelTarget):
            return (probabilities > 0.5).astype(np.int64)
        labels: np.ndarray = self.classes_[probabilities.argmax(axis=1)]
        return labels
