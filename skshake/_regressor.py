"""SHAKERegressor: a graph neural network that predicts numbers.

In: hierarchies (or raw graphs) and numbers. Out: numbers, embeddings. torch is loaded
by ``fit`` and ``predict``, not by importing this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, StrOptions

from skshake._base import BaseSHAKE
from skshake._targets import NumberTarget, check_sample_weight, mean_r2
from skshake.graphs import GraphCollection
from skshake.hierarchy import HierarchiesLike, HierarchyCollection

if TYPE_CHECKING:
    from skshake.network import Contributions


class SHAKERegressor(RegressorMixin, BaseSHAKE):
    r"""Predict numbers of graphs with a small graph neural network on a hierarchy.

    The network of :class:`skshake.SHAKEClassifier`, trained on the squared error of
    standardised targets.

    Its parameters, by what they are for:

    * Tune first: ``max_iter``, ``hidden_dim``, ``dropout``, ``learning_rate``.
    * The network: ``n_layers``, ``n_linear``, ``n_readout``, ``n_networks``, ``conv``,
      ``level_input``, ``norm``, ``residual``.
    * Training: ``loss``, ``optimizer``, ``weight_decay``, ``schedule``,
      ``weight_averaging``, ``clip_norm``, ``batch_size``.
    * Stopping early: ``early_stopping``, ``validation_fraction``, ``n_iter_no_change``,
      ``tol``.
    * Predictions: ``on_empty``.
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
        Networks that are trained side by side and averaged. "auto" is the number that
        :class:`SHAKEClassifier` trains.
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
    dropout : "auto" or float, default=0.0
        Share of states dropped in training. "auto" is that of
        :class:`SHAKEClassifier`.
    optimizer : {"adamw", "pesg"}, default="adamw"
        AdamW (Loshchilov & Hutter 2019), or the proximal epoch stochastic gradient
        method (Guo et al. 2020), meant for classification.
    loss : {"auto", "squared_error"} or Loss, default="auto"
        "auto" is the squared error of standardised targets. A
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
        Random share that is held out.
    n_iter_no_change : int, default=10
        Epochs without a better validation score after which training stops.
    tol : float, default=1e-3
        Least improvement of the validation score that counts.
    warm_start : bool, default=False
        Go on from the weights of the last ``fit``, for graphs of the same kind and as
        many targets.
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
        number as any other graph, or NaN and no part in :meth:`score`.
    random_state : int, RandomState instance or None, default=None
        Seeds initial weights, dropout, batches and the held-out part. Equal seeds give
        equal bits on one CPU, whatever else runs, with "gine" and "gin" for any number
        of threads; torch's and numpy's own streams are left as they were. (Of users'
        layers under ``compile=True`` torch's stream is seeded for each step.)
    verbose : int, default=0
        Greater than 0 shows a progress bar with loss, score and time left.

    Attributes
    ----------
    module_ : torch.nn.Module
        The fitted network, or the mean of several (``module_.networks``), on the CPU.
    history_ : list of EpochRecord
        Epoch, loss, validation score and seconds. While callbacks watch a fit, those of
        the epochs so far.
    loss_curve_ : list of float
        Training loss of each epoch, of standardised targets.
    validation_scores_ : list of float or None
        Coefficient of determination on the held-out graphs in each epoch; None without
        early stopping.
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
        If a parameter is out of range, y has another length than X or a missing number
        in its only column, or X at ``predict`` comes from another coarsener.

    Warns
    -----
    ConvergenceWarning
        If the loss is no number at the end, or training was interrupted.

    See Also
    --------
    KFCoarsener : Makes the hierarchies.
    SHAKEClassifier : The same for labels.

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
    Network".

    Examples
    --------
    >>> from skshake import SHAKERegressor
    >>> from skshake.datasets import load_mutag
    >>> graphs = load_mutag().data[:30]
    >>> n_nodes = [graph.n_nodes for graph in graphs]
    >>> model = SHAKERegressor(max_iter=2, random_state=0).fit(graphs, n_nodes)
    >>> model.predict(graphs).shape
    (30,)
    """

    _auto_loss = "squared_error"
    _target: NumberTarget

    _parameter_constraints: dict = {
        **BaseSHAKE._parameter_constraints,
        "loss": [StrOptions({"auto", "squared_error"}), HasMethods(["make"])],
    }

    def predict(self, X: HierarchiesLike) -> np.ndarray:
        """Predicted numbers of each graph.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.

        Returns
        -------
        numbers : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        """
        outputs, is_gap = self._outputs_and_gaps(X)
        numbers = self._target.numbers(outputs)
        numbers[is_gap] = np.nan
        return numbers

    def score(self, X: HierarchiesLike, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination, mean over columns.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.
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
        true[np.isnan(found) & (self.on_empty == "nan")] = np.nan
        return mean_r2(true, found, weights)

    def explain(
        self, X: HierarchiesLike, *, target: int = 0, level: int | None = None
    ) -> list[np.ndarray]:
        """How much each input node adds to a target, by integrated gradients.

        :func:`skshake.explain` takes whole pipelines, and explains edges too.

        Parameters
        ----------
        X : HierarchyCollection, list of GraphHierarchy, or list of raw graphs
            Graphs of the kind given to ``fit``.
        target : int, default=0
            Column of y.
        level : int or None, default=None
            Level whose features are asked about, 0 the finest; None adds all levels.

        Returns
        -------
        contributions : list of ndarray of shape (n_nodes,)
            One per graph, in the order of its input nodes: a block's contribution is
            shared equally by its nodes. Over nodes and levels they add up to the
            prediction less that of the same graph made of average nodes.
        """
        return self._explain_nodes(X, target, level)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn_target(self, y: Any, n_graphs: int) -> NumberTarget:
        return NumberTarget(y, n_graphs)

    def _explained_outputs(
        self, hierarchies: HierarchyCollection, target: Any
    ) -> np.ndarray:
        n_outputs = self._target.n_outputs
        column = 0 if target is None else target
        if not 0 <= column < n_outputs:
            raise ValueError(
                f"target: expected a column below {n_outputs}, got {target}"
            )
        return np.full(len(hierarchies), column)

    def _directions(self, explained: np.ndarray) -> np.ndarray:
        directions = np.zeros((len(explained), self._target.n_outputs))
        directions[np.arange(len(explained)), explained] = self._target.scale[explained]
        return directions

    def _explain(
        self,
        hierarchies: HierarchyCollection,
        explained: np.ndarray,
        graphs: GraphCollection | None = None,
    ) -> Contributions:
        found = super()._explain(hierarchies, explained, graphs)
        mean = self._target.mean[explained]
        return found._replace(
            baseline=found.baseline + mean, output=found.output + mean
        )
