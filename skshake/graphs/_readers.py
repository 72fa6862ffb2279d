"""The reader of each kind of object that users call a graph.

In: one object. Out: a function that makes a :class:`GraphRecord` of it. Kinds are
recognised without importing the library they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from skshake._as_array import is_from
from skshake.graphs._collection import Graph
from skshake.graphs._molecules import read_molecule
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


def read_view(graph: Graph, names: AttributeNames) -> GraphRecord:
    """A graph of some GraphCollection."""
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
    )


def _is_matrix(graph: Any) -> bool:
    return sparse.issparse(graph) or (
        isinstance(graph, np.ndarray) and graph.ndim == 2 and graph.dtype.kind in "biuf"
    )


def _is_pandas(thing: Any) -> bool:
    """Whether it is a table or a row of one, which has a ``to_dict`` of its own."""
    return type(thing).__module__.partition(".")[0] in ("pandas", "polars")


def find_reader(graph: Any) -> Reader | None:
    """Reader for an object, None if it is nothing that we call a graph."""
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
    if isinstance(graph, tuple) and graph and find_reader(graph[0]) is read_ogb:
        return read_labelled_ogb
    return None
