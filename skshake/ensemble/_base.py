"""BaseEnsemble: what ensembles of a network and trees share, whatever the target.

In: a list of graphs and a target. Out: the weighted mean of what a network on
hierarchies and trees on counts of subtrees predict.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, Tags, check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skshake._classifier import SHAKEClassifier
from skshake._coarsener import KFCoarsener
from skshake._diagram import DiagramMixin
from skshake._fit_context import checks_parameters_of_all
from skshake._parts import take_apart
from skshake._regressor import SHAKERegressor
from skshake._targets import check_sample_weight
from skshake.ensemble._columns import take_columns
from skshake.ensemble._trees import make_trees
from skshake.forests import MAX_SEED
from skshake.graphs import (
    GraphCollection,
    GraphProblem,
    GraphsLike,
    as_graphs,
    check_graphs,
)
from skshake.saving import StateMixin

# Few graphs make a network too sure of itself: of n graphs it gets n / (n + 100) of its
# most. On 13 sets of 188 to 5,000 graphs that gains half a point of accuracy over one
# half, at about the same log loss (docs/experiments.md).
FEW_GRAPHS = 100
# Stands for ``voting_`` in what is kept.
VOTES = "votes"
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
    # Voting's ``fit`` does not name the weights that it takes.
    is_voting = isinstance(member, VotingClassifier | VotingRegressor)
    if not is_voting and not has_fit_parameter(member, "sample_weight"):
        raise ValueError(
            f"sample_weight: fit of {type(member).__name__}, the last step of "
            f"{name!r}, takes none"
        )
    return f"{prefix}sample_weight"


def _choose_weights(weights: Any, n_graphs: int, most: float) -> np.ndarray:
    """Weights of the two members, which add up to 1; "auto" gives the network less than
    ``most``.
    """
    if isinstance(weights, str):
        network = most * n_graphs / (n_graphs + FEW_GRAPHS)
        return np.array([network, 1 - network])
    values = np.asarray((1, 1) if weights is None else weights, np.float64)
    is_right = values.shape == (len(MEMBERS),) and (values >= 0).all()
    if not is_right or not 0 < values.sum() < np.inf:
        raise ValueError(
            "weights: expected two numbers of 0 or more, of 'shake' and of 'trees', "
            f"got {weights!r}"
        )
    return values / values.sum()


class BaseEnsemble(DiagramMixin, StateMixin, BaseEstimator):
    """Members that take graphs, for any kind of target; see the classifier."""

    # What the network weighs with "auto" where there are many graphs.
    _most_of_network: ClassVar[float]

    _parameter_constraints: dict = {
        "shake": [HasMethods(["fit", "predict"]), None],
        "trees": [HasMethods(["fit", "predict"]), None],
        "weights": [StrOptions({"auto"}), "array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        shake=None,
        trees=None,
        weights="auto",
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
        most = self._most_of_network
        member_weights = _choose_weights(self.weights, len(graphs), most)
        target = self._learn_target(y, len(graphs))
        weights = self._check_sample_weight(sample_weight, y, target)
        y = self._target_of_members(target, y, len(graphs))
        fitted = self._fit_members(graphs, y, weights)
        self.named_estimators_ = fitted
        self._target, self.weights_ = target, member_weights
        self.voting_ = None if y.ndim > 1 else self._vote(y)
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

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if state.get("voting_") is not None:
            # It holds the members over again, which files would repeat.
            state["voting_"] = VOTES
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # Pickles of 0.1.0.dev0 hold the average itself.
        if isinstance(self.__dict__.get("voting_"), str):
            self.voting_ = self._vote(getattr(self, "classes_", np.zeros(1)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @property
    def _network_member(self) -> Any:
        """The network, which explanations are of; fitted if the ensemble is."""
        if hasattr(self, "named_estimators_"):
            return self.named_estimators_["shake"]
        return self._make_member("shake") if self.shake is None else self.shake

    def _make_member(self, name: str) -> Pipeline:
        """A default member."""
        if name == "trees":
            return make_trees(is_classifier=isinstance(self, ClassifierMixin))
        return Pipeline([("coarsen", KFCoarsener()), self._make_network()])

    def _make_network(self) -> tuple[str, SHAKEClassifier | SHAKERegressor]:
        """Last step of the default network, with its name."""
        raise NotImplementedError

    def _vote(self, y: np.ndarray) -> Any:
        """Average of the fitted members, for targets such as these."""
        # Frozen: it would fit members to codes of labels, and pipelines without
        # weights.
        members = [
            (name, FrozenEstimator(self.named_estimators_[name])) for name in MEMBERS
        ]
        return self._make_voting(members, self.weights_).fit(y, y)

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
        steps, network = take_apart(self)[0]
        for step in steps:
            graphs = step.transform(graphs)
        contributions: list[np.ndarray] = network.explain(graphs, **options)
        return contributions
