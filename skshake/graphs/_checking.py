"""check_graphs: which graphs of a list cannot be read, and why.

In: what as_graphs takes. Out: a record per graph that it would refuse, in one pass over
the graphs; nothing but the reading itself where all is well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skshake.graphs._check_schema import difference
from skshake.graphs._collate import collate
from skshake.graphs._collection import GraphCollection
from skshake.graphs._convert import (
    as_graphs,
    as_list,
    attribute_names,
    check_attributes,
    fill_in,
    read_one,
)
from skshake.graphs._errors import GraphProblem, InvalidGraphError, problems_of
from skshake.graphs._features import CategoricalRule, Field, check_names, check_rule
from skshake.graphs._merging import from_arcs
from skshake.graphs._records import NO_NAMES, AttributeNames, GraphRecord, count_arcs
from skshake.graphs._types import GraphsLike

# Graphs that are read together, before those of a group with a fault are read alone.
GROUP_SIZE = 64
# Compares a collection with what was fitted; raises InvalidGraphError.
Match = Callable[[GraphCollection], Any]


def check_graphs(
    graphs: GraphsLike,
    *,
    categorical_features: CategoricalRule = "from_dtype",
    node_attrs: Iterable[str] | None = None,
    edge_attrs: Iterable[str] | None = None,
    weight: str | None = "weight",
    defaults: Mapping[str, Any] | None = None,
    directed: bool | None = None,
) -> list[GraphProblem]:
    """Find all graphs that :func:`skshake.as_graphs` would refuse, and why.

    Where nothing is wrong this takes as long as reading the graphs, and else a few
    times as long, always in proportion to their number. To compare with the graphs of
    ``fit``, use the method ``check`` of a fitted estimator.

    Parameters
    ----------
    graphs : iterable of graphs
        Anything that :func:`skshake.as_graphs` reads.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        Which features are categories; as all that follow, see
        :func:`skshake.as_graphs`.
    node_attrs, edge_attrs : iterable of str, default=None
        Attributes to read.
    weight : str or None, default="weight"
        Attribute that holds the weight.
    defaults : dict, default=None
        Values where a node or edge lacks an attribute.
    directed : bool or None, default=None
        Whether what directions say is kept as features.

    Returns
    -------
    problems : list of GraphProblem
        One ``(graph, field, message)`` per graph that cannot be read, by position, with
        what is found first; empty if all can. What most graphs have (of equally many,
        the first) decides which features are expected of all. The others, in their
        order, are a list that :func:`skshake.as_graphs` reads.

    Raises
    ------
    InvalidGraphError
        If no list of graphs comes.
    TypeError, ValueError
        If names of attributes are no lists, or no graph has them.

    See Also
    --------
    as_graphs : Read graphs, or raise an error about the first that is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import check_graphs
    >>> path = {"edge_index": [[0, 1], [1, 2]], "num_nodes": 3}
    >>> for problem in check_graphs([path, {**path, "num_nodes": 2}, np.ones((2, 3))]):
    ...     print(problem.graph, problem.field)
    1 edge_index
    2 adjacency
    """
    rule = check_rule(categorical_features)
    names = attribute_names(node_attrs, edge_attrs, weight, defaults, directed)
    return check_items(as_list(graphs), rule, names)


def check_items(
    items: Sequence[Any],
    rule: CategoricalRule,
    names: AttributeNames,
    match: Match | None = None,
) -> list[GraphProblem]:
    """Problems of all graphs of a list or collection, see :func:`check_graphs`.

    ``match`` compares a collection with fitted features, which then decide.
    """
    try:
        _match_all(
            as_graphs(items, categorical_features=rule, **names._asdict()), match
        )
    except InvalidGraphError:
        return problems_of(_find_errors(items, rule, names, match))
    return []


def name_graph(
    error: InvalidGraphError,
    items: Iterable[Any],
    rule: CategoricalRule,
    match: Match,
) -> InvalidGraphError:
    """The error of the first graph that does not match, given that of all together."""
    for i, item in enumerate(items):
        try:
            _read_group([0], {0: read_one(item, NO_NAMES)}, rule, match, False)
        except InvalidGraphError as alone:
            return alone.at(i)
    return error


def _find_errors(
    items: Sequence[Any],
    rule: CategoricalRule,
    names: AttributeNames,
    match: Match | None,
) -> Iterator[InvalidGraphError]:
    """Errors graph by graph: of reading, then of graphs alone, then of all."""
    records: dict[int, GraphRecord] = {}
    known: dict[type, Any] = {}
    for i, item in enumerate(items):
        try:
            record = read_one(item, names, known)
            count_arcs(record.edge_index)
        except InvalidGraphError as error:
            yield error.at(i)
        else:
            records[i] = record
    fill_in(list(records.values()), names.defaults)
    directed = bool(names.directed)
    fields: dict[int, _Fields] = {}
    refused: dict[int, InvalidGraphError] = {}
    for group in _groups(list(records), GROUP_SIZE):
        try:
            fields |= _read_group(group, records, rule, match, directed)
        except InvalidGraphError:
            for i in group:
                try:
                    fields |= _read_group([i], records, rule, match, directed)
                except InvalidGraphError as error:
                    refused[i] = error
    # Integers that are refused as categories may be numbers among the others.
    group_rule = _rule_of(fields.values(), rule)
    forgiven: dict[int, InvalidGraphError] = {}
    for i, first in refused.items():
        try:
            fields |= _read_group([i], records, group_rule, match, directed)
        except InvalidGraphError:
            yield first.at(i)
        else:
            forgiven[i] = first
    for what in _Fields._fields:
        for i, other in _disagreements(what, fields).items():
            del fields[i]
            yield other.at(i)
    left = {i: records[i] for i in sorted(fields)}
    yield from _check_rest(left, forgiven, rule, names, match)


def _match_all(graphs: GraphCollection, match: Match | None) -> None:
    if match is not None:
        match(graphs)


class _Fields(NamedTuple):
    """Fields of the nodes and of the edges of a graph; None where there are none."""

    node: tuple[Field, ...] | None
    edge: tuple[Field, ...] | None


def _groups(places: list[int], size: int) -> Iterator[list[int]]:
    """Consecutive parts of a list."""
    return (places[k : k + size] for k in range(0, len(places), size))


def _read_group(
    places: list[int],
    records: Mapping[int, GraphRecord],
    rule: CategoricalRule,
    match: Match | None,
    directed: bool,
) -> dict[int, _Fields]:
    """Fields of some graphs, read as if they were all there are."""
    collated = collate([records[i] for i in places], rule)
    _match_all(from_arcs(*collated, directed=directed), match)
    nodes, edges = collated.node_features.fields, collated.arc_features.fields
    return {
        i: _Fields(nodes if n else None, edges if m else None)
        for i, n, m in zip(places, collated.n_nodes, collated.n_arcs, strict=True)
    }


def _rule_of(fields: Iterable[_Fields], rule: CategoricalRule) -> CategoricalRule:
    """Categories that are categories in every graph, where types decide."""
    if not isinstance(rule, str):
        return rule
    found = {
        field
        for of_graph in set(fields)
        for part in of_graph
        if part is not None
        for field in part
    }
    numbers = {field.name for field in found if not field.is_categorical}
    return sorted({field.name for field in found} - numbers)


def _disagreements(
    what: str, fields_of: dict[int, _Fields]
) -> dict[int, InvalidGraphError]:
    """Graphs whose fields are not those of most; graphs without rows have any."""
    fields = {
        i: tuple(map(_common, found))
        for i, of_graph in fields_of.items()
        if (found := getattr(of_graph, what)) is not None
    }
    if not fields:
        return {}
    # In the order of positions, so that the first of equals wins.
    usual = Counter(fields[i] for i in sorted(fields)).most_common(1)[0][0]
    first = next(i for i in sorted(fields) if fields[i] == usual)
    errors = {}
    for i, came in fields.items():
        if came != usual:
            said = difference(came, usual)
            errors[i] = InvalidGraphError(
                f"the {what} features are {said.came}, but those of graph {first} and "
                f"most others are {said.expected}{said.hints}",
                field=said.field,
            )
    return errors


def _common(field: Field) -> Field:
    """What graphs must agree about: integers and floats are both numbers."""
    return field._replace(is_categorical=field.is_text)


def _check_rest(
    records: dict[int, GraphRecord],
    forgiven: dict[int, InvalidGraphError],
    rule: CategoricalRule,
    names: AttributeNames,
    match: Match | None,
) -> Iterator[InvalidGraphError]:
    """Read what is left together, as as_graphs will.

    ``forgiven`` are graphs that only another rule could read, and what was wrong with
    them by themselves.
    """
    places = list(records)
    while places:
        try:
            check_attributes([records[i] for i in places], names)
            collated = collate([records[i] for i in places], rule)
            check_names(rule, collated.node_features, collated.arc_features)
            directed = bool(names.directed)
            _match_all(from_arcs(*collated, directed=directed), match)
        except InvalidGraphError as error:
            if error.graph is not None:
                yield error.at(places.pop(error.graph))
                continue
            # Of all graphs together: others cannot be what is wrong.
            strangers = [i for i in places if i in forgiven]
            if not strangers:
                raise
            yield from (forgiven[i].at(i) for i in strangers)
            places = [i for i in places if i not in forgiven]
        else:
            return
