"""What ``fit`` learns from: all graphs, or a sample of parts larger than memory.

In: sources, one after the other. Out: graphs whose number of rows is bounded, and what
is known exactly of all graphs: categories and sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from skshake._splitmix import mix
from skshake.graphs import (
    CategoricalRule,
    GraphCollection,
    InvalidGraphError,
    concatenate_graphs,
    match_features,
    with_degree_feature,
)
from skshake.hierarchy import Vocabulary, learn_vocabulary
from skshake.sources._sources import name_source, read_source

# Nodes and edges of the sample; graphs of fewer are all in it.
SAMPLE_ROWS = 2**21


class TrainingGraphs(NamedTuple):
    """What is learnt from.

    Parameters
    ----------
    graphs : GraphCollection
        All, or a sample; with the features of the degree if they have none of nodes.
    has_node_features : bool
        Whether the user gave some.
    n_graphs, n_nodes : int
        Of all.
    vocabularies : tuple of Vocabulary
        Categories of nodes and of edges of all graphs.
    """

    graphs: GraphCollection
    has_node_features: bool
    n_graphs: int
    n_nodes: int
    vocabularies: tuple[Vocabulary, Vocabulary]


def _describe(graphs: GraphCollection) -> GraphCollection:
    """The graphs with features of the degree if they have no others of nodes."""
    return graphs if graphs.node_features.n_columns else with_degree_feature(graphs)


def _learn_vocabularies(graphs: GraphCollection) -> tuple[Vocabulary, Vocabulary]:
    nodes, edges = graphs.node_features, graphs.edge_features
    return learn_vocabulary(nodes.categories), learn_vocabulary(edges.categories)


def all_graphs(graphs: GraphCollection) -> TrainingGraphs:
    """Learn from graphs that are all in memory."""
    described = _describe(graphs)
    return TrainingGraphs(
        described,
        described is graphs,
        len(graphs),
        graphs.n_nodes,
        _learn_vocabularies(described),
    )


def sample_order(graphs: GraphCollection, seed: int) -> np.ndarray:
    """A random number of each graph, from its content and the seed.

    Those of the least ones are a sample that depends neither on the order of graphs nor
    on which part they are in.
    """
    found: np.ndarray = mix(graphs.fingerprints ^ mix(np.uint64(seed)))
    return found


def _join(first: Vocabulary, second: Vocabulary) -> Vocabulary:
    pairs = zip(first.categories, second.categories, strict=True)
    return Vocabulary(tuple(np.union1d(*pair) for pair in pairs))


class _Sample:
    """Graphs of the least random numbers, at most so many rows, in their order."""

    def __init__(self, seed: int) -> None:
        self._seed, self._bound = seed, np.iinfo(np.uint64).max
        self._kept: list[GraphCollection] = []
        self._n_rows = 0

    def add(self, graphs: GraphCollection) -> None:
        """Add graphs, and leave some out where they are too many."""
        is_low = sample_order(graphs, self._seed) <= self._bound
        # A copy: slices of a collection hold all of it.
        self._kept.append(graphs if is_low.all() else graphs[is_low])
        self._n_rows += self._kept[-1].n_nodes + self._kept[-1].n_edges
        if self._n_rows > 1.5 * SAMPLE_ROWS:
            self._shrink()

    def graphs(self) -> GraphCollection:
        """The sample."""
        if self._n_rows > SAMPLE_ROWS:
            self._shrink()
        if len(self._kept) > 1:
            self._kept = [concatenate_graphs(self._kept)]
        return self._kept[0]

    def _shrink(self) -> None:
        graphs = concatenate_graphs(self._kept)
        numbers = sample_order(graphs, self._seed)
        order = np.argsort(numbers, kind="stable")
        sizes = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)
        # One graph at least, however large it is.
        n_kept = max(1, int((np.cumsum(sizes[order]) <= SAMPLE_ROWS).sum()))
        self._bound = numbers[order[n_kept - 1]]
        kept = graphs.take(np.sort(order[:n_kept]))
        self._kept, self._n_rows = [kept], kept.n_nodes + kept.n_edges


def sample_sources(
    sources: Iterable[Any], rule: CategoricalRule, seed: int
) -> TrainingGraphs:
    """Learn from sources, of which one at a time is in memory.

    Parameters
    ----------
    sources : iterable
        See :func:`skshake.sources._sources.read_source`.
    rule : str, bool or iterable of str
        Which features are categories.
    seed : int

    Raises
    ------
    ValueError
        If a source cannot be read, or has other features than the first; it is named.
    """
    sample, first, n_graphs, n_nodes = _Sample(seed), None, 0, 0
    known: tuple[Vocabulary, Vocabulary] | None = None
    for source in sources:
        given = read_source(source, rule).graphs
        graphs = _describe(given)
        if first is None:
            first, has_node_features = graphs[:0], graphs is given
        try:
            graphs = _match(graphs, first)
        except InvalidGraphError as error:
            raise name_source(error, source) from error
        found = _learn_vocabularies(graphs)
        known = found if known is None else _join_all(known, found)
        n_graphs, n_nodes = n_graphs + len(graphs), n_nodes + graphs.n_nodes
        sample.add(graphs)
    if known is None:
        raise InvalidGraphError("expected at least one source of graphs, got none")
    return TrainingGraphs(sample.graphs(), has_node_features, n_graphs, n_nodes, known)


def _join_all(
    first: tuple[Vocabulary, Vocabulary], second: tuple[Vocabulary, Vocabulary]
) -> tuple[Vocabulary, Vocabulary]:
    return _join(first[0], second[0]), _join(first[1], second[1])


def _match(graphs: GraphCollection, first: GraphCollection) -> GraphCollection:
    """The graphs with features like those of the first source."""
    nodes, edges = (
        match_features(what, given, fitted.fields)
        for what, given, fitted in (
            ("node", graphs.node_features, first.node_features),
            ("edge", graphs.edge_features, first.edge_features),
        )
    )
    if nodes is graphs.node_features and edges is graphs.edge_features:
        return graphs
    return replace(graphs, node_features=nodes, edge_features=edges)
