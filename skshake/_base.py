"""What SHAKEClassifier and SHAKERegressor share: reading, training, embedding.

In: hierarchies (or raw graphs) and a target. Out: a fitted network.
"""

from __future__ import annotations

import copy
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from skshake._callbacks import CallbackMixin, FitTask
from skshake._coarsener import KFCoarsener
from skshake._diagram import DiagramMixin, is_drawn
from skshake._fit_context import checks_parameters
from skshake._targets import (
    Target,
    check_loss,
    check_sample_weight,
    split_validation,
)
from skshake._warnings import warn_user
from skshake.forests import MAX_SEED
from skshake.graphs import GraphCollection, GraphProblem
from skshake.hierarchy import HierarchiesLike, HierarchyCollection, as_hierarchies
from skshake.saving import StateMixin

if TYPE_CHECKING:
    from skshake.network import Contributions, Ranks

# From this many graphs on, a held-out tenth says more than the steps it costs, and
# dropout helps: fewer graphs are protected by several forests each.
MANY_GRAPHS, DROPOUT_OF_MANY = 10_000, 0.3
# Nodes of the training graphs times networks of "auto", and how many there are at most.
NODES_TIMES_NETWORKS, MOST_NETWORKS = 120_000, 3
# Largest learning rates of "auto".
LEARNING_RATES = {"adamw": 1e-3, "pesg": 5e-2}
SMALLEST_BATCH, LARGEST_BATCH, BATCHES_PER_EPOCH = 32, 256, 64


def automatic_batch_size(n_graphs: int) -> int:
    """Power of two from 32 to 256 that gives about 64 steps an epoch."""
    exponent = np.floor(np.log2(max(n_graphs, 1) / BATCHES_PER_EPOCH))
    return int(np.clip(2.0**exponent, SMALLEST_BATCH, LARGEST_BATCH))


def automatic_n_networks(n_nodes: int) -> int:
    """As many networks as keep nodes times networks within 120,000, from 1 to 3."""
    return int(np.clip(NODES_TIMES_NETWORKS // max(n_nodes, 1), 1, MOST_NETWORKS))


def match_hierarchies(
    name: str, X: Any, coarsener: KFCoarsener | None, signature: tuple
) -> HierarchyCollection:
    """Hierarchies of X, checked to be of the kind that was fitted."""
    is_table = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    if is_table and (coarsener is None or X.shape[0] != X.shape[1] or len(X) == 1):
        raise TypeError(
            f"{name}: expected graphs or hierarchies, got a table of numbers of shape "
            f"{X.shape}; to a library that tries fitted estimators on zeros give "
            "make_pipeline(make_pipeline(FunctionTransformer(as_graphs), estimator))"
        )
    hierarchies = as_hierarchies(X)
    if hierarchies is None and coarsener is not None:
        hierarchies = coarsener.transform(X)
    if hierarchies is None:
        raise ValueError(
            f"{name}: fitted on hierarchies, so expected at least one hierarchy of the "
            f"same coarsener, got {type(X).__name__}. Put KFCoarsener and "
            "SHAKEClassifier into one Pipeline"
        )
    if not len(hierarchies):
        raise ValueError(
            f"{name}: expected at least one graph, got an empty collection"
        )
    if hierarchies.signature != signature:
        raise ValueError(
            f"{name}: the hierarchies come from another coarsener; expected (key of "
            "categories and pooling; q, numeric and categorical columns of nodes and "
            f"of edges at each level) {signature}, got {hierarchies.signature}"
        )
    return hierarchies


def check_level(level: int | None, n_levels: int) -> None:
    """Refuse the number of a level that is not there."""
    if level is not None and not -n_levels <= level < n_levels:
        raise ValueError(
            f"level: expected None or a level below {n_levels}, got {level}"
        )


class BaseSHAKE(
    DiagramMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    CallbackMixin,
    StateMixin,
    BaseEstimator,
):
    """Network on hierarchies, for any kind of target; see SHAKEClassifier."""

    _auto_loss: ClassVar[str]
    _target: Any

    _parameter_constraints: dict = {
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "n_linear": [Interval(Integral, 1, None, closed="left")],
        "n_readout": [Interval(Integral, 0, None, closed="left")],
        "n_networks": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
        ],
        "conv": [StrOptions({"gine", "gin", "gcn", "gat"}), callable],
        "level_input": [StrOptions({"add", "replace"})],
        "norm": [StrOptions({"batch", "layer"}), None],
        "residual": ["boolean"],
        "dropout": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="left")],
        "optimizer": [StrOptions({"adamw", "pesg"})],
        "learning_rate": [
            StrOptions({"auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "schedule": [StrOptions({"auto", "one-cycle", "constant"})],
        "weight_averaging": [StrOptions({"auto"}), "boolean"],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "batch_size": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "checkpoint": "no_validation",
        "device": "no_validation",
        "on_empty": [StrOptions({"predict", "nan"})],
        "precision": [StrOptions({"float32", "bf16", "auto"})],
        "compile": ["boolean"],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        hidden_dim=64,
        n_layers=4,
        n_linear=2,
        n_readout=1,
        n_networks="auto",
        conv="gine",
        level_input="add",
        norm="batch",
        residual=False,
        dropout=0.0,
        optimizer="adamw",
        loss="auto",
        learning_rate="auto",
        weight_decay=1e-5,
        schedule="auto",
        weight_averaging="auto",
        clip_norm=None,
        batch_size="auto",
        max_iter=60,
        early_stopping="auto",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-3,
        warm_start=False,
        checkpoint=None,
        device="auto",
        precision="float32",
        compile=False,
        on_empty="predict",
        random_state=None,
        verbose=0,
    ):
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.n_linear = n_linear
        self.n_readout = n_readout
        self.n_networks = n_networks
        self.conv = conv
        self.level_input = level_input
        self.norm = norm
        self.residual = residual
        self.dropout = dropout
        self.optimizer = optimizer
        self.loss = loss
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.weight_averaging = weight_averaging
        self.clip_norm = clip_norm
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.device = device
        self.precision = precision
        self.compile = compile
        self.on_empty = on_empty
        self.random_state = random_state
        self.verbose = verbose

    def _learn_target(self, y: Any, n_graphs: int) -> Target:
        """Kind of target; each estimator knows its own."""
        raise NotImplementedError

    def fit(
        self,
        X: HierarchiesLike,
        y: Any,
        sample_weight: Any = None,
        X_val: HierarchiesLike | None = None,
        y_val: Any = None,
    ) -> BaseSHAKE:
        """Train the network.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Raw graphs are read by :func:`skshake.as_graphs` and not coarsened.
        y : array-like of shape (n_graphs,) or (n_graphs, n_columns)
            Targets; with several columns NaN stands for an entry without label.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph in the loss; None weighs all alike.
        X_val : graphs as X, default=None
            Held-out graphs for early stopping; nothing is then split off X.
        y_val : array-like as y, default=None
            Their targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        from skshake.network import join_group

        # Within a process group of the user's, all processes train one network.
        with join_group() as ranks:
            self._fit(ranks, X, y, sample_weight, X_val, y_val)
        return self

    @checks_parameters
    def _fit(
        self,
        ranks: Ranks,
        X: HierarchiesLike,
        y: Any,
        sample_weight: Any,
        X_val: HierarchiesLike | None,
        y_val: Any,
    ) -> None:
        """Train the network, as one of several ranks or alone."""
        from skshake.network import LabelledGraphs, find_loss, fit_on

        seed = int(check_random_state(self.random_state).randint(MAX_SEED))
        seed = ranks.agree(seed)
        coarsener, hierarchies = self._read_training(X)
        n_graphs = len(hierarchies)
        target = self._learn_target(y, n_graphs)
        loss = find_loss(self._auto_loss if self.loss == "auto" else self.loss)
        check_loss(self.loss, loss, target)
        weights = check_sample_weight(
            sample_weight, y, n_graphs, self._class_weight(), target
        )
        training = LabelledGraphs(hierarchies, target.encode(y, n_graphs, "y"), weights)
        shape = self._shape(hierarchies, target.n_outputs)
        previous = self._previous_network(hierarchies, target, shape)
        if X_val is None and y_val is None:
            training, held_out = self._split_off(training, seed)
        else:
            held_out = self._read_validation(
                X_val, y_val, coarsener, target, hierarchies.signature
            )
        n_training = len(training.targets)
        n_held_out = 0 if held_out is None else len(held_out.targets)
        plan = self._plan(n_training, held_out is not None, loss, target.form, seed)
        task = FitTask(
            *(self, hierarchies, y, sample_weight, self.max_iter),
            is_told=ranks.is_first,
        )

        def describe(network: Any, history: list) -> dict[str, Any]:
            fitted = copy.copy(self)
            fitted._set_fitted(
                coarsener, hierarchies, target, network, history, n_held_out
            )
            return dict(vars(fitted))

        with task.epochs(describe) as on_epoch:
            network, history = fit_on(
                self.device,
                training,
                held_out,
                shape,
                plan,
                target.score,
                previous,
                self.checkpoint,
                on_epoch,
                ranks=ranks,
            )
        # Set at the end: a fit that fails leaves the estimator as it was.
        self._set_fitted(coarsener, hierarchies, target, network, history, n_held_out)
        if not np.isfinite(self.loss_curve_[-1]):
            warn_user(
                f"the training loss is {self.loss_curve_[-1]}; decrease learning_rate",
                ConvergenceWarning,
            )
        self._finish_fit(training)
        task.end()

    def embed(self, X: HierarchiesLike) -> np.ndarray:
        """Embedding of each graph, from which a network's outputs are read.

        With several networks it is that of the first.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        embedding : ndarray of shape (n_graphs, hidden_dim)
        """
        from skshake.network import embeddings_of

        hierarchies = self._read(X)
        return embeddings_of(self.module_, hierarchies, self.device)

    def transform(self, X: HierarchiesLike) -> np.ndarray:
        """Embeddings, as :meth:`embed`, so that other estimators can build on them.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        embedding : ndarray of shape (n_graphs, hidden_dim)
            A DataFrame where ``set_output`` asks for one.
        """
        return self.embed(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of the embedding.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored: graphs have no columns.

        Returns
        -------
        names : ndarray of shape (hidden_dim,)
            The class's name in lower case and a number.
        """
        if is_drawn():
            return np.empty(0, object)
        return super().get_feature_names_out()

    def check(self, X: HierarchiesLike) -> list[GraphProblem]:
        """Find all graphs that cannot be read, and why, before they are predicted.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``. Behind a coarsener, ask the coarsener
            about graphs: hierarchies have been read.

        Returns
        -------
        problems : list of GraphProblem
            One ``(graph, field, message)`` per graph that cannot be read, by position;
            empty if all can. Once fitted, those whose features differ from the training
            graphs' are among them; before, see :func:`skshake.check_graphs`.

        Raises
        ------
        ValueError
            If no list of graphs comes, or hierarchies of another coarsener.
        """
        coarsener = getattr(self, "_coarsener", None)
        if as_hierarchies(X) is None and (coarsener or not hasattr(self, "module_")):
            graphs: Any = X
            return (coarsener or KFCoarsener(q=np.inf)).check(graphs)
        if hasattr(self, "module_"):
            match_hierarchies("X", X, coarsener, self._signature)
        return []

    @property
    def _n_features_out(self) -> int:
        return int(self.module_.shape.hidden_dim)

    def __sklearn_is_fitted__(self) -> bool:
        # Within a first fit callbacks find ``history_`` and nothing else.
        return hasattr(self, "module_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "module_" in state:
            from skshake.network import network_state

            # Arrays, which files hold without pickles, and which need no GPU.
            state["module_"] = network_state(state["module_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # Pickles of 0.1.0.dev0 hold the network itself.
        if "module_" in state:
            from skshake.network import NetworkState, network_from_state

            if isinstance(state["module_"], NetworkState):
                self.module_ = network_from_state(state["module_"])

    def _class_weight(self) -> Any:
        return None

    def _finish_fit(self, training: Any) -> None:
        """Finish the fit; ``training`` are the graphs that were trained on."""

    def _explained_outputs(
        self, hierarchies: HierarchyCollection, target: Any
    ) -> np.ndarray:
        """Number of the output of each graph that is explained."""
        raise NotImplementedError

    def _directions(self, explained: np.ndarray) -> np.ndarray:
        """Which sum of outputs stands for the one that is explained, in each graph."""
        raise NotImplementedError

    def _explain(
        self,
        hierarchies: HierarchyCollection,
        explained: np.ndarray,
        graphs: GraphCollection | None = None,
    ) -> Contributions:
        """Contributions of input nodes, and of edges where their graphs are given."""
        from skshake.network import contributions_of

        directions = self._directions(explained)
        return contributions_of(
            self.module_, hierarchies, directions, self.device, graphs
        )

    def _explain_nodes(
        self, X: HierarchiesLike, target: Any, level: int | None
    ) -> list[np.ndarray]:
        """Contributions of the input nodes of each graph, at a level or at all."""
        hierarchies = self._read(X)
        explained = self._explained_outputs(hierarchies, target)
        check_level(level, len(hierarchies.q))
        found = self._explain(hierarchies, explained).nodes
        of_nodes = found.sum(axis=0) if level is None else found[level]
        return np.split(of_nodes, hierarchies.node_ptr[1:-1])

    def _read_training(self, X: Any) -> tuple[KFCoarsener | None, HierarchyCollection]:
        """Hierarchies; raw graphs become one level each, the graph itself."""
        hierarchies, coarsener = as_hierarchies(X), None
        if hierarchies is None:
            coarsener = KFCoarsener(q=np.inf, random_state=0)
            hierarchies = coarsener.fit_transform(X)
        if not len(hierarchies):
            raise ValueError("expected at least one graph, got an empty collection")
        return coarsener, hierarchies

    def _read(self, X: Any) -> HierarchyCollection:
        """Hierarchies of the fitted kind."""
        check_is_fitted(self)
        return match_hierarchies("X", X, self._coarsener, self._signature)

    def _outputs(self, X: Any) -> np.ndarray:
        return self._outputs_and_gaps(X)[0]

    def _outputs_and_gaps(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Outputs, and which graphs get no prediction because they have no nodes."""
        from skshake.network import outputs_of

        hierarchies = self._read(X)
        is_gap = (np.diff(hierarchies.node_ptr) == 0) & (self.on_empty == "nan")
        return outputs_of(self.module_, hierarchies, self.device), is_gap

    @property
    def _goes_on(self) -> bool:
        """Whether a fit goes on with the network of the last one."""
        return self.warm_start and hasattr(self, "module_")

    def _previous_network(
        self, hierarchies: HierarchyCollection, target: Target, shape: Any
    ) -> Any:
        """Network to go on with, if ``warm_start`` asks for it."""
        if not self._goes_on:
            return None
        for what, last, now in (
            ("classes", self._target.signature, target.signature),
            ("levels and features", self._signature, hierarchies.signature),
            ("network", self.module_.shape, shape),
        ):
            if last != now:
                raise ValueError(
                    f"warm_start: expected the {what} of the last fit, {last}, got "
                    f"{now}"
                )
        return self.module_

    def _split_off(self, training: Any, seed: int) -> Any:
        """Graphs to train on, and graphs for early stopping (or None)."""
        n_graphs = len(training.targets)
        stops_early = self.early_stopping
        if isinstance(stops_early, str):
            stops_early = n_graphs >= MANY_GRAPHS
        if not stops_early:
            return training, None
        if n_graphs < 2:
            raise ValueError("early_stopping=True needs at least 2 graphs, got 1")
        parts = split_validation(training.targets, self.validation_fraction, seed)
        kept, held_out = (training.take(graphs) for graphs in parts)
        for part, what in ((kept, "left to train on"), (held_out, "held out")):
            if not part.weights.sum() > 0:
                raise ValueError(
                    f"sample_weight: all weights of the graphs that are {what} for "
                    "early stopping are zero; choose them by X_val and y_val"
                )
        return kept, held_out

    def _read_validation(
        self,
        X_val: Any,
        y_val: Any,
        coarsener: KFCoarsener | None,
        target: Target,
        signature: tuple,
    ) -> Any:
        """Graphs that the user holds out; None if early stopping is off."""
        from skshake.network import LabelledGraphs

        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val: give both or neither")
        hierarchies = match_hierarchies("X_val", X_val, coarsener, signature)
        n_graphs = len(hierarchies)
        targets = target.encode(y_val, n_graphs, "y_val")
        weights = check_sample_weight(
            None, y_val, n_graphs, self._class_weight(), target
        )
        if not self.early_stopping:
            return None
        return LabelledGraphs(hierarchies, targets, weights)

    def _shape(self, hierarchies: HierarchyCollection, n_outputs: int) -> Any:
        from skshake.network import NetworkShape, feature_widths

        return NetworkShape(
            widths=feature_widths(hierarchies),
            n_layers=self._layers_of_levels(len(hierarchies.q)),
            n_outputs=n_outputs,
            hidden_dim=self.hidden_dim,
            n_linear=self.n_linear,
            n_readout=self.n_readout,
            conv=self.conv,
            level_input=self.level_input,
            norm=self.norm,
            residual=self.residual,
            dropout=self._dropout_rate(len(hierarchies)),
            n_networks=self._count_networks(hierarchies),
        )

    def _dropout_rate(self, n_graphs: int) -> float:
        if not isinstance(self.dropout, str):
            return float(self.dropout)
        if self._goes_on:
            # Of the network that is trained on, whatever the number of graphs was.
            return float(self.module_.shape.dropout)
        return DROPOUT_OF_MANY if n_graphs >= MANY_GRAPHS else 0.0

    def _count_networks(self, hierarchies: HierarchyCollection) -> int:
        if not isinstance(self.n_networks, str):
            return int(self.n_networks)
        if self._goes_on:
            return int(self.module_.shape.n_networks)
        return automatic_n_networks(int(hierarchies.node_ptr[-1]))

    def _layers_of_levels(self, n_levels: int) -> tuple[int, ...]:
        if isinstance(self.n_layers, Integral):
            return (int(self.n_layers),) * n_levels
        n_layers = tuple(int(n) for n in self.n_layers)
        if len(n_layers) != n_levels or min(n_layers) < 0:
            raise ValueError(
                f"n_layers: expected {n_levels} numbers, one per level in the order of "
                f"q_, got {self.n_layers!r}"
            )
        return n_layers

    def _plan(
        self, n_graphs: int, stops_early: bool, loss: Any, form: str, seed: int
    ) -> Any:
        from skshake.network import TrainingPlan

        batch_size = self.batch_size
        if batch_size == "auto":
            batch_size = automatic_batch_size(n_graphs)
        schedule = self.schedule
        if schedule == "auto":
            schedule = "constant" if stops_early else "one-cycle"
        uses_ema = self.weight_averaging
        if isinstance(uses_ema, str):
            uses_ema = schedule == "constant"
        learning_rate = self.learning_rate
        if learning_rate == "auto":
            learning_rate = LEARNING_RATES[self.optimizer]
        return TrainingPlan(
            max_iter=self.max_iter,
            batch_size=batch_size,
            optimizer=self.optimizer,
            loss=loss,
            form=form,
            learning_rate=learning_rate,
            weight_decay=self.weight_decay,
            schedule=schedule,
            uses_ema=uses_ema,
            clip_norm=self.clip_norm,
            n_iter_no_change=self.n_iter_no_change,
            tol=self.tol,
            precision=self.precision,
            compile=self.compile,
            temperature=self._find_temperature(stops_early),
            seed=seed,
            verbose=self.verbose,
        )

    def _find_temperature(self, stops_early: bool) -> float:
        """What divides the outputs of the trained network."""
        return 1.0

    def _set_fitted(
        self,
        coarsener: KFCoarsener | None,
        hierarchies: HierarchyCollection,
        target: Target,
        network: Any,
        history: list,
        n_held_out: int,
    ) -> None:
        """Set the fitted attributes."""
        self._coarsener, self._signature = coarsener, hierarchies.signature
        self._target = target
        self.n_features_in_ = sum(hierarchies.widths[:2])
        if coarsener is not None:
            self.n_features_in_ = coarsener.n_features_in_
        self.module_, self.history_ = network, history
        self.n_iter_ = len(self.history_)
        self.loss_curve_ = [record.loss for record in self.history_]
        scores = [
            record.validation_score
            for record in self.history_
            if record.validation_score is not None
        ]
        self.validation_scores_ = scores or None
        self.best_score_ = max(scores, default=None)
        self.n_held_out_ = n_held_out
