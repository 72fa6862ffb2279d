"""SHAKEClassifier: a graph neural network behind scikit-learn's fit and predict.

In: hierarchies (or raw graphs) and labels. Out: classes, probabilities, embeddings.
torch is loaded by ``fit`` and ``predict``, not by importing this module.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from skshake._coarsener import KFCoarsener
from skshake._targets import (
    check_labels,
    check_weights,
    encode_labels,
    split_validation,
)
from skshake.forests import MAX_SEED
from skshake.hierarchy import HierarchyCollection, as_hierarchies

# From this many graphs on, a held-out tenth says more than the steps it costs.
EARLY_STOPPING_GRAPHS = 10_000
SMALLEST_BATCH, LARGEST_BATCH, BATCHES_PER_EPOCH = 32, 256, 64


def automatic_batch_size(n_graphs: int) -> int:
    """Power of two from 32 to 256 that gives about 64 steps an epoch."""
    exponent = np.floor(np.log2(max(n_graphs, 1) / BATCHES_PER_EPOCH))
    return int(np.clip(2.0**exponent, SMALLEST_BATCH, LARGEST_BATCH))


def _match_hierarchies(
    name: str, X: Any, coarsener: KFCoarsener | None, signature: tuple
) -> HierarchyCollection:
    """Hierarchies of X, checked to be of the kind that was fitted."""
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


def _score(codes: np.ndarray, logits: np.ndarray, weights: np.ndarray) -> float:
    """ROC-AUC for two classes that both occur, else accuracy; -inf for NaN."""
    if not np.isfinite(logits).all():
        return -np.inf
    codes, logits = codes[weights > 0], logits[weights > 0]
    weights = weights[weights > 0]
    if logits.shape[1] == 2 and len(np.unique(codes)) == 2:
        margin = logits[:, 1] - logits[:, 0]
        return float(roc_auc_score(codes, margin, sample_weight=weights))
    return float(accuracy_score(codes, logits.argmax(axis=1), sample_weight=weights))


class SHAKEClassifier(ClassifierMixin, BaseEstimator):
    r"""Classify graphs with a small graph neural network that reads a hierarchy.

    Message-passing layers run on the coarsest level first; the states go down to the
    next finer level, and so on. The finest level's states are pooled per graph and read
    out. On raw graphs it is a plain graph neural network (one level, q = inf).

    Parameters
    ----------
    hidden_dim : int, default=64
        Width of all states.
    n_layers : int or sequence of int, default=4
        Message-passing layers of each level, in the order of the coarsener's ``q_``
        (finest first).
    n_linear : int, default=2
        Linear layers of the MLP in each message-passing layer.
    n_readout : int, default=1
        Hidden layers between the pooled states and the logits.
    conv : {"gine", "gin"}, default="gine"
        Message-passing layer: "gine" uses edge features, "gin" ignores them. Both use
        edge weights.
    level_input : {"add", "replace"}, default="add"
        What a finer level starts from: the coarse states sent down plus its own
        encoded features, or (as the paper) the coarse states alone.
    dropout : float, default=0.3
        Share of states dropped in training.
    optimizer : {"adamw"}, default="adamw"
        AdamW (Loshchilov & Hutter 2019).
    loss : {"auto", "cross_entropy"}, default="auto"
        "auto" is cross-entropy.
    learning_rate : float, default=0.001
        The largest with ``schedule="one-cycle"``.
    weight_decay : float, default=1e-5
        Decoupled decay of AdamW.
    batch_size : "auto" or int, default="auto"
        Graphs per step. "auto" makes about 64 steps an epoch within 32 and 256 graphs:
        32 below 4,096 training graphs, 256 from 16,384 on.
    max_iter : int, default=60
        Epochs, at most.
    early_stopping : "auto" or bool, default="auto"
        True holds out ``validation_fraction`` (or takes ``X_val``) and keeps the
        weights with the best validation score; False trains on all graphs for
        ``max_iter`` epochs. "auto" is True from 10,000 graphs on, or with ``X_val``: a
        tenth of a small set decides nothing.
    validation_fraction : float, default=0.1
        Stratified share that is held out.
    n_iter_no_change : int, default=10
        Epochs without a better validation score after which training stops.
    tol : float, default=1e-3
        Least improvement of the validation score that counts.
    class_weight : dict, "balanced" or None, default=None
        As in scikit-learn; multiplies ``sample_weight``.
    warm_start : bool, default=False
        Go on from the weights of the last ``fit``, for graphs of the same kind and the
        same classes.
    device : str or torch.device, default="auto"
        "auto" takes CUDA where there is one. The fitted network is kept on the CPU, so
        it can be pickled and loaded anywhere.
    precision : {"float32"}, default="float32"
        Floating-point type of the network.
    random_state : int, RandomState instance or None, default=None
        Seeds initial weights, dropout, batches and the held-out part. Equal seeds
        on one CPU with one number of threads give equal bits (small sets are trained on
        one thread whatever the setting); torch's and numpy's own streams are left as
        they were.
    verbose : int, default=0
        Greater than 0 shows a progress bar.
    schedule : {"auto", "one-cycle", "constant"}, default="auto"
        Course of the learning rate. "one-cycle" rises to ``learning_rate`` and falls to
        zero over ``max_iter``; "constant" is the paper's. "auto" is "constant" with
        early stopping and "one-cycle" without.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted.
    module_ : torch.nn.Module
        The fitted network, on the CPU.
    history_ : list of EpochRecord
        Epoch, loss, validation score and seconds.
    loss_curve_ : list of float
        Training loss of each epoch.
    validation_scores_ : list of float or None
        Validation score of each epoch: ROC-AUC with two classes, else accuracy; None
        without early stopping.
    best_score_ : float or None
        The largest of them.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Node feature columns, one per category slot for categorical features.

    Raises
    ------
    ValueError
        If a parameter is out of range, y has another length than X, a missing label or
        several columns, or X at ``predict`` comes from another coarsener.

    See Also
    --------
    KFCoarsener : Makes the hierarchies.

    References
    ----------
    Cui & Lutzeyer, "SHAKE-GNN: Scalable Hierarchical Kirchhoff-Forest Graph Neural
    Network"; Hu et al. (2020), "Strategies for Pre-training Graph Neural Networks".

    Examples
    --------
    >>> from sklearn.pipeline import Pipeline
    >>> from skshake import KFCoarsener, SHAKEClassifier
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> model = Pipeline([
    ...     ("coarsen", KFCoarsener(random_state=0)),
    ...     ("clf", SHAKEClassifier(max_iter=5, random_state=0)),
    ... ])
    >>> model.fit(graphs[:150], y[:150]).predict(graphs[150:]).shape
    (38,)
    """

    _parameter_constraints: dict = {
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "n_linear": [Interval(Integral, 1, None, closed="left")],
        "n_readout": [Interval(Integral, 0, None, closed="left")],
        "conv": [StrOptions({"gine", "gin"})],
        "level_input": [StrOptions({"add", "replace"})],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "optimizer": [StrOptions({"adamw", "pesg"})],
        "loss": [StrOptions({"auto", "cross_entropy", "auc_margin"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "warm_start": ["boolean"],
        "device": "no_validation",
        "precision": [StrOptions({"float32", "bf16", "auto"})],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "schedule": [StrOptions({"auto", "one-cycle", "constant"})],
    }

    def __init__(
        self,
        *,
        hidden_dim=64,
        n_layers=4,
        n_linear=2,
        n_readout=1,
        conv="gine",
        level_input="add",
        dropout=0.3,
        optimizer="adamw",
        loss="auto",
        learning_rate=0.001,
        weight_decay=1e-5,
        batch_size="auto",
        max_iter=60,
        early_stopping="auto",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-3,
        class_weight=None,
        warm_start=False,
        device="auto",
        precision="float32",
        random_state=None,
        verbose=0,
        schedule="auto",
    ):
        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.n_linear = n_linear
        self.n_readout = n_readout
        self.conv = conv
        self.level_input = level_input
        self.dropout = dropout
        self.optimizer = optimizer
        self.loss = loss
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.device = device
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose
        self.schedule = schedule

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> SHAKEClassifier:
        """Train the network.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Raw graphs are read by :func:`skshake.as_graphs` and not coarsened.
        y : array-like of shape (n_graphs,)
            Labels of any type that sorts.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph in the loss; None weighs all alike.
        X_val : graphs as X, default=None
            Held-out graphs for early stopping; nothing is then split off X.
        y_val : array-like of shape (n_val_graphs,), default=None
            Their labels.

        Returns
        -------
        self : SHAKEClassifier
        """
        from skshake.network import LabelledGraphs, fit_network

        self._refuse_what_is_missing()
        seed = int(check_random_state(self.random_state).randint(MAX_SEED))
        coarsener, hierarchies = self._read_training(X)
        labels = check_labels(y, len(hierarchies))
        weights = check_weights(sample_weight, labels, self.class_weight)
        classes = np.unique(labels)
        shape = self._shape(hierarchies, len(classes))
        previous = self._previous_network(hierarchies, classes, shape)
        training = LabelledGraphs(
            hierarchies, encode_labels(labels, classes, "y"), weights
        )
        if X_val is None and y_val is None:
            training, held_out = self._split_off(training, seed)
        else:
            held_out = self._read_validation(
                X_val, y_val, coarsener, classes, hierarchies.signature
            )
        plan = self._plan(len(training.codes), held_out is not None, seed)
        network, history = fit_network(
            training, held_out, shape, plan, _score, self.device, previous
        )
        # Set at the end: a fit that fails leaves the estimator as it was.
        self._coarsener, self._signature = coarsener, hierarchies.signature
        self.classes_ = classes
        self.n_features_in_ = sum(hierarchies.levels[0].x.kind)
        self.module_, self.history_ = network, history
        self._summarise()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each graph.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        labels : ndarray of shape (n_graphs,)
            In the type of the training labels.
        """
        logits = self._logits(X)
        return self.classes_[logits.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, columns in the order of ``classes_``.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n_graphs, n_classes)
        """
        return softmax(self._logits(X), axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Logits; with two classes the log-odds of the second.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        scores : ndarray of shape (n_graphs, n_classes), or (n_graphs,) with two
        """
        logits = self._logits(X)
        if len(self.classes_) == 2:
            return logits[:, 1] - logits[:, 0]
        return logits

    def embed(self, X: Any) -> np.ndarray:
        """Embedding of each graph, from which the logits are read.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        embedding : ndarray of shape (n_graphs, hidden_dim)
        """
        from skshake.network import embeddings_of

        return embeddings_of(self.module_, self._read(X), self.device)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _refuse_what_is_missing(self) -> None:
        """Parameters whose feature is not there yet."""
        for name, known in (
            ("optimizer", {"adamw"}),
            ("loss", {"auto", "cross_entropy"}),
            ("precision", {"float32"}),
        ):
            value = getattr(self, name)
            if value not in known:
                raise NotImplementedError(
                    f"{name}={value!r} is not there yet; use one of {sorted(known)}"
                )

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
        return _match_hierarchies("X", X, self._coarsener, self._signature)

    def _logits(self, X: Any) -> np.ndarray:
        from skshake.network import logits_of

        hierarchies = self._read(X)
        return logits_of(self.module_, hierarchies, self.device)

    def _previous_network(
        self, hierarchies: HierarchyCollection, classes: np.ndarray, shape: Any
    ) -> Any:
        """Network to go on with, if ``warm_start`` asks for it."""
        if not self.warm_start or not hasattr(self, "module_"):
            return None
        for what, last, now in (
            ("classes", self.classes_.tolist(), classes.tolist()),
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
        n_graphs = len(training.codes)
        stops_early = self.early_stopping
        if isinstance(stops_early, str):
            stops_early = n_graphs >= EARLY_STOPPING_GRAPHS
        if not stops_early:
            return training, None
        if n_graphs < 2:
            raise ValueError("early_stopping=True needs at least 2 graphs, got 1")
        parts = split_validation(training.codes, self.validation_fraction, seed)
        return tuple(
            type(training)(
                training.hierarchies.take(graphs),
                training.codes[graphs],
                training.weights[graphs],
            )
            for graphs in parts
        )

    def _read_validation(
        self,
        X_val: Any,
        y_val: Any,
        coarsener: KFCoarsener | None,
        classes: np.ndarray,
        signature: tuple,
    ) -> Any:
        """Graphs that the user holds out; None if early stopping is off."""
        from skshake.network import LabelledGraphs

        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val: give both or neither")
        hierarchies = _match_hierarchies("X_val", X_val, coarsener, signature)
        labels = check_labels(y_val, len(hierarchies), "y_val")
        codes = encode_labels(labels, classes, "y_val")
        weights = check_weights(None, labels, self.class_weight)
        if not self.early_stopping:
            return None
        return LabelledGraphs(hierarchies, codes, weights)

    def _shape(self, hierarchies: HierarchyCollection, n_outputs: int) -> Any:
        from skshake.network import NetworkShape, feature_widths

        return NetworkShape(
            widths=feature_widths(hierarchies),
            n_layers=self._layers_of_levels(len(hierarchies.levels)),
            n_outputs=n_outputs,
            hidden_dim=self.hidden_dim,
            n_linear=self.n_linear,
            n_readout=self.n_readout,
            conv=self.conv,
            level_input=self.level_input,
            dropout=self.dropout,
        )

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

    def _plan(self, n_graphs: int, stops_early: bool, seed: int) -> Any:
        from skshake.network import TrainingPlan

        batch_size = self.batch_size
        if batch_size == "auto":
            batch_size = automatic_batch_size(n_graphs)
        schedule = self.schedule
        if schedule == "auto":
            schedule = "constant" if stops_early else "one-cycle"
        return TrainingPlan(
            max_iter=self.max_iter,
            batch_size=batch_size,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            schedule=schedule,
            n_iter_no_change=self.n_iter_no_change,
            tol=self.tol,
            seed=seed,
            verbose=self.verbose,
        )

    def _summarise(self) -> None:
        """Fitted attributes that follow from the history."""
        self.n_iter_ = len(self.history_)
        self.loss_curve_ = [record.loss for record in self.history_]
        scores = [
            record.validation_score
            for record in self.history_
            if record.validation_score is not None
        ]
        self.validation_scores_ = scores or None
        self.best_score_ = max(scores, default=None)
        if not np.isfinite(self.loss_curve_[-1]):
            warnings.warn(
                f"the training loss is {self.loss_curve_[-1]}; decrease learning_rate",
                ConvergenceWarning,
                stacklevel=3,
            )
