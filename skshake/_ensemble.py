"""SHAKEEnsembleClassifier and SHAKEEnsembleRegressor: the network and trees, averaged.

In: a list of graphs and a target. Out: the weighted mean of what a network on
hierarchies and trees on counts of subtrees predict.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, Tags, check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skshake._classifier import SHAKEClassifier
from skshake._coarsener import KFCoarsener
from skshake._columns import take_columns
from skshake._fit_context import checks_parameters_of_all
from skshake._persistence import SaveMixin
from skshake._regressor import SHAKERegressor
from skshake._targets import (
    ClassTarget,
    LabelTarget,
    NumberTarget,
    check_sample_weight,
    learn_class_target,
    mean_accuracy,
    mean_r2,
)
from skshake._trees import make_trees
from skshake.forests import MAX_SEED
from skshake.graphs import (
    GraphCollection,
    GraphProblem,
    GraphsLike,
    as_graphs,
    check_graphs,
)

# Training graphs from which on the network weighs more than half of what the trees do.
# Few graphs make it too sure: weights n / (n + 100) have the least log loss, and half a
# point more accuracy than equal ones, on 13 sets of 188 to 4,110 graphs.
FEW_GRAPHS = 100
MEMBERS: tuple[Literal["shake"], Literal["trees"]] = ("shake", "trees")


def _is_called(key: str, name: str) -> bool:
    """Whether a parameter, of a member or within it, has a name."""
    return key == name or key.endswith(f"__{name}")


def _weight_argument(name: str, member: Any) -> str:
    """What a member's ``fit`` calls weights: in pipelines, those of the last step."""
    prefix = ""
    while isinstance(member, Pipeline):
        step, member = member.steps[-1]
        prefix += f"{step}__"
    if not has_fit_parameter(member, "sample_weight"):
        raise ValueError(
            f"sample_weight: fit of {type(member).__name__}, the last step of "
            f"{name!r}, takes none"
        )
    return f"{prefix}sample_weight"


def _choose_weights(weights: Any, n_graphs: int) -> np.ndarray:
    """Weights of the two members, which add up to 1."""
    if isinstance(weights, str):
        network = n_graphs / (n_graphs + FEW_GRAPHS) / 2
        return np.array([network, 1 - network])
    values = np.asarray((1, 1) if weights is None else weights, np.float64)
    is_right = values.shape == (len(MEMBERS),) and (values >= 0).all()
    if not is_right or not 0 < values.sum() < np.inf:
        raise ValueError(
            "weights: expected two numbers of 0 or more, of 'shake' and of 'trees', "
            f"got {weights!r}"
        )
    return values / values.sum()


class BaseEnsemble(SaveMixin, BaseEstimator):
    """Members that take graphs, for any kind of target; see the classifier."""

    _parameter_constraints: dict = {
        "shake": [HasMethods(["fit", "predict"]), None],
        "trees": [HasMethods(["fit", "predict"]), None],
        "weights": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        shake=None,
        trees=None,
        weights=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.shake = shake
        self.trees = trees
        self.weights = weights
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, with those of default members if ``deep``.

        Parameters
        ----------
        deep : bool, default=True
            Whether parameters of members, such as ``shake__clf__hidden_dim``, are among
            them; those of a member that is None are the defaults.

        Returns
        -------
        params : dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        for name in MEMBERS if deep else ():
            if params[name] is None:
                default = self._make_member(name)
                params |= {f"{name}__{k}": v for k, v in default.get_params().items()}
        return params

    def set_params(self, **params: Any) -> BaseEnsemble:
        """Set parameters, also those of members.

        Parameters
        ----------
        **params : dict
            A member that is None becomes the default one if one of its parameters is
            set.

        Returns
        -------
        self : object
        """
        for name in MEMBERS:
            reaches_in = any(key.startswith(f"{name}__") for key in params)
            if reaches_in and params.get(name, getattr(self, name)) is None:
                params[name] = self._make_member(name)
        super().set_params(**params)
        return self

    @checks_parameters_of_all
    def fit(self, X: GraphsLike, y: Any, sample_weight: Any = None) -> BaseEnsemble:
        """Fit the network and the trees.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads; it is read once.
        y : array-like of shape (n_graphs,) or (n_graphs, n_columns)
            Targets; with several columns NaN stands for an entry without label.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph for both members; None weighs all alike.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        graphs = as_graphs(X)
        member_weights = _choose_weights(self.weights, len(graphs))
        target = self._learn_target(y, len(graphs))
        weights = self._check_sample_weight(sample_weight, y, target)
        y = self._target_of_members(target, y, len(graphs))
        fitted = self._fit_members(graphs, y, weights)
        voting = None
        if y.ndim == 1:
            # Frozen: it would fit members to codes of labels, and pipelines without
            # weights.
            frozen = [(name, FrozenEstimator(fitted[name])) for name in MEMBERS]
            voting = self._make_voting(frozen, member_weights).fit(graphs, y)
        self.named_estimators_, self.voting_ = fitted, voting
        self._target, self.weights_ = target, member_weights
        self.n_features_in_ = graphs.node_features.n_columns
        return self

    def check(self, X: GraphsLike) -> list[GraphProblem]:
        """Find all graphs that cannot be read, and why, before they are predicted.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads.

        Returns
        -------
        problems : list of GraphProblem
            One ``(graph, field, message)`` per graph that cannot be read, by position;
            empty if all can. Once fitted, those whose features differ from the training
            graphs' are among them; before, see :func:`skshake.check_graphs`.

        Raises
        ------
        InvalidGraphError
            If no list of graphs comes.
        """
        reader = getattr(self, "named_estimators_", {}).get("shake")
        while isinstance(reader, Pipeline):
            reader = reader[0]
        found: list[GraphProblem] = getattr(reader, "check", check_graphs)(X)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _make_member(self, name: str) -> Pipeline:
        """A default member."""
        if name == "trees":
            return make_trees(is_classifier=isinstance(self, ClassifierMixin))
        return Pipeline([("coarsen", KFCoarsener()), self._make_network()])

    def _make_network(self) -> tuple[str, SHAKEClassifier | SHAKERegressor]:
        """Last step of the default network, with its name."""
        raise NotImplementedError

    def _make_voting(self, members: list, weights: np.ndarray) -> Any:
        """What of scikit-learn averages fitted members."""
        raise NotImplementedError

    def _learn_target(self, y: Any, n_graphs: int) -> Any:
        """Kind of target, which refuses what no member could learn."""
        raise NotImplementedError

    def _target_of_members(self, target: Any, y: Any, n_graphs: int) -> np.ndarray:
        """The target as an array, 1-D if it has one column."""
        raise NotImplementedError

    def _check_sample_weight(
        self, sample_weight: Any, y: Any, target: Any
    ) -> np.ndarray | None:
        """Weight of each graph; None if all are alike."""
        if sample_weight is None:
            return None
        return check_sample_weight(sample_weight, y, len(y), target=target)

    def _fit_members(
        self, graphs: GraphCollection, y: np.ndarray, weights: np.ndarray | None
    ) -> Bunch:
        """Fit clones of the members, one after the other."""
        random_state = check_random_state(self.random_state)
        fitted = Bunch()
        for name in MEMBERS:
            given = getattr(self, name)
            member = self._make_member(name) if given is None else clone(given)
            self._hand_down(name, member, random_state)
            if y.ndim > 1:
                member = take_columns(member)
            arguments = {}
            if weights is not None:
                arguments[_weight_argument(name, member)] = weights
            fitted[name] = member.fit(graphs, y, **arguments)
        return fitted

    def _hand_down(self, name: str, member: Any, random_state: Any) -> None:
        """Set in a member what it leaves open."""
        handed: dict[str, Any] = {}
        for key, value in sorted(member.get_params().items()):
            if _is_called(key, "random_state"):
                # Drawn for all, so that one that is set moves no other.
                seed = int(random_state.randint(MAX_SEED))
                handed[key] = seed if value is None else value
            elif _is_called(key, "n_jobs") and value is None:
                handed[key] = self.n_jobs
            elif _is_called(key, "verbose") and name == "shake":
                # False is a pipeline's own, which prints.
                is_open = value == 0 and value is not False
                handed[key] = self.verbose if is_open else value
        member.set_params(**handed)

    def _read(self, X: Any) -> GraphCollection:
        """Graphs, once this is fitted."""
        check_is_fitted(self)
        return as_graphs(X)

    def _average(self, predictions: list[np.ndarray]) -> np.ndarray:
        """Mean of what members predict, in the order of MEMBERS."""
        averaged: np.ndarray = np.average(predictions, axis=0, weights=self.weights_)
        return averaged

    def _explain(self, X: Any, **options: Any) -> list[np.ndarray]:
        """Explain the predictions of the network."""
        graphs: Any = self._read(X)
        network = self.named_estimators_["shake"]
        while isinstance(network, Pipeline):
            for _, step in network.steps[:-1]:
                graphs = step.transform(graphs)
            network = network.steps[-1][1]
        contributions: list[np.ndarray] = network.explain(graphs, **options)
        return contributions


class SHAKEEnsembleClassifier(ClassifierMixin, BaseEnsemble):
    """Classify graphs by a network and by trees on counts of subtrees, averaged.

    One line for what two pipelines are: :class:`KFCoarsener` and
    :class:`SHAKEClassifier`, which read where things are, and a random forest on the
    table of :class:`SubtreeVectorizer`, which reads sharp thresholds of counts. The
    mean of their probabilities is often better than either. Graphs are read
    once, and the network is trained once.

    Parameters
    ----------
    shake : estimator or None, default=None
        Network, or any classifier of graphs with ``predict_proba``. None is
        ``Pipeline([("coarsen", KFCoarsener()), ("clf", SHAKEClassifier())])``.
    trees : estimator or None, default=None
        Trees, or any classifier of graphs with ``predict_proba``. None is a pipeline of
        ``"count"``, a SubtreeVectorizer, and ``"forest"``, a RandomForestClassifier of
        200 trees. Its table holds statistics, and counts of subtrees unless a forest of
        100 trees on statistics alone has the greater out-of-bag accuracy (see Notes).
    weights : "auto", array-like of shape (2,) or None, default="auto"
        Weights of ``shake`` and of ``trees`` in the mean. "auto" trusts a network that
        has seen n graphs n / (n + 100) times as much as the trees, roughly: n / (2n +
        200) of the mean is the network's. None weighs them alike.
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
    ``set_params(shake__clf__hidden_dim=32, trees__forest__n_estimators=500)``, or a
    grid over ``trees__count__depth``. ``trees__count__trial=None`` keeps counts without
    a trial; so do several labels per graph, and fewer than 500 graphs, whose scores
    differ by chance.

    With several labels per graph, 0, 1 or NaN, the network learns all labels at once,
    and so does a random forest, which is told where labels are known. Any other last
    step of ``trees`` is fitted to each label, on the graphs that have it.

    A forest cannot be written without pickles: ``save`` takes ensembles of default
    members that are not fitted, and refuses all others by the name of what it cannot
    write. ``joblib.dump`` takes all.

    References
    ----------
    Breiman (2001), "Random Forests", on out-of-bag estimates.

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

    _parameter_constraints: dict = {
        **BaseEnsemble._parameter_constraints,
        "shake": [HasMethods(["fit", "predict_proba"]), None],
        "trees": [HasMethods(["fit", "predict_proba"]), None],
        "weights": [StrOptions({"auto"}), "array-like", None],
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
        return "clf", SHAKEClassifier()

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
        SubtreeVectorizer, and ``"forest"``, a RandomForestRegressor of 200 trees. Its
        table holds statistics, and counts of subtrees unless a forest of 100 trees on
        statistics alone has the greater out-of-bag coefficient of determination.
    weights : array-like of shape (2,) or None, default=None
        Weights of ``shake`` and of ``trees`` in the mean; None weighs them alike.
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
