"""One reader per kind of object that users call a graph.

In: one object. Out: a :class:`GraphRecord` of plain arrays, not yet checked against
its companions. Kinds are recognised without importing the library they come from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skshake.graphs._collection import Graph
from skshake.graphs._features import TEXT_CODE, Features
from skshake.graphs._ids import join_integers
from skshake.graphs._molecules import read_molecule

# Arrays, or torch tensors: those of all graphs are joined before they are converted.
Columns = dict[str, Any]


class GraphRecord(NamedTuple):
    """One graph as read: directed rows, named columns.

    ``edge_index`` has shape (2, n_rows), source and target; ``node_columns`` and
    ``edge_columns`` hold one array per attribute, with one row per node and per column
    of ``edge_index``; ``edge_weight`` is None when all weigh 1.
    """

    n_nodes: int
    edge_index: Any
    node_columns: Columns
    edge_columns: Columns
    edge_weight: Any


class AttributeNames(NamedTuple):
    """Which attributes of networkx and igraph graphs are read; None means every one.

    ``defaults`` holds what stands in for an attribute that a node or edge lacks.
    """

    node_attrs: Iterable[str] | None
    edge_attrs: Iterable[str] | None
    weight: str | None
    defaults: Mapping[str, Any]


# Attributes that are the ids of igraph's vertices, its own and networkx's.
IGRAPH_IDS = ("name", "_nx_name")
NO_ARCS = np.empty((2, 0), np.int64)

Reader = Callable[[Any, AttributeNames], GraphRecord]


def as_array(values: Any) -> np.ndarray:
    """Numpy array of anything array-like, torch tensors included."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    if sparse.issparse(values):
        raise TypeError("expected a dense array, got a scipy sparse one; use toarray()")
    return np.asarray(values)


def join(parts: list[Any], axis: int = 0) -> np.ndarray:
    """Concatenate arrays or tensors into one array."""
    try:
        # Tensors on the CPU share their memory; this is the fastest way to join them.
        arrays = [part.numpy() for part in parts]
    except (AttributeError, RuntimeError, TypeError):
        arrays = [as_array(part) for part in parts]
    return np.concatenate(arrays, axis)


def _given(name: str, values: Any) -> Columns:
    """The columns of one name, none if they are not there."""
    return {} if values is None else {name: values}


def read_pyg(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Data``: edge_index, x, edge_attr, edge_weight, num_nodes."""
    # The public ``to_dict`` also infers num_nodes, which costs more than all the rest.
    store = graph._store._mapping if hasattr(graph, "_store") else graph.to_dict()
    if "edge_index" not in store and "adj_t" in store:
        raise ValueError(
            "expected edge_index, got adj_t; leave the transform ToSparseTensor out"
        )
    x, n_nodes = store.get("x"), store.get("num_nodes")
    if n_nodes is None:
        if x is None and not len(store.get("edge_index", ())):
            raise ValueError("num_nodes: needed for a Data without x and without edges")
        n_nodes = graph.num_nodes if x is None else x.shape[0]
    return GraphRecord(
        int(n_nodes),
        store.get("edge_index", NO_ARCS),
        _given("x", x),
        _given("edge_attr", store.get("edge_attr")),
        store.get("edge_weight"),
    )


def read_ogb(graph: Mapping, names: AttributeNames) -> GraphRecord:
    """An OGB dictionary: edge_index, num_nodes, node_feat, edge_feat."""
    for key in ("edge_index", "num_nodes"):
        if key not in graph:
            raise ValueError(f"a dictionary needs the key {key!r}, got {list(graph)}")
    return GraphRecord(
        int(graph["num_nodes"]),
        graph["edge_index"],
        _given("x", graph.get("node_feat")),
        _given("edge_attr", graph.get("edge_feat")),
        graph.get("edge_weight"),
    )


def read_labelled_ogb(graph: tuple, names: AttributeNames) -> GraphRecord:
    """An item (graph, label) of an OGB dataset; labels are not read here."""
    return read_ogb(graph[0], names)


def read_view(graph: Graph, names: AttributeNames) -> GraphRecord:
    """A graph of some GraphCollection."""
    return GraphRecord(
        graph.n_nodes,
        graph.edges.T,
        _columns_of(graph.node_features),
        _columns_of(graph.edge_features),
        graph.edge_weight,
    )


def _columns_of(features: Features) -> Columns:
    """Columns by name, codes of strings marked as such."""
    columns: Columns = features.columns()
    for field in features.fields:
        if field.is_text:
            columns[field.name] = columns[field.name].copy().view(TEXT_CODE)
    return columns


def _stored_entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the stored entries, in CSR order."""
    if not sparse.issparse(matrix):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64), matrix.data


def read_adjacency(graph: Any, names: AttributeNames) -> GraphRecord:
    """A scipy sparse or square numpy adjacency; or (adjacency, x[, edge_attr])."""
    adjacency, x, edge_attr = graph, None, None
    if isinstance(graph, tuple):
        if len(graph) not in (2, 3):
            raise ValueError(
                "a tuple must be (adjacency, x) or (adjacency, x, edge_attr), got "
                f"{len(graph)} items"
            )
        adjacency, x, edge_attr = (*graph, None)[:3]
    matrix = adjacency if sparse.issparse(adjacency) else as_array(adjacency)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"adjacency: expected a square matrix, got {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"adjacency: expected numbers, got dtype {matrix.dtype}")
    source, target, weight = _stored_entries(matrix)
    if edge_attr is not None:
        rows = as_array(edge_attr)
        is_upper = source < target
        if len(rows) == is_upper.sum() != len(source):
            # One row per undirected edge: the upper triangle alone says everything.
            matrix = sparse.csr_array((weight, (source, target)), matrix.shape)
            if (matrix != matrix.T).nnz:
                raise ValueError(
                    "edge_attr: one row per undirected edge needs a symmetric "
                    f"adjacency; give one row per stored entry ({len(source)})"
                )
            source, target, weight = (
                source[is_upper],
                target[is_upper],
                weight[is_upper],
            )
        elif len(rows) != len(source):
            raise ValueError(
                f"edge_attr: expected {is_upper.sum()} rows (entries of the upper "
                f"triangle) or {len(source)} (stored entries), got {len(rows)}"
            )
        edge_attr = rows
    return GraphRecord(
        matrix.shape[0],
        np.stack([source, target]),
        _given("x", x),
        _given("edge_attr", edge_attr),
        weight,
    )


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
    columns = {}
    for name in sorted(wanted, key=str):
        columns[str(name)] = _column(rows, name, defaults)
    return columns


def _column(
    rows: _Rows, name: Any, defaults: Mapping[str, Any], is_weight: bool = False
) -> np.ndarray:
    """Values of one attribute, one row each."""
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
                raise ValueError(
                    f"{rows.what} {key!r} has no attribute {name!r}; give every "
                    f"{rows.what} this attribute, {advice}, or fill in with "
                    f"as_graphs(defaults={{{name!r}: ...}})"
                )
        found = [attributes[name] for attributes in rows.attributes]
    values = [as_array(value) for value in found]
    if len({value.shape for value in values}) > 1:
        shapes = sorted({value.shape for value in values})
        raise ValueError(
            f"{rows.what} attribute {name!r}: expected one shape, got {shapes}"
        )
    if len({value.dtype.kind in "US" for value in values}) > 1:
        raise TypeError(
            f"{rows.what} attribute {name!r}: expected either strings or numbers, got "
            "both"
        )
    joined = np.array(values)
    if joined.dtype.kind == "f" and all(v.dtype.kind in "iub" for v in values):
        return join_integers([value[None] for value in values])
    return joined


def _read_attributed(
    ends: list[tuple[int, int]],
    nodes: _Rows,
    edges: _Rows,
    names: AttributeNames,
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
        weight = _column(edges, names.weight, defaults, is_weight=True)
    return GraphRecord(
        len(nodes.keys),
        np.array(ends, np.int64).reshape(-1, 2).T,
        _attribute_columns(nodes, names.node_attrs, ids, defaults),
        _attribute_columns(edges, names.edge_attrs, (names.weight,), defaults),
        weight,
    )


def read_networkx(graph: Any, names: AttributeNames) -> GraphRecord:
    """A networkx Graph, DiGraph, MultiGraph or MultiDiGraph with any hashable ids."""
    nodes = _rows("node", list(graph), [row for _, row in graph.nodes(data=True)])
    position = {node: i for i, node in enumerate(nodes.keys)}
    links = list(graph.edges(data=True))
    ends = [(position[u], position[v]) for u, v, _ in links]
    edges = _rows("edge", [(u, v) for u, v, _ in links], [row for *_, row in links])
    return _read_attributed(ends, nodes, edges, names)


def read_igraph(graph: Any, names: AttributeNames) -> GraphRecord:
    """An igraph Graph."""
    ends = graph.get_edgelist()
    vertices = [vertex.attributes() for vertex in graph.vs]
    nodes = _rows("node", list(range(len(vertices))), vertices)
    edges = _rows("edge", ends, [edge.attributes() for edge in graph.es])
    return _read_attributed(ends, nodes, edges, names, IGRAPH_IDS)


def read_rdkit(graph: Any, names: AttributeNames) -> GraphRecord:
    """An rdkit molecule, with OGB's atom and bond features."""
    atoms, bonds, ends = read_molecule(graph)
    return GraphRecord(len(atoms), ends, {"x": atoms}, {"edge_attr": bonds}, None)


def _is_from(graph: Any, module: str, name: str) -> bool:
    """Whether an object is of a class of a module, which is not imported for it."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(graph, getattr(loaded, name, ()))


def _is_matrix(graph: Any) -> bool:
    return sparse.issparse(graph) or (
        isinstance(graph, np.ndarray) and graph.ndim == 2 and graph.dtype.kind in "biuf"
    )


def find_reader(graph: Any) -> Reader | None:
    """Reader for an object, None if it is nothing that we call a graph."""
    if isinstance(graph, Graph):
        return read_view
    if hasattr(graph, "to_dict") and hasattr(graph, "edge_index"):
        return read_pyg
    if isinstance(graph, Mapping) and "edge_index" in graph:
        return read_ogb
    if _is_from(graph, "networkx", "Graph"):
        return read_networkx
    if _is_from(graph, "igraph", "Graph"):
        return read_igraph
    if _is_from(graph, "rdkit.Chem", "Mol"):
        return read_rdkit
    if _is_matrix(graph):
        return read_adjacency
    if isinstance(graph, tuple) and graph and _is_matrix(graph[0]):
        return read_adjacency
    if isinstance(graph, tuple) and graph and find_reader(graph[0]) is read_ogb:
        return read_labelled_ogb
    return None
