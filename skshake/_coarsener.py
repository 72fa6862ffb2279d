"""KFCoarsener: a transformer from graphs to hierarchies of coarse graphs.

In: graphs, in memory or in parts. Out: one hierarchy per graph, in a collection or in a
folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import check_is_fitted

from skshake._callbacks import CallbackMixin, FitTask
from skshake._chunks import coarsen_graphs
from skshake._fit_context import checks_parameters
from skshake._graph_input import GraphInputMixin
from skshake._logging import logger
from skshake._output import CollectionOutputMixin
from skshake._reduction import measure_reduction, sample_edge_fraction
from skshake._warnings import warn_user
from skshake.forests import MAX_SEED, as_resolutions, check_edge_weight
from skshake.graphs import (
    Features,
    GraphCollection,
    GraphsLike,
    as_graphs,
    match_features,
    with_degree_feature,
)
from skshake.hierarchy import (
    AGGREGATIONS,
    Aggregation,
    HierarchyCollection,
    Pooling,
    StoredHierarchies,
    Vocabulary,
    check_aggregation,
    check_log_rule,
    describe_rounded,
    learn_centre,
    learn_log_scales,
    scale_numbers,
)
from skshake.resolution import (
    SOLVERS,
    Objective,
    ResolutionCurves,
    select_resolution,
)
from skshake.saving import StateMixin
from skshake.sources import (
    TrainingGraphs,
    all_graphs,
    find_sources,
    sample_order,
    sample_sources,
    write_folder,
)

# Coarsening that keeps more than this share of the nodes is hardly worth its time.
LEAST_REDUCTION = 0.05
# What n_forests="auto" aims at, from cross-validation on sets of 188 to 4,110 graphs;
# molhiv's 32,901 gain from four too. More nodes than the last get one forest.
HIERARCHIES, FEWEST_FORESTS, MOST_FORESTS = 32_768, 4, 16
MANY_NODES = 4_000_000
# Graphs on which ``fit`` measures how much smaller coarse graphs are.
REDUCED_GRAPHS = 2_000


class ReductionWarning(UserWarning):
    """Coarsening leaves the graphs almost as large as they were."""


def automatic_n_forests(n_graphs: int, n_nodes: int) -> int:
    """Number of forests that bring hierarchies to about 32,768, if memory allows."""
    if n_nodes > MANY_NODES:
        return 1
    n_forests = round(HIERARCHIES / n_graphs)
    return int(np.clip(n_forests, FEWEST_FORESTS, MOST_FORESTS))


class KFCoarsener(
    CollectionOutputMixin,
    GraphInputMixin,
    TransformerMixin,
    CallbackMixin,
    StateMixin,
    BaseEstimator,
):
    r"""Coarsen graphs with Kirchhoff forests at a resolution learnt from the data.

    A Kirchhoff forest is a random rooted spanning forest; its trees become the nodes of
    a coarse graph. The rate q of stopping sets the resolution: larger q, more and
    smaller trees, a finer graph. ``q="auto"`` learns q* as the minimiser of a trade-off
    between the feature information that smoothing at q loses and the size that is left
    (see :class:`skshake.resolution.Objective`).

    Its parameters, by what they are for:

    * Tune first: ``q``, or ``phi`` where q is learnt; ``n_levels`` and
      ``include_original``.
    * Features: ``categorical_features``, ``log_features``, ``walk_length``,
      ``node_pooling``, ``edge_pooling``.
    * Forests: ``n_forests``, ``n_forests_transform``.
    * How q* is found: ``q_grid``, ``q_tol``, ``solver``.
    * Computing: ``n_jobs``, ``random_state``, ``verbose``.

    Parameters
    ----------
    q : "auto", float or sequence of float, default="auto"
        Resolution of the levels. "auto" learns q*; a number must be positive and may be
        ``inf`` (the input graph itself); a sequence gives one level each, in any order.
    n_levels : int, default=1
        Number of levels with ``q="auto"``: the first at q*, each further one at the q
        that halves the expected number of nodes. This, ``include_original``, ``phi``
        and ``q_grid`` say nothing where q is given.
    include_original : bool, default=False
        Put the input graph (q = inf) in front of the learnt levels.
    phi : float, default=1.0
        Weight of the size in the trade-off; larger phi, smaller q*, coarser graphs.
    node_pooling, edge_pooling : {"mean", "sum"} or Aggregation, default="mean"
        How features of input nodes (edges) become features of a coarse node (edge).
        Categories become frequencies with "mean" and counts with "sum". Another way is
        an :class:`skshake.Aggregation`. Of columns with numbers beyond 65,536
        that float32 would round, their mean in ``fit`` is taken off first.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        Which features are categories: "from_dtype" takes integer arrays as categories
        and floats as numbers, True takes all as categories, False none, a list those
        attributes. Strings always are.
    log_features : "auto", bool or list of str, default="auto"
        Numeric attributes of which the logarithm is pooled and learnt, rather than the
        numbers: "auto" takes columns with a heavy tail, whose largest absolute number
        in ``fit`` is more than 200 times the median of those that are not 0 (amounts,
        populations, one wrong number among right ones), True takes all, False none, a
        list those attributes. x becomes arsinh(x / s), s the 5 % quantile of the
        absolute numbers: about log(2 x / s), and zero and negative numbers have one
        too. As they are, all but the largest of such numbers would be one to q*, to
        means over a block, and to the network, which standardises what is pooled.
    walk_length : int, default=8
        Probabilities that a random walk from a node is back after 2, 3, ...,
        ``walk_length`` steps join the node's features once q* is known: rings and the
        shape of branches, of which a coarse node would show little. 0 leaves them out.
        They are exact to float32 in graphs of which 32 walks at once need follow at
        most 20 million arcs, or 25 times the graph's. Nodes with the same neighbours
        count once (without weights, in graphs of at most 65,536 nodes). In other
        graphs walks count as mixed after the steps that this allows, and are back with
        the node's part of all degrees.
    n_forests : int or "auto", default="auto"
        Independent hierarchies drawn per graph. The classifier trains on a different
        one each epoch and averages over all when it predicts: for few graphs the best
        protection from overfitting to one forest. "auto" draws as many as bring
        forests times training graphs to about 32,768, within 4 and 16, and one for more
        than 4 million training nodes, where memory counts.
    n_forests_transform : int, default=None
        How many of these ``transform`` draws, and so how many a prediction averages
        over; None, all. Fewer predict faster and a little worse. It may be set after
        ``fit``: ``model.set_params(kfcoarsener__n_forests_transform=4)``.
    q_grid : array-like of float, default=None
        Increasing q values between which q* is sought; None spans the spectra.
    q_tol : float, default=0.02
        Of more than 500 training graphs a random subset is used, enlarged until q* is
        known within this relative tolerance with 95 %. 0 uses all graphs.
    solver : {"auto", "eigh", "lanczos"}, default="auto"
        How the curves are computed. "eigh" decomposes each Laplacian exactly, at a cost
        cubic in the nodes (with edge features: edges) of a graph. "lanczos" needs a few
        dozen products with it, so its cost is linear: losses to less than 1e-3,
        complexity from random vectors. "auto" takes "eigh" for graphs of at most 100
        nodes (edges).
    n_jobs : int, default=None
        Threads (joblib) that measure, draw and pool chunks of graphs; the result is the
        same.
    random_state : int, RandomState instance or None, default=None
        ``fit`` draws one seed from it. A graph's hierarchy depends on that seed and the
        graph's own content: not on its position, its companions or ``n_jobs``.
    verbose : int, default=0
        Greater than 0 shows progress bars of the spectra and of the coarsening.

    Attributes
    ----------
    q_ : ndarray of shape (n_levels,)
        Resolutions, decreasing.
    q_star_ : float
        Learnt resolution; only with ``q="auto"``.
    q_star_interval_ : tuple of float
        Where q* of all training graphs lies with 95 %, given that graphs were left out
        and complexities estimated; nan if J has no inner minimum. Only with
        ``q="auto"``.
    q_curves_ : ResolutionCurves
        J, its six parts, and what is left of nodes and edges, on the grid; only with
        ``q="auto"``.
    n_forests_ : int
        Hierarchies drawn per graph; 1 if ``q_`` is just ``inf``.
    reduction_ : Reduction
        Achieved coarse / input sizes on the training graphs (``fit`` without
        ``transform``: on 2,000 of them at random).
    n_features_in_, n_edge_features_in_ : int
        Columns of node and edge features; 2 and 0 for graphs without features, which
        get their weighted degree d as log(1 + d) and as a category.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the graphs cannot be read (the message names
        the graph), or graphs at ``transform`` have other features than at ``fit``.

    Warns
    -----
    CategoryWarning
        If nearly all rows of a categorical column have a category of their own, or
        nearly all values at ``transform`` are categories that ``fit`` has not seen:
        they are rather numbers, or identifiers. With "from_dtype" also if integers are
        spread as numbers are (ages): 30 or more, each about as common as the next one
        and most common in their midst. The warning gives the argument that makes them
        numbers; ``categorical_features=True`` says that they are categories.
    ReductionWarning
        If coarsening leaves the graphs almost as they were.
    ResolutionWarning
        If the features say nothing about q*.

    See Also
    --------
    SHAKEClassifier : Classify the hierarchies.

    References
    ----------
    Cui & Lutzeyer, "SHAKE-GNN: Scalable Hierarchical Kirchhoff-Forest Graph Neural
    Network".

    Examples
    --------
    >>> from skshake import KFCoarsener
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> coarsener = KFCoarsener(random_state=0).fit(graphs)
    >>> hierarchies = coarsener.transform(graphs)
    >>> len(hierarchies) == len(graphs)
    True
    """

    _fitted_attribute = "n_forests_"

    _parameter_constraints: dict = {
        "q": [
            StrOptions({"auto"}),
            Interval(Real, 0, None, closed="right"),
            "array-like",
        ],
        "n_levels": [Interval(Integral, 1, None, closed="left")],
        "include_original": ["boolean"],
        "phi": [Interval(Real, 0, None, closed="neither")],
        "node_pooling": [StrOptions(set(AGGREGATIONS)), Aggregation],
        "edge_pooling": [StrOptions(set(AGGREGATIONS)), Aggregation],
        "categorical_features": [StrOptions({"from_dtype"}), "boolean", "array-like"],
        "log_features": [StrOptions({"auto"}), "boolean", "array-like"],
        "walk_length": [
            Interval(Integral, 2, None, closed="left"),
            Options(Integral, {0}),
        ],
        "n_forests": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_forests_transform": [Interval(Integral, 1, None, closed="left"), None],
        "q_grid": ["array-like", None],
        "q_tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(SOLVERS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        q="auto",
        n_levels=1,
        include_original=False,
        phi=1.0,
        node_pooling="mean",
        edge_pooling="mean",
        categorical_features="from_dtype",
        log_features="auto",
        walk_length=8,
        n_forests="auto",
        n_forests_transform=None,
        q_grid=None,
        q_tol=0.02,
        solver="auto",
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.q = q
        self.n_levels = n_levels
        self.include_original = include_original
        self.phi = phi
        self.node_pooling = node_pooling
        self.edge_pooling = edge_pooling
        self.categorical_features = categorical_features
        self.log_features = log_features
        self.walk_length = walk_length
        self.n_forests = n_forests
        self.n_forests_transform = n_forests_transform
        self.q_grid = q_grid
        self.q_tol = q_tol
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checks_parameters
    def fit(self, X: GraphsLike | str | Path, y: Any = None) -> KFCoarsener:
        """Learn q*, vocabularies of categories, and the seed of the forests.

        Graphs are not coarsened, so this takes less time than ``fit_transform``.

        Parameters
        ----------
        X : list of graphs, GraphCollection, path, or iterable of sources
            Anything that :func:`skshake.as_graphs` reads. Graphs that are larger than
            memory come in parts, one after the other: from a folder of files, or from
            an iterable of the sources that :meth:`transform_to` takes. Categories are
            then those of all parts; scales of numbers and the reduction are learnt from
            a random sample of 2 million nodes and edges, and q* from as many graphs of
            it as decide it: the same ones as if all graphs were in memory.
        y : None
            Ignored.

        Returns
        -------
        self : KFCoarsener
        """
        seed = check_random_state(self.random_state).randint(MAX_SEED)
        sources, graphs = find_sources(X)
        if sources is None:
            graphs = as_graphs(graphs, categorical_features=self.categorical_features)
            given = all_graphs(graphs)
        else:
            given = sample_sources(sources, self.categorical_features, seed)
        task = FitTask(self, given.graphs if sources is not None else graphs, y)
        objective = self._learn(given, seed)
        check_edge_weight(given.graphs, self.q_)
        some = given.graphs
        if len(some) > REDUCED_GRAPHS:
            chosen = np.argsort(sample_order(some, seed))[:REDUCED_GRAPHS]
            some = some[np.sort(chosen)]
        # With q* learnt, the spectra say what to expect of other forests.
        n_forests = self.n_forests_ if objective is None else 1
        sizes = coarsen_graphs(
            some, self.q_, seed, n_forests, None, self.n_jobs, self.verbose
        )
        self._report(some, sizes, objective)
        task.end()
        return self

    @checks_parameters
    def fit_transform(self, X: GraphsLike, y: Any = None) -> HierarchyCollection:
        """Fit and coarsen the same graphs, with the forests drawn once.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads.
        y : None
            Ignored.

        Returns
        -------
        hierarchies : HierarchyCollection of length n_graphs
        """
        seed = check_random_state(self.random_state).randint(MAX_SEED)
        graphs = as_graphs(X, categorical_features=self.categorical_features)
        task = FitTask(self, graphs, y)
        given = all_graphs(graphs)
        objective = self._learn(given, seed)
        hierarchies = self._coarsen(given.graphs, self.n_forests_)
        self._report(given.graphs, hierarchies, objective)
        task.end()
        return hierarchies

    def transform(self, X: GraphsLike) -> HierarchyCollection:
        """Coarsen graphs at the learnt resolutions.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the node and edge features of the training graphs.

        Returns
        -------
        hierarchies : HierarchyCollection of length n_graphs
            One hierarchy per graph, in order; a graph of no nodes has empty levels.
        """
        return self._transform_read(self._read(X))

    def transform_to(
        self,
        folder: str | Path,
        sources: GraphsLike | Iterable[Any] | str | Path,
        y: Any = None,
    ) -> StoredHierarchies:
        """Coarsen graphs in parts, each into a file of a folder.

        Parts go to joblib one by one, which spreads them over the workers of any
        backend: threads, processes, or machines of dask or ray
        (``joblib.parallel_config("dask")``). A worker is told a path and gives numbers
        back, and the files are the same whoever writes them. What was finished before
        an interruption stays, and the same call goes on from there.

        Parameters
        ----------
        folder : str or Path
            A path, or a URL of a protocol that fsspec knows, such as "s3://...". It is
            made if it is not there. Workers need to reach it by the same name.
        sources : iterable of sources, path, or graphs
            Each source becomes a file. A source is a path (a ``.npz`` file of
            ``GraphCollection.save`` or of :func:`~skshake.datasets.load_npz`, a
            ``.csv`` file of :func:`~skshake.datasets.load_molecules_csv`, a folder of
            :func:`~skshake.datasets.load_ogb`), a function without arguments that reads
            graphs (such as ``functools.partial(graphs_from_edgelist, path, ...)``), or
            a list of graphs. Functions and lists may give ``(graphs, y)`` or a Bunch
            with ``data`` and ``target``. The path of a folder stands for all its files.
            Graphs that are in memory are cut into parts of about a million nodes and
            edges.
        y : array-like of shape (n_graphs,) or (n_graphs, n_columns), default=None
            Targets of graphs that are in memory; other sources bring their own.

        Returns
        -------
        hierarchies : StoredHierarchies
            What ``HierarchyCollection.open(folder)`` gives; targets are its ``y``.

        Raises
        ------
        ValueError
            If a source cannot be read or differs from the training graphs (the source
            is named); if a finished part was altered, or was made by another coarsener
            or from another source (its file is named).
        OSError
            If a file cannot be written; it is named, and what is finished stays.
        """
        check_is_fitted(self)
        write_folder(self, folder, sources, y)
        return HierarchyCollection.open(folder)

    def _learn(self, given: TrainingGraphs, seed: int) -> Objective | None:
        """Set all that is learnt but the reduction; gives what was minimised."""
        self._learn_features(given)
        scaled = scale_numbers(given.graphs, self._pooling)
        objective = self._learn_resolutions(scaled, given.n_graphs, seed)
        self._seed = seed
        self.n_forests_ = self._choose_n_forests(given.n_graphs, given.n_nodes)
        return objective

    def _learn_features(self, given: TrainingGraphs) -> None:
        """Remember the fields of features and their categories."""
        for pooling in (self.node_pooling, self.edge_pooling):
            check_aggregation(pooling)
        self._has_node_features = given.has_node_features
        nodes, edges = given.graphs.node_features, given.graphs.edge_features
        self._node_fields, self._edge_fields = nodes.fields, edges.fields
        self.n_features_in_ = nodes.n_columns
        self.n_edge_features_in_ = edges.n_columns
        rule = check_log_rule(self.log_features, nodes, edges)
        log_scales = [learn_log_scales(each, rule) for each in (nodes, edges)]
        centres = list(map(learn_centre, (nodes, edges), log_scales))
        self._pooling = Pooling(
            self.node_pooling,
            self.edge_pooling,
            *given.vocabularies,
            self.walk_length,
            *centres,
            *log_scales,
        )
        self._warn_of_categories(nodes, edges)
        for each in zip((nodes, edges), log_scales, centres, strict=True):
            for message in describe_rounded(*each):
                warn_user(message)

    def _report(
        self,
        graphs: GraphCollection,
        hierarchies: HierarchyCollection,
        objective: Objective | None,
    ) -> None:
        """Set the reduction, log it, and warn if there is hardly any."""
        self.reduction_ = measure_reduction(graphs, hierarchies, objective)
        for line in self.reduction_.describe(getattr(self, "q_star_", None)):
            logger.info(line)
        self._warn_if_useless()

    def _given(
        self, nodes: Features, edges: Features
    ) -> list[tuple[Features, Vocabulary]]:
        known = [
            (nodes, self._pooling.node_vocabulary),
            (edges, self._pooling.edge_vocabulary),
        ]
        # Without node features, those of the degree are ours.
        return known if self._has_node_features else known[1:]

    def _check_fit(self, graphs: GraphCollection) -> None:
        check_edge_weight(self._match_features(graphs), self.q_)

    def _match_features(self, graphs: GraphCollection) -> GraphCollection:
        edges = match_features("edge", graphs.edge_features, self._edge_fields)
        if self._has_node_features:
            nodes = match_features("node", graphs.node_features, self._node_fields)
        else:
            match_features("node", graphs.node_features, ())
            nodes = with_degree_feature(graphs).node_features
        self._warn_of_unseen(nodes, edges)
        return replace(graphs, node_features=nodes, edge_features=edges)

    def _learn_resolutions(
        self, graphs: GraphCollection, n_graphs: int, seed: int
    ) -> Objective | None:
        """Set ``q_``, and with "auto" what else is learnt about it.

        Returns
        -------
        objective : Objective or None
            What was minimised; None if q was given.
        """
        for name in ("q_star_", "q_star_interval_", "q_curves_"):
            self.__dict__.pop(name, None)
        if not (isinstance(self.q, str) and self.q == "auto"):
            self.q_ = as_resolutions(self.q)
            return None
        objective, curves, q_star, interval = select_resolution(
            graphs,
            phi=self.phi,
            grid=_check_grid(self.q_grid),
            tol=self.q_tol,
            solver=self.solver,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            n_population=n_graphs,
        )
        edges = sample_edge_fraction(graphs, curves.q, q_star, seed)
        self.q_curves_: ResolutionCurves = replace(curves, edge_fraction=edges)
        self.q_star_, self.q_star_interval_ = q_star, interval
        qs = [np.inf] * bool(self.include_original) + [self.q_star_]
        for _ in range(self.n_levels - 1):
            fraction = objective.expected_node_fraction(qs[-1]) / 2
            # Where components allow no further halving, q still decreases.
            qs.append(min(objective.q_for_node_fraction(fraction), qs[-1] / 2))
        self.q_ = as_resolutions(qs)
        return objective

    def _choose_n_forests(self, n_graphs: int, n_nodes: int) -> int:
        """Number of forests; one suffices if there is nothing random to draw."""
        if np.isinf(self.q_).all():
            return 1
        if self.n_forests == "auto":
            return automatic_n_forests(n_graphs, n_nodes)
        return self.n_forests

    @property
    def _n_forests_now(self) -> int:
        """How many forests ``transform`` draws."""
        if self.n_forests_transform is None:
            return self.n_forests_
        # It may have been set after ``fit``, which checks parameters.
        self._validate_params()
        return min(self.n_forests_, self.n_forests_transform)

    def _transform_read(self, graphs: GraphCollection) -> HierarchyCollection:
        """Coarsen graphs that ``_read`` gave."""
        return self._coarsen(graphs, self._n_forests_now)

    def _coarsen(self, graphs: GraphCollection, n_forests: int) -> HierarchyCollection:
        """Draw forests and pool."""
        return coarsen_graphs(
            graphs,
            self.q_,
            self._seed,
            n_forests,
            self._pooling,
            self.n_jobs,
            self.verbose,
        )

    def _warn_if_useless(self) -> None:
        finite = [
            share
            for q, share in zip(self.q_, self.reduction_.nodes, strict=True)
            if np.isfinite(q)
        ]
        if finite and min(finite) > 1 - LEAST_REDUCTION:
            warn_user(
                f"coarsening keeps {min(finite):.1%} of the nodes at q = "
                f"{self.q_[-1]:.4g}; use a smaller q or a larger phi, or leave "
                "coarsening out with q=float('inf')",
                ReductionWarning,
            )


def _check_grid(q_grid: Any) -> np.ndarray | None:
    """Grid of q values, checked to be positive and increasing; None stays None."""
    if q_grid is None:
        return None
    grid = np.asarray(q_grid, dtype=np.float64)
    if grid.ndim != 1 or len(grid) < 3:
        raise ValueError(f"q_grid: expected at least 3 numbers, got shape {grid.shape}")
    if not (np.isfinite(grid).all() and grid[0] > 0 and (np.diff(grid) > 0).all()):
        raise ValueError("q_grid: expected positive, finite, increasing numbers")
    return grid
