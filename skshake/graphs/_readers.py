"""The reader of each kind of object that users call a graph.

In: one object. Out: a function that makes a :class:`GraphRecord` of it. Kinds are
recognised without importing the library they come from; others can be registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from skshake._as_array import is_from
from skshake.graphs._collection import Graph
from skshake.graphs._directions import check_directions
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._molecules import read_molecule
from skshake.graphs._names import Names
from skshake.graphs._read_adjacency import read_adjacency
from skshake.graphs._read_attributes import read_igraph, read_networkx
from skshake.graphs._read_dictionary import read_labelled_ogb, read_ogb
from skshake.graphs._read_pyg import PYG_OTHERS, read_pyg
from skshake.graphs._records import (
    AttributeNames,
    GraphRecord,
    Reader,
    chosen_columns,
    chosen_of_array,
    columns_of,
)
from skshake.graphs._types import GraphLike


def read_view(graph: Graph, names: AttributeNames) -> GraphRecord:
    """A graph of some GraphCollection."""
    if names.directed:
        check_directions(graph.node_features)
    given = graph.collection.given_names or Names()
    nodes, edges = map(columns_of, (graph.node_features, graph.edge_features))
    return GraphRecord(
        graph.n_nodes,
        graph.edges.T,
        chosen_columns(
            "node", nodes, names.node_attrs, graph.n_nodes, defaults=names.defaults
        ),
        chosen_columns(
            "edge", edges, names.edge_attrs, len(graph.edges), defaults=names.defaults
        ),
        graph.edge_weight,
        name=None if given.graphs is None else graph.name,
        node_names=None if given.nodes is None else graph.node_names.tolist(),
    )


def read_rdkit(graph: Any, names: AttributeNames) -> GraphRecord:
    """An rdkit molecule, with OGB's atom and bond features."""
    atoms, bonds, ends = read_molecule(graph)
    return GraphRecord(
        len(atoms),
        ends,
        chosen_of_array("node", "x", {"x": atoms}, len(atoms), names),
        chosen_of_array("edge", "edge_attr", {"edge_attr": bonds}, len(bonds), names),
        None,
        is_directed=False,
    )


def _is_matrix(graph: Any) -> bool:
    return sparse.issparse(graph) or (
        isinstance(graph, np.ndarray) and graph.ndim == 2 and graph.dtype.kind in "biuf"
    )


def _is_pandas(thing: Any) -> bool:
    """Whether it is a table or a row of one, which has a ``to_dict`` of its own."""
    return type(thing).__module__.partition(".")[0] in ("pandas", "polars")


# Functions that make something that is read here of objects of users' classes.
_CONVERTERS: dict[type, Callable[[Any], GraphLike]] = {}


def register_reader(graph_type: type, convert: Callable[[Any], GraphLike]) -> None:
    """Read objects of a class as graphs, wherever graphs are read.

    Parameters
    ----------
    graph_type : type
        Objects of it, or of classes that derive from it, are graphs from now on. A
        class that is registered again gets the new function.
    convert : callable
        Makes of one object a graph of another kind that :func:`skshake.as_graphs`
        reads, such as ``(adjacency, x, edge_attr)`` or a dictionary with
        ``edge_index``, ``num_nodes`` and any attributes.

    Raises
    ------
    TypeError
        If no class or no function comes.

    Notes
    -----
    Other processes know of it if they import the module that registers: best register
    in the module of the class, which is imported wherever objects of it come from a
    pickle.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import as_graphs, register_reader
    >>> class Ring:
    ...     def __init__(self, n_nodes):
    ...         self.n_nodes = n_nodes
    >>> def read_ring(ring):
    ...     ends = [[i, (i + 1) % ring.n_nodes] for i in range(ring.n_nodes)]
    ...     return {"edge_index": np.transpose(ends), "num_nodes": ring.n_nodes}
    >>> register_reader(Ring, read_ring)
    >>> as_graphs([Ring(3), Ring(5)])
    <GraphCollection of 2 graphs: 8 nodes, 8 edges, 0 node and 0 edge features>
    """
    if not isinstance(graph_type, type) or not callable(convert):
        raise TypeError(
            f"expected a class and a function that reads it, got {graph_type!r} and "
            f"{convert!r}"
        )
    _CONVERTERS[graph_type] = convert


def _read_converted(graph: Any, names: AttributeNames) -> GraphRecord:
    """An object of a registered class, by the class that is closest to its own."""
    cls = next(base for base in type(graph).__mro__ if base in _CONVERTERS)
    converted = _CONVERTERS[cls](graph)
    reader = _find_own_reader(converted)
    if reader is None:
        raise InvalidGraphError(
            f"is a {type(graph).__name__}, which the registered function makes a "
            f"{type(converted).__name__}; expected a graph of a kind that is known"
        )
    return reader(converted, names)


def find_reader(graph: Any) -> Reader | None:
    """Reader for an object, None if it is nothing that we call a graph."""
    if _CONVERTERS and isinstance(graph, tuple(_CONVERTERS)):
        return _read_converted
    return _find_own_reader(graph)


def _find_own_reader(graph: Any) -> Reader | None:
    """Reader for an object of the kinds that need not be registered."""
    if isinstance(graph, Graph):
        return read_view
    if hasattr(graph, "to_dict") and not _is_pandas(graph):
        for module, name, reader in PYG_OTHERS:
            if is_from(graph, module, name):
                return reader
        if hasattr(graph, "edge_index"):
            return read_pyg
    if isinstance(graph, Mapping) and "edge_index" in graph:
        return read_ogb
    if is_from(graph, "networkx", "Graph"):
        return read_networkx
    if is_from(graph, "igraph", "Graph"):
        return read_igraph
    if is_from(graph, "rdkit.Chem", "Mol"):
        return read_rdkit
    if _is_matrix(graph):
        return read_adjacency
    if isinstance(graph, tuple) and graph and _is_matrix(graph[0]):
        return read_adjacency
    if isinstance(graph, tuple) and graph and _find_own_reader(graph[0]) is read_ogb:
        return read_labelled_ogb
    return None
