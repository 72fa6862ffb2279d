"""SHAKEClassifier: a graph neural network behind scikit-learn's fit and predict.

In: hierarchies (or raw graphs) and labels. Out: classes, probabilities, embeddings.
torch is loaded by ``fit`` and ``predict``, not by importing this module.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from skshake._base import BaseSHAKE
from skshake._targets import (
    ClassTarget,
    LabelTarget,
    learn_class_target,
    mean_accuracy,
)
from skshake._warnings import warn_user
from skshake.hierarchy import (
    HierarchiesLike,
    HierarchyCollection,
    StoredHierarchies,
)

# Graphs on which a fit is checked to tell classes apart, and the share of the largest
# class from which on predicting it alone is no surprise.
CHECKED_GRAPHS, LARGE_CLASS = 500, 0.9
# The least log loss over 13 sets (docs/experiments.md).
TEMPERATURE = 1.5


def _find_one_class(
    target: ClassTarget | LabelTarget, y: Any, n_graphs: int
) -> str | None:
    """Where ``y`` holds but one class, in words; None if nowhere."""
    if isinstance(target, ClassTarget):
        if len(target.classes) > 1:
            return None
        return f"y holds {target.classes.tolist()[0]!r} alone"
    values = target.encode(y, n_graphs, "y")
    constant = np.flatnonzero(np.nanmin(values, axis=0) == np.nanmax(values, axis=0))
    if not len(constant):
        return None
    column = int(constant[0])
    return f"column {column} of y holds {np.nanmin(values[:, column]):g} alone"


def _with_gaps(values: np.ndarray, is_gap: np.ndarray) -> np.ndarray:
    """NaN in the rows of graphs that get no prediction."""
    values[is_gap] = np.nan
    return values


class SHAKEClassifier(ClassifierMixin, BaseSHAKE):
    r"""Classify graphs with a small graph neural network that reads a hierarchy.

    Message-passing layers run on the coarsest level first; the states go down to the
    next finer level, and so on. The finest level's states are pooled per graph and read
    out. On raw graphs it is a plain graph neural network (one level, q = inf).

    Its parameters, by what they are for:

    * Tune first: ``max_iter``, ``hidden_dim``, ``dropout``, ``learning_rate``.
    * The network: ``n_layers``, ``n_linear``, ``n_readout``, ``n_networks``, ``conv``,
      ``level_input``, ``norm``, ``residual``.
    * Training: ``loss``, ``optimizer``, ``weight_decay``, ``schedule``,
      ``weight_averaging``, ``clip_norm``, ``batch_size``.
    * Stopping early: ``early_stopping``, ``validation_fraction``, ``n_iter_no_change``,
      ``tol``.
    * Predictions: ``class_weight``, ``temperature``, ``on_empty``.
    * Going on with a fit: ``warm_start``, ``checkpoint``.
    * Computing: ``device``, ``precision``, ``compile``, ``random_state``, ``verbose``.

    Parameters
    ----------
    hidden_dim : int, default=64
        Width of all states. A CPU computes multiples of 32 columns, so that 40 take as
        long as 64.
    n_layers : int or sequence of int, default=4
        Message-passing layers of each level, in the order of the coarsener's ``q_``
        (finest first).
    n_linear : int, default=2
        Linear layers of the MLP in each message-passing layer.
    n_readout : int, default=1
        Hidden layers between the pooled states and the logits.
    n_networks : "auto" or int, default="auto"
        Networks that start from other weights, learn from the same batches, and are
        averaged (a deep ensemble). "auto" is 3 where the graphs given to ``fit`` have
        few nodes, on which networks differ by chance: as many, from 1 to 3, as keep
        nodes times networks within 120,000. Training and prediction take as many times
        as long.
    conv : {"gine", "gin", "gcn", "gat"} or callable, default="gine"
        Message-passing layer: "gine" uses edge features and weights, "gin" and "gcn"
        weights, "gat" features. A callable makes a torch_geometric layer from the
        width of its input and output, as ``lambda width: GATv2Conv(width, width)``;
        edge states are given to it as ``edge_attr`` and weights in messages, which are
        divided by the sizes of blocks and may be replaced by their roots, as
        ``edge_weight``, where its ``forward`` takes them. To pickle the estimator, give
        a function of a module. On the CPU "gine" and "gin" are compiled, and faster
        than the others.
    level_input : {"add", "replace"}, default="add"
        What a finer level starts from: the coarse states sent down plus its own
        encoded features, or (as the paper) the coarse states alone.
    norm : {"batch", "layer"} or None, default="batch"
        Normalisation after each linear layer of the message-passing layers.
    residual : bool, default=False
        Add the states before a layer to those after it.
    dropout : "auto" or float, default="auto"
        Share of states dropped in training. "auto" is 0.3 from 10,000 graphs on, and 0
        below, where several forests per graph prevent overfitting.
    optimizer : {"adamw", "pesg"}, default="adamw"
        AdamW (Loshchilov & Hutter 2019), or the proximal epoch stochastic gradient
        method (Guo et al. 2020), the paper's choice with the AUC margin on MolHIV.
    loss : {"auto", "cross_entropy", "auc_margin"} or Loss, default="auto"
        "auto" is cross-entropy. "auc_margin" (Yuan et al. 2021) raises the ROC-AUC of
        two classes, or of each label, from batches of which a quarter is positive; its
        probabilities are not calibrated. It does best where cross-entropy with dropout
        ended: fit with ``dropout=0.3``, then fit again after ``set_params(loss=
        "auc_margin", optimizer="pesg", learning_rate=0.01, warm_start=True)``. A
        :class:`skshake.network.Loss` says what a loss of your own needs.
    learning_rate : "auto" or float, default="auto"
        The largest with ``schedule="one-cycle"``. "auto" is 0.001 for AdamW and 0.05
        for PESG.
    weight_decay : float, default=1e-5
        Decoupled decay of the weights.
    schedule : {"auto", "one-cycle", "constant"}, default="auto"
        Course of the learning rate. "one-cycle" rises to ``learning_rate`` and falls to
        zero over ``max_iter``; "constant" is the paper's. "auto" is "constant" with
        early stopping and "one-cycle" without.
    weight_averaging : "auto" or bool, default="auto"
        Validate and keep a running mean of the weights over about one epoch instead of
        the last ones. "auto" is True with a constant rate, where weights never settle.
    clip_norm : float or None, default=None
        Largest norm of the gradient of all weights; None does not clip.
    batch_size : "auto" or int, default="auto"
        Graphs per step, of all processes together. "auto" makes about 64 steps an epoch
        within 32 and 256 graphs:
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
    temperature : "auto" or float, default="auto"
        What logits are divided by, once trained: the larger, the less sure
        probabilities are. Predicted classes stay. "auto" is 1.5 for cross-entropy
        without early stopping, as networks that are trained to the end are too sure
        (Guo et al. 2017), else 1.
    class_weight : dict, "balanced" or None, default=None
        As in scikit-learn; multiplies ``sample_weight``.
    warm_start : bool, default=False
        Go on from the weights of the last ``fit``, for graphs of the same kind and the
        same classes.
    checkpoint : str, Path or None, default=None
        Folder to which the state of training is written after each epoch. A ``fit``
        with equal data, parameters and integer ``random_state`` goes on from there, and
        ends with the weights that it would have had without the interruption. Runs that
        differ have files of their own, so a search may share one folder.
    device : str, torch.device, or a list of these, default="auto"
        "auto" takes CUDA where there is one, within a process group the GPU of the
        process. A list trains in a process on each, which costs seconds to start:
        ``["cuda:0", "cuda:1"]``. The fitted network is kept on the CPU, so it can be
        pickled and loaded anywhere.
    precision : {"float32", "bf16", "auto"}, default="float32"
        Floating-point type of products in training; "auto" is bfloat16 on a GPU that
        has it. Weights and sums stay in float32.
    compile : bool, default=False
        Train through ``torch.compile``, which takes a minute, seldom again for other
        sizes: for layers other than "gine" and "gin", which are faster as they are.
    on_empty : {"predict", "nan"}, default="predict"
        What a graph without nodes gets, such as an invalid molecule: a
        prediction as any other graph, or NaN as its probabilities and scores (its label
        says nothing then), and no part in :meth:`score`.
    random_state : int, RandomState instance or None, default=None
        Seeds initial weights, dropout, batches and the held-out part. Equal seeds give
        equal bits on one CPU, whatever else runs, with "gine" and "gin" for any number
        of threads; torch's and numpy's own streams are left as they were. (Of users'
        layers under ``compile=True`` torch's stream is seeded for each step.)
    verbose : int, default=0
        Greater than 0 shows a progress bar with loss, score and time left.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted; with several labels per graph the column numbers.
    module_ : torch.nn.Module
        The fitted network, or the mean of several (``module_.networks``), on the CPU.
    history_ : list of EpochRecord
        Epoch, loss, validation score and seconds. While callbacks watch a fit, those of
        the epochs so far.
    loss_curve_ : list of float
        Training loss of each epoch.
    validation_scores_ : list of float or None
        Validation score of each epoch: ROC-AUC with two classes (mean over labels with
        several), else accuracy, of outputs averaged over at most four forests; None
        without early stopping.
    best_score_ : float or None
        The largest of them.
    n_held_out_ : int
        Graphs that were held out for them; 0 without early stopping.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Columns of node features: those of raw graphs as ``KFCoarsener.n_features_in_``
        counts them; of hierarchies the columns that the network reads, where a
        categorical feature has one per category and one for unseen categories.

    Raises
    ------
    ValueError
        If a parameter is out of range, y has another length than X or a missing label,
        or X at ``predict`` comes from another coarsener.

    Warns
    -----
    ConvergenceWarning
        If the loss is no number at the end, training was interrupted, or one class is
        predicted for all training graphs though it is not nine tenths of them; also if
        ``y`` (or a column of labels) holds one class alone.

    See Also
    --------
    KFCoarsener : Makes the hierarchies.

    Notes
    -----
    With scikit-learn 1.9 or newer ``set_callbacks`` takes callbacks, which are told of
    each epoch: a task "epoch" under the task "fit". A callback that returns True at its
    end stops the training. Callbacks are kept by clones and pickles, not by ``save``.

    Within a process group (``torch.distributed.init_process_group()`` under torchrun)
    all processes train one network: each calls ``fit`` with the same data, and ends
    with the same weights. The first writes checkpoints, shows the bar, and tells its
    callbacks. Batch normalisation takes the moments of each process's part of a batch.
    Losses need to be means over labels, which ``loss="auc_margin"`` is not.

    References
    ----------
    Cui & Lutzeyer, "SHAKE-GNN: Scalable Hierarchical Kirchhoff-Forest Graph Neural
    Network"; Hu et al. (2020), "Strategies for Pre-training Graph Neural Networks"; Guo
    et al. (2017), "On Calibration of Modern Neural Networks"; Lakshminarayanan et al.
    (2017), "Simple and Scalable Predictive Uncertainty Estimation using Deep
    Ensembles".

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

    _auto_loss = "cross_entropy"
    _target: ClassTarget | LabelTarget

    _parameter_constraints: dict = {
        **BaseSHAKE._parameter_constraints,
        "loss": [
            StrOptions({"auto", "cross_entropy", "auc_margin"}),
            HasMethods(["make"]),
        ],
        "temperature": [
            StrOptions({"auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "class_weight": [StrOptions({"balanced"}), dict, None],
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
        dropout="auto",
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
        temperature="auto",
        class_weight=None,
        warm_start=False,
        checkpoint=None,
        device="auto",
        precision="float32",
        compile=False,
        on_empty="predict",
        random_state=None,
        verbose=0,
    ):
        super().__init__(
            hidden_dim=hidden_dim,
            n_layers=n_layers,
            n_linear=n_linear,
            n_readout=n_readout,
            n_networks=n_networks,
            conv=conv,
            level_input=level_input,
            norm=norm,
            residual=residual,
            dropout=dropout,
            optimizer=optimizer,
            loss=loss,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            schedule=schedule,
            weight_averaging=weight_averaging,
            clip_norm=clip_norm,
            batch_size=batch_size,
            max_iter=max_iter,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            checkpoint=checkpoint,
            device=device,
            precision=precision,
            compile=compile,
            on_empty=on_empty,
            random_state=random_state,
            verbose=verbose,
        )
        self.temperature = temperature
        self.class_weight = class_weight

    def fit(
        self,
        X: HierarchiesLike,
        y: Any,
        sample_weight: Any = None,
        X_val: HierarchiesLike | None = None,
        y_val: Any = None,
    ) -> SHAKEClassifier:
        """Train the network.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Raw graphs are read by :func:`skshake.as_graphs` and not coarsened.
        y : array-like of shape (n_graphs,) or (n_graphs, n_labels)
            Labels of any type that sorts; with several columns 0, 1, or NaN for a label
            that is not known. scikit-learn cannot stratify labels with NaN, so searches
            and ``cross_val_score`` need ``cv=KFold(5)`` then, not ``cv=5``.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph in the loss; None weighs all alike.
        X_val : graphs as X, default=None
            Held-out graphs for early stopping; nothing is then split off X.
        y_val : array-like as y, default=None
            Their labels.

        Returns
        -------
        self : SHAKEClassifier
        """
        super().fit(X, y, sample_weight, X_val, y_val)
        return self

    def predict(self, X: HierarchiesLike) -> np.ndarray:
        """Most probable class of each graph.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        labels : ndarray of shape (n_graphs,) or (n_graphs, n_labels)
            In the type of the training labels; zeros and ones with several labels.
        """
        outputs = self._outputs(X)
        return self._target.labels(outputs)

    def predict_proba(self, X: HierarchiesLike) -> np.ndarray:
        """Probability of each class, columns in the order of ``classes_``.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n_graphs, n_classes)
            With several labels the probability of each, rows not summing to 1. NaN for
            graphs without nodes with ``on_empty="nan"``.
        """
        outputs, is_gap = self._outputs_and_gaps(X)
        return _with_gaps(self._target.probabilities(outputs), is_gap)

    def decision_function(self, X: HierarchiesLike) -> np.ndarray:
        """Logits; with two classes the log-odds of the second.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        scores : ndarray of shape (n_graphs, n_classes), or (n_graphs,) with two
        """
        outputs, is_gap = self._outputs_and_gaps(X)
        return _with_gaps(self._target.margins(outputs), is_gap)

    def score(self, X: HierarchiesLike, y: Any, sample_weight: Any = None) -> float:
        """Accuracy; with several labels the share of known ones that is right.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.
        y : array-like of shape (n_graphs,) or (n_graphs, n_labels)
            True labels.
        sample_weight : array-like of shape (n_graphs,), default=None
            Weight of each graph.

        Returns
        -------
        score : float
        """
        outputs, is_gap = self._outputs_and_gaps(X)
        labels = self._target.labels(outputs)
        return mean_accuracy(self._target, y, labels, is_gap, sample_weight)

    def explain(
        self, X: HierarchiesLike, *, target: Any = None, level: int | None = None
    ) -> list[np.ndarray]:
        """How much each input node adds to a class, by integrated gradients.

        :func:`skshake.explain` takes whole pipelines, and explains edges too.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.
        target : label, default=None
            Class to explain (with several labels the number of the column); None takes
            the class predicted for each graph, and with two classes the second.
        level : int or None, default=None
            Level whose features are asked about, 0 the finest; None adds all levels.

        Returns
        -------
        contributions : list of ndarray of shape (n_nodes,)
            One per graph, in the order of its input nodes: a block's contribution is
            shared equally by its nodes. Over nodes and levels they add up to the logit
            of the class (with two classes the log-odds) less that of the same graph
            made of average nodes.
        """
        return self._explain_nodes(X, target, level)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _class_weight(self) -> Any:
        return self.class_weight

    def _find_temperature(self, stops_early: bool) -> float:
        if not isinstance(self.temperature, str):
            return float(self.temperature)
        is_too_sure = self.loss in ("auto", "cross_entropy") and not stops_early
        return TEMPERATURE if is_too_sure else 1.0

    def _learn_target(self, y: Any, n_graphs: int) -> ClassTarget | LabelTarget:
        target = learn_class_target(y, n_graphs)
        where = _find_one_class(target, y, n_graphs)
        if where is not None:
            warn_user(
                f"one class is predicted for all graphs, because {where}; give graphs "
                "of two classes at least",
                ConvergenceWarning,
            )
        return target

    @property
    def _has_log_odds(self) -> bool:
        """Whether the two outputs are one: the log-odds of the second class."""
        return isinstance(self._target, ClassTarget) and len(self.classes_) == 2

    def _explained_outputs(
        self, hierarchies: HierarchyCollection, target: Any
    ) -> np.ndarray:
        if target is not None:
            known = np.flatnonzero(self.classes_ == target)
            if not len(known):
                raise ValueError(
                    f"target: expected one of {self.classes_.tolist()}, got {target!r}"
                )
            return np.full(len(hierarchies), known[0])
        if self._has_log_odds:
            return np.ones(len(hierarchies), np.int64)
        return self._outputs(hierarchies).argmax(axis=1)

    def _directions(self, explained: np.ndarray) -> np.ndarray:
        others = -1.0 if self._has_log_odds else 0.0
        directions = np.full((len(explained), self._target.n_outputs), others)
        directions[np.arange(len(explained)), explained] = 1.0
        return directions

    def _set_fitted(self, *fitted: Any) -> None:
        super()._set_fitted(*fitted)
        self.classes_ = self._target.classes

    def _finish_fit(self, training: Any) -> None:
        """Warn if the network tells the classes apart nowhere."""
        if not isinstance(self._target, ClassTarget) or len(self.classes_) < 2:
            return
        codes = training.targets.ravel().astype(np.int64)
        if np.bincount(codes).max() > LARGE_CLASS * len(codes):
            return
        hierarchies = training.hierarchies.first_forests(1)
        if isinstance(hierarchies, StoredHierarchies):
            some = hierarchies.spread(CHECKED_GRAPHS)
        else:
            some = np.random.default_rng(0).permutation(len(codes))[:CHECKED_GRAPHS]
        found = self.predict(hierarchies.take(some))
        if len(np.unique(codes[some])) > 1 and len(np.unique(found)) == 1:
            warn_user(
                "one class is predicted for all training graphs; train for longer "
                "(max_iter), or change learning_rate",
                ConvergenceWarning,
            )
