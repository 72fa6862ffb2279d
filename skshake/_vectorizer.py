"""SubtreeVectorizer: a transformer from graphs to a table, as CountVectorizer of texts.

In: a list of graphs. Out: one row per graph: statistics, and counts of subtrees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import (
    Interval,
    Options,
    RealNotInt,
    StrOptions,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from skshake._callbacks import CallbackMixin, FitTask
from skshake._diagram import DiagramMixin
from skshake._fit_context import checks_parameters
from skshake._graph_input import GraphInputMixin
from skshake.graphs import (
    Features,
    GraphCollection,
    GraphsLike,
    as_graphs,
    match_features,
)
from skshake.hierarchy import Vocabulary, check_log_rule, learn_vocabulary
from skshake.saving import StateMixin
from skshake.subtrees import (
    Choice,
    Names,
    choose_colours,
    colours_of,
    count_subtrees,
    describe_subtree,
    learn_statistics,
    learn_unfolding,
    name_columns,
    statistics_blocks,
    statistics_names,
)


class SubtreeVectorizer(
    DiagramMixin,
    GraphInputMixin,
    TransformerMixin,
    CallbackMixin,
    StateMixin,
    BaseEstimator,
):
    """Turn graphs into a table of statistics and counts of subtrees.

    Any model of scikit-learn can follow. The colour of a node is a hash of the subtree
    that is rooted there: at depth 0 of its categories, at each further depth of its own
    colour and the multiset of its neighbours' colours, each with the categories of the
    edge that leads there (Weisfeiler and Lehman). Columns count how many nodes of a
    graph have each colour; of molecules they are circular fingerprints that count. Only
    categories and edges enter colours, not numeric features, weights or directions;
    where nodes have no categories, depth 1 tells their degrees apart.

    Its parameters, by what they are for:

    * Tune first: ``depth``, ``min_df``, ``max_features``.
    * Columns: ``statistics``, ``walk_length``, ``categorical_features``,
      ``log_features``.
    * Output and computing: ``sparse_output``, ``n_jobs``.

    Parameters
    ----------
    depth : int, default=2
        Largest depth of subtrees, those of smaller depths are counted too. Each adds
        the next ring of neighbours, and more columns.
    min_df : int or float, default=3
        Subtrees, categories and degrees in fewer training graphs get no column. A float
        is a fraction of the graphs.
    max_features : int or None, default=2048
        Most columns for the subtrees of each depth, and for each histogram: those that
        are in most graphs.
    statistics : bool, default=True
        Whether there are columns of sizes; of degrees and of each categorical column of
        nodes and edges, as counts and as fractions; of the mean, standard deviation,
        minimum and maximum of each numeric column and of weights; and of return
        probabilities. Subtrees of depth 0 are counted only if no histogram says the
        same, that is with several categorical columns of nodes. False keeps only
        the counts of subtrees.
    walk_length : int, default=8
        Statistics include the probabilities that a random walk is back where it began
        after 2, 3, ..., ``walk_length`` steps, as means over nodes. They take three
        tenths of the time or, in large graphs, most of it; 0 leaves them out.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        Which features are categories: "from_dtype" takes integer arrays as categories
        and floats as numbers, True takes all as categories, False none, a list those
        attributes. Strings always are.
    log_features : "auto", bool or list of str, default="auto"
        Numeric attributes of which statistics are those of the logarithm: "auto" takes
        columns with a heavy tail, True all, False none, a list those attributes; see
        :class:`KFCoarsener`. As they are, the largest number alone would decide a
        graph's mean and standard deviation.
    sparse_output : bool, default=True
        Whether the table is a CSR array. False gives a dense one, as do the containers
        of ``set_output``.
    n_jobs : int, default=None
        Threads (joblib) that walk over chunks of graphs; the result is the same.

    Attributes
    ----------
    subtrees_ : list of ndarray
        Colours that are counted, uint64, of depth 0, 1, ..., ``depth``.
    n_features_in_, n_edge_features_in_ : int
        Columns of node and edge features.

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

    See Also
    --------
    KFCoarsener : Graphs to hierarchies, for the graph neural network.

    Notes
    -----
    Colours are hashes of 64 bits: the same on every machine, for every numbering of
    nodes, whatever other graphs there are. Two subtrees share a colour, and a column,
    only if hashes collide. Chance brings that about with probability 2**-64 for each
    pair, below 3e-8 for any among a million different subtrees; nothing guards against
    graphs that are made to collide. Different graphs may have the same colours: what
    Weisfeiler and Lehman cannot tell apart, this cannot either.

    Subtrees, categories and degrees without a column are left out of the former and
    counted as "other" of the latter, seen in ``fit`` or not. Time is linear in edges,
    but for that of walks in large graphs (see :class:`KFCoarsener`).

    References
    ----------
    Shervashidze et al. (2011), "Weisfeiler-Lehman Graph Kernels".

    Rogers & Hahn (2010), "Extended-Connectivity Fingerprints",
    https://doi.org/10.1021/ci100050t.

    Examples
    --------
    >>> from skshake import MoleculeFeaturizer, SubtreeVectorizer
    >>> graphs = MoleculeFeaturizer().fit_transform(["CCO", "CCN", "CCCO"])
    >>> vectorizer = SubtreeVectorizer(depth=1, min_df=2, statistics=False)
    >>> vectorizer.fit_transform(graphs).shape
    (3, 5)
    """

    _fitted_attribute = "subtrees_"

    _parameter_constraints: dict = {
        "depth": [Interval(Integral, 0, None, closed="left")],
        "min_df": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="both"),
        ],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "statistics": ["boolean"],
        "walk_length": [
            Interval(Integral, 2, None, closed="left"),
            Options(Integral, {0}),
        ],
        "categorical_features": [StrOptions({"from_dtype"}), "boolean", "array-like"],
        "log_features": [StrOptions({"auto"}), "boolean", "array-like"],
        "sparse_output": ["boolean"],
        "n_jobs": [Integral, None],
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
    ):
        self.depth = depth
        self.min_df = min_df
        self.max_features = max_features
        self.statistics = statistics
        self.walk_length = walk_length
        self.categorical_features = categorical_features
        self.log_features = log_features
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    @checks_parameters
    def fit(self, X: GraphsLike, y: Any = None) -> SubtreeVectorizer:
        """Learn which subtrees, categories and degrees get a column.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads.
        y : None
            Ignored.

        Returns
        -------
        self : SubtreeVectorizer
        """
        self._learn(X, y)
        return self

    @checks_parameters
    def fit_transform(self, X: GraphsLike, y: Any = None) -> Any:
        """Fit, and make the table of the same graphs, which are coloured once.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            Anything that :func:`skshake.as_graphs` reads.
        y : None
            Ignored.

        Returns
        -------
        table : csr_array or ndarray of shape (n_graphs, n_columns), float64
        """
        return self._make_table(*self._learn(X, y))

    def transform(self, X: GraphsLike) -> Any:
        """Make the table of some graphs.

        Parameters
        ----------
        X : list of graphs or GraphCollection
            With the node and edge features of the training graphs.

        Returns
        -------
        table : csr_array or ndarray of shape (n_graphs, n_columns), float64
            One row per graph, in order; that of a graph without nodes holds zeros.
        """
        graphs = self._read(X)
        return self._make_table(graphs, colours_of(graphs, self._depth))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the columns of the table.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored.

        Returns
        -------
        names : ndarray of str of shape (n_columns,)
            Such as "n_nodes", "degree=3" and its fraction "degree=3_fraction", "x0=6"
            (category 6 of the first column of ``x``), "x0=other" (any without a column
            of its own), "edge0=1", "node_charge_mean", "log_node_amount_mean",
            "return_4_mean", and ``subtree1_`` with the colour for a subtree of depth 1;
            strings are called by the code that they are read as.
        """
        check_is_fitted(self)
        names: list[str] = []
        if self._statistics is not None:
            names += statistics_names(self._statistics, *self._names)
        return np.array([*names, *(name for name, *_ in self._name_subtrees())], object)

    def describe(self, name: str) -> str:
        """Which subtree a column counts.

        Parameters
        ----------
        name : str
            One of :meth:`get_feature_names_out` that begins with "subtree".

        Returns
        -------
        subtree : str
            A line for the root with its categories, and below it one for each
            neighbour, with the categories of the edge that leads there; then what is
            around that, to the depth. Where it came from is around each neighbour too.

        Raises
        ------
        ValueError
            If no subtree has that name.

        Examples
        --------
        >>> import networkx as nx
        >>> from skshake import SubtreeVectorizer
        >>> rings = [nx.cycle_graph(n) for n in (5, 6, 7)]
        >>> vectorizer = SubtreeVectorizer().fit(rings)
        >>> print(vectorizer.describe(vectorizer.get_feature_names_out()[-1]))
        node
            2 times node
                2 times node
        """
        check_is_fitted(self)
        for known, depth, colour in self._name_subtrees():
            if known == name:
                nodes, edges = self._names
                return describe_subtree(
                    self._unfolding, depth, colour, nodes.categorical, edges.categorical
                )
        raise ValueError(
            f"name: expected that of a subtree in get_feature_names_out(), got {name!r}"
        )

    @property
    def _depth(self) -> int:
        """The fitted depth, whatever the parameter is by now."""
        return len(self.subtrees_) - 1

    @property
    def _names(self) -> tuple[Names, Names]:
        """Names of the columns of nodes' and of edges' features."""
        return (
            name_columns("node", self._node_fields),
            name_columns("edge", self._edge_fields),
        )

    def _name_subtrees(self) -> Iterator[tuple[str, int, np.uint64]]:
        """Name, depth and colour of each subtree that has a column."""
        for depth, colours in enumerate(self.subtrees_):
            for colour in colours:
                yield f"subtree{depth}_{colour:016x}", depth, colour

    def _learn(self, X: GraphsLike, y: Any) -> tuple[GraphCollection, list[np.ndarray]]:
        """Learn all that is learnt of training graphs; gives them and their colours."""
        graphs = as_graphs(X, categorical_features=self.categorical_features)
        task = FitTask(self, graphs, y)
        nodes, edges = graphs.node_features, graphs.edge_features
        choice = Choice(self.min_df, self.max_features)
        log_rule = check_log_rule(self.log_features, nodes, edges)
        colours = colours_of(graphs, self.depth)
        counted = [choose_colours(each, graphs.node_ptr, choice) for each in colours]
        if self.statistics and nodes.categories.shape[1] < 2:
            # The histogram, or the number of nodes, says the same.
            counted[0] = counted[0][:0]
        if not self.statistics and not sum(map(len, counted)):
            raise ValueError(
                f"no subtree is in as many graphs as min_df={self.min_df!r} asks for; "
                "take a smaller one, or statistics=True"
            )
        self.subtrees_ = counted
        self._unfolding = learn_unfolding(graphs, colours, counted)
        self._node_fields, self._edge_fields = nodes.fields, edges.fields
        self.n_features_in_ = nodes.n_columns
        self.n_edge_features_in_ = edges.n_columns
        self._vocabularies = (
            learn_vocabulary(nodes.categories),
            learn_vocabulary(edges.categories),
        )
        self._statistics = None
        if self.statistics:
            self._statistics = learn_statistics(
                graphs, *self._vocabularies, choice, self.walk_length, log_rule
            )
        self._warn_of_categories(nodes, edges)
        task.end()
        return graphs, colours

    def _given(
        self, nodes: Features, edges: Features
    ) -> Iterator[tuple[Features, Vocabulary]]:
        return zip((nodes, edges), self._vocabularies, strict=True)

    def _match_features(self, graphs: GraphCollection) -> GraphCollection:
        nodes = match_features("node", graphs.node_features, self._node_fields)
        edges = match_features("edge", graphs.edge_features, self._edge_fields)
        self._warn_of_unseen(nodes, edges)
        if nodes is graphs.node_features and edges is graphs.edge_features:
            # With the arcs that it may have by now.
            return graphs
        return replace(graphs, node_features=nodes, edge_features=edges)

    def _make_table(self, graphs: GraphCollection, colours: list[np.ndarray]) -> Any:
        """Statistics and counts side by side, sparse or dense."""
        blocks = []
        if self._statistics is not None:
            blocks += statistics_blocks(self._statistics, graphs, self.n_jobs)
        blocks.append(count_subtrees(graphs.node_ptr, colours, self.subtrees_))
        table = sparse.hstack(blocks, format="csr")
        # Data frames take no sparse columns.
        is_plain = _get_output_config("transform", self)["dense"] == "default"
        return table if self.sparse_output and is_plain else table.toarray()
