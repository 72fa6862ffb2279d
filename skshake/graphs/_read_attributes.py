"""Readers of networkx and igraph: graphs whose nodes and edges carry dictionaries.

In: a graph of either library. Out: a :class:`GraphRecord`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from skshake._as_array import as_array
from skshake.graphs._errors import InvalidGraphError, Naming
from skshake.graphs._ids import join_integers
from skshake.graphs._named_columns import Columns
from skshake.graphs._records import AttributeNames, GraphRecord

# Attributes that are the ids of igraph's vertices, its own and networkx's.
IGRAPH_IDS = ("name", "_nx_name")


class _Rows(NamedTuple):
    """Nodes or edges with their attributes, those of None left out."""

    what: str
    keys: list[Any]
    attributes: list[dict]


def _rows(what: str, keys: list[Any], attributes: Iterable[Mapping]) -> _Rows:
    known = [
        {name: value for name, value in row.items() if value is not None}
        for row in attributes
    ]
    return _Rows(what, keys, known)


def _attribute_columns(
    rows: _Rows,
    wanted: Iterable[str] | None,
    skipped: tuple[str | None, ...],
    defaults: Mapping[str, Any],
) -> Columns:
    """One array per attribute; each row must have it, or get its default."""
    if wanted is None:
        every = {name: None for attributes in rows.attributes for name in attributes}
        wanted = [name for name in every if name not in skipped]
    columns: Columns = {}
    for name in sorted(wanted, key=str):
        found = _column(rows, name, defaults)
        if columns.keys() & found.keys():
            raise InvalidGraphError(
                f"{rows.what} attribute {name!r}: expected a name of its own, got a "
                "second attribute that reads the same",
                field=str(name),
            )
        columns |= found
    return columns


def _column(
    rows: _Rows, name: Any, defaults: Mapping[str, Any], is_weight: bool = False
) -> Columns:
    """Values of one attribute, one row each; records give a column per field."""
    if name in defaults:
        found = [row.get(name, defaults[name]) for row in rows.attributes]
    else:
        for key, attributes in zip(rows.keys, rows.attributes, strict=True):
            if name not in attributes:
                advice = f"choose with as_graphs({rows.what}_attrs=[...])"
                if is_weight:
                    advice = (
                        "read no weights with as_graphs(weight=None, edge_attrs=[])"
                    )
                raise InvalidGraphError(
                    f"{rows.what} {key!r} has no attribute {name!r}; give every "
                    f"{rows.what} this attribute, {advice}, or fill in with "
                    f"as_graphs(defaults={{{name!r}: ...}})",
                    field=str(name),
                )
        found = [attributes[name] for attributes in rows.attributes]
    with Naming(str(name), what=f"{rows.what} attribute {name!r}"):
        values = [as_array(value) for value in found]
    return _stacked(rows, str(name), values)


def _stacked(rows: _Rows, name: str, values: list[np.ndarray]) -> Columns:
    """Equally shaped values as one array, each field of records as one of its own."""
    what = f"{rows.what} attribute {name!r}"
    types, shapes = ({getattr(v, part) for v in values} for part in ("dtype", "shape"))
    fields = {frozenset(dtype.names or ()) for dtype in types}
    if len(fields) > 1:
        names = sorted(map(sorted, fields))
        raise InvalidGraphError(
            f"{what}: expected records of the same fields, got {names}", field=name
        )
    if len(shapes) > 1:
        raise InvalidGraphError(
            f"{what}: expected one shape, got {sorted(shapes)}", field=name
        )
    columns: Columns = {}
    for field in sorted(next(iter(fields), ())):
        columns |= _stacked(rows, f"{name}.{field}", [value[field] for value in values])
    if columns:
        return columns
    if () in shapes and any(dtype.kind == "O" for dtype in types):
        k = next(k for k, value in enumerate(values) if value.dtype.kind == "O")
        raise InvalidGraphError(
            f"{what}: expected a number, a string or a vector, got "
            f"{type(values[k].item()).__name__} at {rows.what} {rows.keys[k]!r}",
            field=name,
        )
    if len({dtype.kind in "US" for dtype in types}) > 1:
        raise InvalidGraphError(
            f"{what}: expected either strings or numbers, got both", field=name
        )
    joined = np.array(values)
    kinds = {dtype.kind for dtype in types}
    if joined.dtype.kind == "f" and {"i", "u"} <= kinds <= {"i", "u", "b"}:
        joined = join_integers([value[None] for value in values])
    return {name: joined}


def _weights(edges: _Rows, name: str, defaults: Mapping[str, Any]) -> np.ndarray:
    """Values of the attribute that is the weight."""
    columns = _column(edges, name, defaults, is_weight=True)
    if list(columns) != [name]:
        raise InvalidGraphError(
            f"edge weight {name!r}: expected numbers, got records with the fields "
            f"{sorted(columns)}",
            field=name,
        )
    return columns[name]


def _read_attributed(
    ends: list[tuple[int, int]],
    nodes: _Rows,
    edges: _Rows,
    names: AttributeNames,
    is_directed: bool,
    ids: tuple[str, ...] = (),
) -> GraphRecord:
    """A graph whose nodes and edges carry dictionaries of attributes.

    ``ids`` are attributes of nodes that are their names.
    """
    weight, defaults = None, names.defaults
    is_weighted = names.weight in defaults or any(
        names.weight in row for row in edges.attributes
    )
    if names.weight is not None and is_weighted:
        weight = _weights(edges, names.weight, defaults)
    return GraphRecord(
        len(nodes.keys),
        np.array(ends, np.int64).reshape(-1, 2).T,
        _attribute_columns(nodes, names.node_attrs, ids, defaults),
        _attribute_columns(edges, names.edge_attrs, (names.weight,), defaults),
        weight,
        is_directed=is_directed,
    )


def read_networkx(graph: Any, names: AttributeNames) -> GraphRecord:
    """A networkx Graph, DiGraph, MultiGraph or MultiDiGraph with any hashable ids."""
    nodes = _rows("node", list(graph), [row for _, row in graph.nodes(data=True)])
    position = {node: i for i, node in enumerate(nodes.keys)}
    links = list(graph.edges(data=True))
    ends = [(position[u], position[v]) for u, v, _ in links]
    edges = _rows("edge", [(u, v) for u, v, _ in links], [row for *_, row in links])
    record = _read_attributed(ends, nodes, edges, names, graph.is_directed())
    is_numbered = nodes.keys == list(range(len(nodes.keys)))
    return record._replace(
        name=graph.graph.get("name") or None,
        node_names=None if is_numbered else nodes.keys,
    )


def read_igraph(graph: Any, names: AttributeNames) -> GraphRecord:
    """An igraph Graph."""
    ends = graph.get_edgelist()
    vertices = [vertex.attributes() for vertex in graph.vs]
    nodes = _rows("node", list(range(len(vertices))), vertices)
    edges = _rows("edge", ends, [edge.attributes() for edge in graph.es])
    record = _read_attributed(
        ends, nodes, edges, names, graph.is_directed(), IGRAPH_IDS
    )
    own = [name for name in IGRAPH_IDS if name in graph.vs.attributes()]
    return record._replace(
        name=graph["name"] if "name" in graph.attributes() else None,
        node_names=graph.vs[own[0]] if own else None,
    )
