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

Columns = dict[str, np.ndarray]


class GraphRecord(NamedTuple):
    """One graph as read: directed rows, named columns.

    ``node_columns`` and ``edge_columns`` hold one array per attribute, with one row per
    node and per (source, target) row; ``edge_weight`` is None when all weigh 1.
    """

    n_nodes: int
    source: np.ndarray
    target: np.ndarray
    node_columns: Columns
    edge_columns: Columns
    edge_weight: np.ndarray | None


class AttributeNames(NamedTuple):
    """Which attributes of networkx graphs are read; None means every one."""

    node_attrs: Iterable[str] | None
    edge_attrs: Iterable[str] | None
    weight: str | None


Reader = Callable[[Any, AttributeNames], GraphRecord]


def as_array(values: Any) -> np.ndarray:
    """Numpy array of anything array-like, torch tensors included."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values)


def _given(columns: Mapping[str, Any]) -> Columns:
    """Arrays of the columns that are there."""
    return {k: as_array(v) for k, v in columns.items() if v is not None}


def _edge_ends(edge_index: Any) -> np.ndarray:
    """Check an edge index of shape (2, n_rows)."""
    ends = as_array(edge_index)
    if ends.size == 0:
        return np.empty((2, 0), np.int64)
    if ends.ndim != 2 or ends.shape[0] != 2:
        hint = "; transpose it" if ends.ndim == 2 and ends.shape[1] == 2 else ""
        raise ValueError(
            f"edge_index: expected shape (2, n_arcs), got {ends.shape}{hint}"
        )
    if ends.dtype.kind not in "iu":
        raise TypeError(f"edge_index: expected integers, got dtype {ends.dtype}")
    return ends


def read_pyg(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Data``: edge_index, x, edge_attr, edge_weight, num_nodes."""
    store = graph.to_dict()
    ends = _edge_ends(store.get("edge_index", ()))
    if "num_nodes" not in store and "x" not in store and ends.size == 0:
        raise ValueError("num_nodes: needed for a Data without x and without edges")
    return GraphRecord(
        int(graph.num_nodes),
        ends[0],
        ends[1],
        _given({"x": store.get("x")}),
        _given({"edge_attr": store.get("edge_attr")}),
        _given({"w": store.get("edge_weight")}).get("w"),
    )


def read_ogb(graph: Mapping, names: AttributeNames) -> GraphRecord:
    """An OGB dictionary: edge_index, num_nodes, node_feat, edge_feat."""
    for key in ("edge_index", "num_nodes"):
        if key not in graph:
            raise ValueError(f"a dictionary needs the key {key!r}, got {list(graph)}")
    ends = _edge_ends(graph["edge_index"])
    return GraphRecord(
        int(graph["num_nodes"]),
        ends[0],
        ends[1],
        _given({"x": graph.get("node_feat")}),
        _given({"edge_attr": graph.get("edge_feat")}),
        _given({"w": graph.get("edge_weight")}).get("w"),
    )


def read_view(graph: Graph, names: AttributeNames) -> GraphRecord:
    """A graph of some GraphCollection."""
    return GraphRecord(
        graph.n_nodes,
        graph.edges[:, 0],
        graph.edges[:, 1],
        _given({"x": graph.x}),
        _given({"edge_attr": graph.edge_attr}),
        graph.edge_weight,
    )


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
    entries = sparse.csr_array(matrix).tocoo()
    source, target = entries.row.astype(np.int64), entries.col.astype(np.int64)
    weight = entries.data.astype(np.float64)
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
        source,
        target,
        _given({"x": x}),
        _given({"edge_attr": edge_attr}),
        weight,
    )


def _attribute_columns(
    rows: list[tuple[Any, dict]], wanted: Iterable[str] | None, what: str, skip: Any
) -> Columns:
    """One array per attribute of networkx nodes or edges; each row must have it."""
    if wanted is None:
        wanted = {name: None for _, attributes in rows for name in attributes}
        wanted.pop(skip, None)
    columns = {}
    for name in sorted(wanted, key=str):
        for key, attributes in rows:
            if name not in attributes:
                raise ValueError(
                    f"{what} {key!r} has no attribute {name!r}; give every {what} this "
                    f"attribute, or choose with as_graphs({what}_attrs=[...])"
                )
        values = [as_array(attributes[name]) for _, attributes in rows]
        if len({value.shape for value in values}) > 1:
            shapes = sorted({value.shape for value in values})
            raise ValueError(
                f"{what} attribute {name!r}: expected one shape, got {shapes}"
            )
        columns[str(name)] = np.array(values)
    return columns


def read_networkx(graph: Any, names: AttributeNames) -> GraphRecord:
    """A networkx Graph, DiGraph, MultiGraph or MultiDiGraph with any hashable ids."""
    node_rows = list(graph.nodes(data=True))
    position = {node: i for i, (node, _) in enumerate(node_rows)}
    links = list(graph.edges(data=True))
    source = np.array([position[u] for u, _, _ in links], np.int64)
    target = np.array([position[v] for _, v, _ in links], np.int64)
    edge_rows = [((u, v), attributes) for u, v, attributes in links]
    weight = None
    if names.weight is not None and any(names.weight in a for _, a in edge_rows):
        weight = _attribute_columns(edge_rows, [names.weight], "edge", None)[
            names.weight
        ]
    return GraphRecord(
        len(node_rows),
        source,
        target,
        _attribute_columns(node_rows, names.node_attrs, "node", None),
        _attribute_columns(edge_rows, names.edge_attrs, "edge", names.weight),
        weight,
    )


def _is_networkx(graph: Any) -> bool:
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


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
    if _is_networkx(graph):
        return read_networkx
    if _is_matrix(graph):
        return read_adjacency
    if isinstance(graph, tuple) and graph and _is_matrix(graph[0]):
        return read_adjacency
    return None
