"""GraphInputMixin: what transformers of graphs do alike with what they are given.

In: a list of graphs, and what ``fit`` has learnt of their features. Out: graphs with
the same features, or an error that names the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skshake._warnings import warn_user
from skshake.graphs import (
    NO_NAMES,
    Features,
    GraphCollection,
    GraphProblem,
    GraphsLike,
    InvalidGraphError,
    as_graphs,
    as_list,
    check_items,
    check_rule,
    name_graph,
)
from skshake.hierarchy import (
    CategoryWarning,
    Doubt,
    Vocabulary,
    describe_doubts,
    doubt_categories,
    doubt_unseen,
)


class GraphInputMixin:
    """Read, compare and check graphs; for classes with ``categorical_features``."""

    categorical_features: Any
    # There once graphs can be compared with those of ``fit``.
    _fitted_attribute: ClassVar[str]

    def check(self, X: GraphsLike) -> list[GraphProblem]:
        """Find all graphs that cannot be read, and why, before they are transformed.

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
        rule = check_rule(self.categorical_features)
        match = self._check_fit if hasattr(self, self._fitted_attribute) else None
        return check_items(as_list(X), rule, NO_NAMES, match)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        return tags

    def _read(self, X: GraphsLike) -> GraphCollection:
        """Graphs with the features of the training graphs."""
        check_is_fitted(self)
        items = as_list(X)
        graphs = as_graphs(items, categorical_features=self.categorical_features)
        try:
            return self._match_features(graphs)
        except InvalidGraphError as error:
            rule = check_rule(self.categorical_features)
            raise name_graph(error, items, rule, self._match_features) from error

    def _check_fit(self, graphs: GraphCollection) -> None:
        """Refuse graphs that ``transform`` would refuse."""
        self._match_features(graphs)

    def _match_features(self, graphs: GraphCollection) -> GraphCollection:
        """Check the features of new graphs against those of training graphs."""
        raise NotImplementedError

    def _given(
        self, nodes: Features, edges: Features
    ) -> Iterable[tuple[Features, Vocabulary]]:
        """Features that the user gave, each with the categories of ``fit``."""
        raise NotImplementedError

    def _warn_of_categories(self, nodes: Features, edges: Features) -> None:
        """Warn of categories that are rather numbers, or identifiers."""
        rule = check_rule(self.categorical_features)
        doubts = [
            doubt
            for given, vocabulary in self._given(nodes, edges)
            for doubt in doubt_categories(
                given.fields,
                vocabulary,
                given.categories,
                is_guessed=rule == "from_dtype",
            )
        ]
        self._warn_of(doubts, nodes, edges)

    def _warn_of_unseen(self, nodes: Features, edges: Features) -> None:
        """Warn of features of which ``fit`` has seen hardly any category."""
        doubts = [
            doubt
            for given, vocabulary in self._given(nodes, edges)
            for doubt in doubt_unseen(given.fields, vocabulary, given.categories)
        ]
        self._warn_of(doubts, nodes, edges)

    def _warn_of(self, doubts: list[Doubt], nodes: Features, edges: Features) -> None:
        given = self._given(nodes, edges)
        fields = [field for features, _ in given for field in features.fields]
        for message in describe_doubts(doubts, fields):
            warn_user(message, CategoryWarning)
