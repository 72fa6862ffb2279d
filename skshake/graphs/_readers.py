"""One reader per kind of object that users call a graph.

In: one object. Out: a :class:`GraphRecord` of plain arrays, not yet checked against
its companions. Kinds are recognised without importing the library they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skshake.graphs._arrays import (
    Columns,
    as_array,
    is_from,
    is_table,
    named_columns,
    without_objects,
)
from skshake.graphs._collection import Graph
from skshake.graphs._errors import InvalidGraphError, Naming
from skshake.graphs._features import TEXT_CODE, Features
from skshake.graphs._ids import join_integers
from skshake.graphs._molecules import read_molecule


class GraphRecord(NamedTuple):
    """One graph as read: directed rows, named columns.

    ``edge_index`` has shape (2, n_rows), source and target; ``node_columns`` and
    ``edge_columns`` hold one array per attribute, with one row per node and per column
    of ``edge_index``; ``edge_weight`` is None when all weigh 1. ``unread`` is what came
    beside these.
    """

    n_nodes: int
    edge_index: Any
    node_columns: Columns
    edge_columns: Columns
    edge_weight: Any
    unread: Mapping[str, Any] | None = None


class AttributeNames(NamedTuple):
    """Which attributes of nodes and edges are read; None means those of each kind.

    ``defaults`` holds what stands in for an attribute that a node or edge lacks.
    """

    node_attrs: tuple[str, ...] | None
    edge_attrs: tuple[str, ...] | None
    weight: str | None
    defaults: Mapping[str, Any]


NO_NAMES = AttributeNames(None, None, "weight", {})
# Attributes that are the ids of igraph's vertices, its own and networkx's.
IGRAPH_IDS = ("name", "_nx_name")
NO_ARCS = np.empty((2, 0), np.int64)
# Nodes are numbered in 32 bits.
MOST_NODES = 2**31 - 1
# What a torch_geometric Data holds for us, and what it may hold beside: labels, masks
# and numbers of nodes that say nothing about the graph.
PYG_READ = {"edge_index", "x", "edge_attr", "edge_weight", "num_nodes"}
PYG_SILENT = {"y", "batch", "ptr", "n_id", "e_id", "adj_t"} | {
    f"{part}_mask" for part in ("train", "val", "test")
}
PYG_KNOWN = PYG_READ | PYG_SILENT
# Attributes of Data that have one row per node by convention.
PYG_NODES = ("pos", "z", "node_type")
# Keys of dictionaries: of OGB's graphs, what others call the same, and labels and ids.
DICT_ALIASES = {"node_feat": "x", "edge_feat": "edge_attr"}
DICT_SILENT = ("y", "label", "labels", "id", "idx", "graph_id", "name", "smiles")
DICT_KNOWN = frozenset(
    ("edge_index", "num_nodes", "x", "edge_attr", "edge_weight", *DICT_SILENT)
)

Reader = Callable[[Any, AttributeNames], GraphRecord]


def _given(name: str, values: Any) -> Columns:
    """The columns of one array, none if it is not there."""
    if values is None:
        return {}
    return named_columns(name, values) if is_table(values) else {name: values}


def _chosen(
    what: str,
    store: Mapping[str, Any],
    array: str,
    wanted: tuple[str, ...] | None,
    n_rows: int,
    defaults: Mapping[str, Any],
) -> Columns:
    """The wanted columns of nodes or edges, by default those of their array."""
    if wanted is None:
        return _given(array, store.get(array))
    if is_table(store.get(array)):
        store = {**named_columns(array, store[array]), **store}
    columns: Columns = {}
    for name in wanted:
        if store.get(name) is not None:
            columns |= _given(name, store[name])
        elif name not in defaults and n_rows:
            raise InvalidGraphError(
                f"has no {what} attribute {name!r}, which {what}_attrs names; it has "
                f"{sorted(map(str, store))}",
                field=name,
            )
    return columns


def check_count(name: str, value: Any) -> int:
    """A number of nodes, which must be an integer."""
    if type(value) is not int:
        with Naming(name):
            count = as_array(value)
        if count.size != 1 or count.dtype.kind not in "iu":
            raise InvalidGraphError(
                f"{name}: expected an integer of 0 or more, got {value!r:.60}",
                field=name,
            )
        value = int(count.reshape(()))
    if value < 0:
        raise InvalidGraphError(f"has {value} nodes; expected 0 or more", field=name)
    if value > MOST_NODES:
        raise InvalidGraphError(
            f"has {value} nodes; expected at most {MOST_NODES}", field=name
        )
    return value


def _n_rows(name: str, values: Any) -> int:
    """Number of rows of an array."""
    shape = getattr(values, "shape", None)
    if not isinstance(shape, tuple):
        with Naming(name):
            shape = as_array(values).shape
    if not len(shape):
        raise InvalidGraphError(
            f"{name}: expected one row per node, got a single value", field=name
        )
    return int(shape[0])


def count_arcs(edge_index: Any) -> int:
    """Number of columns of edge_index."""
    shape = getattr(edge_index, "shape", None)
    if not isinstance(shape, tuple):
        with Naming("edge_index"):
            shape = as_array(edge_index).shape
    return 0 if 0 in shape or not shape else int(shape[-1])


def read_pyg(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Data``: edge_index, x, edge_attr, edge_weight, num_nodes."""
    # The public ``to_dict`` also infers num_nodes, which costs more than all the rest.
    store = graph._store._mapping if hasattr(graph, "_store") else graph.to_dict()
    if "edge_index" not in store and "adj_t" in store:
        raise InvalidGraphError(
            "expected edge_index, got adj_t; leave the transform ToSparseTensor out",
            field="edge_index",
        )
    if "batch" in store or "ptr" in store:
        _refuse_batch(store)
    edge_index = store.get("edge_index")
    if edge_index is None:
        edge_index = NO_ARCS
        _refuse_rows_without_edges(store)
    x, n_nodes = store.get("x"), store.get("num_nodes")
    if n_nodes is None:
        if x is None:
            n_nodes = _pyg_nodes(graph, store, edge_index, names)
        else:
            n_nodes = _n_rows("x", x)
    n_nodes = check_count("num_nodes", n_nodes)
    if names.node_attrs is None:
        nodes = _given("x", x)
    else:
        nodes = _chosen("node", store, "x", names.node_attrs, n_nodes, names.defaults)
    if names.edge_attrs is None:
        edges = _given("edge_attr", store.get("edge_attr"))
    else:
        n_arcs, wanted = count_arcs(edge_index), names.edge_attrs
        edges = _chosen("edge", store, "edge_attr", wanted, n_arcs, names.defaults)
    extra = store.keys() - PYG_KNOWN
    return GraphRecord(
        n_nodes,
        edge_index,
        nodes,
        edges,
        store.get("edge_weight"),
        {name: store[name] for name in extra} if extra else None,
    )


def _refuse_rows_without_edges(store: Mapping[str, Any]) -> None:
    """Refuse features and weights of edges that are not there."""
    for name in ("edge_attr", "edge_weight"):
        if store.get(name) is not None and _n_rows(name, store[name]):
            raise InvalidGraphError(
                f"edge_index: expected one, as {name} has {_n_rows(name, store[name])} "
                "rows",
                field="edge_index",
            )


def _pyg_nodes(
    graph: Any, store: Mapping[str, Any], edge_index: Any, names: AttributeNames
) -> Any:
    """Number of nodes of a Data, which need not say it."""
    for name in (*(names.node_attrs or ()), *PYG_NODES):
        if store.get(name) is not None:
            return _n_rows(name, store[name])
    n_nodes = graph.num_nodes if count_arcs(edge_index) else None
    if n_nodes is None:
        raise InvalidGraphError(
            "num_nodes: needed for a Data without x and without edges",
            field="num_nodes",
        )
    return n_nodes


def _refuse_batch(store: Mapping[str, Any]) -> None:
    """Refuse a Data whose nodes belong to several graphs."""
    n_graphs = 1
    if store.get("batch") is not None:
        batch = as_array(store["batch"])
        if batch.ndim == 1 and batch.size and batch.dtype.kind in "iu":
            n_graphs = len(np.unique(batch))
    elif store.get("ptr") is not None:
        n_graphs = as_array(store["ptr"]).size - 1
    if n_graphs > 1:
        raise InvalidGraphError(
            f"is a mini-batch of {n_graphs} graphs, not one graph; give its graphs, as "
            "batch.to_data_list() does",
            field="batch",
        )


def read_batch(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Batch``, which is not one graph but many."""
    raise InvalidGraphError(
        f"is a mini-batch ({type(graph).__name__}) of {graph.num_graphs} graphs, not "
        "one graph; give its graphs, as batch.to_data_list() does (a DataLoader's are "
        "those of its dataset)",
        field="batch",
    )


def read_hetero(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``HeteroData``: several types of nodes and edges."""
    raise InvalidGraphError(
        f"is a {type(graph).__name__} with several types of nodes and edges; expected "
        "a graph with one type: to_homogeneous() makes one, with node_type and "
        "edge_type, which as_graphs(node_attrs=[...], edge_attrs=[...]) reads"
    )


def read_temporal(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``TemporalData``: a stream of events."""
    raise InvalidGraphError(
        "is a TemporalData, a stream of events; expected a graph: give a Data with "
        "edge_index=torch.stack([src, dst]), and its features as edge_attr"
    )


def read_hypergraph(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``HyperGraphData``, whose edge_index joins nodes and hyperedges."""
    raise InvalidGraphError(
        "is a HyperGraphData, whose edges join any number of nodes; expected a graph "
        "whose edges join two; a clique expansion makes one"
    )


# Kinds of torch_geometric that are not one graph, each before what it derives from.
PYG_OTHERS = (
    ("torch_geometric.data", "HeteroData", read_hetero),
    ("torch_geometric.data", "TemporalData", read_temporal),
    ("torch_geometric.data.hypergraph_data", "HyperGraphData", read_hypergraph),
    ("torch_geometric.data", "Batch", read_batch),
)


def unpack(graphs: Any) -> Any:
    """The graphs of a mini-batch of torch_geometric; anything else as it came."""
    if not is_from(graphs, "torch_geometric.data", "Batch"):
        return graphs
    try:
        return graphs.to_data_list()
    except RuntimeError as error:
        raise InvalidGraphError(
            "expected a list of graphs, got a mini-batch that was not made by "
            "Batch.from_data_list() and cannot be taken apart; give a list of Data"
        ) from error


def _renamed(attrs: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Names of attributes as a dictionary's keys are read."""
    return attrs and tuple(DICT_ALIASES.get(name, name) for name in attrs)


def read_ogb(graph: Mapping, names: AttributeNames) -> GraphRecord:
    """A dictionary of OGB or Hugging Face; every key must be known or chosen."""
    store: dict[str, Any] = {}
    for key, value in graph.items():
        name = DICT_ALIASES.get(key, key)
        if value is None and name != "num_nodes":
            continue
        if name in store:
            raise InvalidGraphError(
                f"{name}: given twice, as {name!r} and "
                f"{next(k for k, v in DICT_ALIASES.items() if v == name)!r}",
                field=name,
            )
        store[name] = value
    wanted = [_renamed(attrs) for attrs in (names.node_attrs, names.edge_attrs)]
    unknown = store.keys() - DICT_KNOWN
    if unknown:
        unknown = unknown.difference(*(attrs or () for attrs in wanted))
    if unknown:
        key = next(key for key in store if key in unknown)
        raise InvalidGraphError(
            f"a dictionary has the unknown key {key!r}; expected 'edge_index', "
            "'num_nodes', 'node_feat' (or 'x'), 'edge_feat' (or 'edge_attr') and "
            f"'edge_weight'; {', '.join(map(repr, DICT_SILENT))} may come along, and "
            "any other key has to be named in node_attrs or edge_attrs",
            field=str(key),
        )
    if "edge_index" not in store or ("num_nodes" not in store and "x" not in store):
        needed = "num_nodes" if "edge_index" in store else "edge_index"
        raise InvalidGraphError(
            f"a dictionary needs the key {needed!r}, got {list(graph)}", field=needed
        )
    if "num_nodes" not in store:
        store["num_nodes"] = _n_rows("x", store["x"])
    n_nodes = check_count("num_nodes", store["num_nodes"])
    edge_index = without_objects("edge_index", store["edge_index"])
    edge_weight = without_objects("edge_weight", store.get("edge_weight"))
    n_arcs = 0 if wanted[1] is None else count_arcs(edge_index)
    return GraphRecord(
        n_nodes,
        edge_index,
        _chosen("node", store, "x", wanted[0], n_nodes, names.defaults),
        _chosen("edge", store, "edge_attr", wanted[1], n_arcs, names.defaults),
        edge_weight,
    )


def read_labelled_ogb(graph: tuple, names: AttributeNames) -> GraphRecord:
    """An item (graph, label) of an OGB dataset; labels are not read here."""
    return read_ogb(graph[0], names)


def read_view(graph: Graph, names: AttributeNames) -> GraphRecord:
    """A graph of some GraphCollection."""
    nodes, edges = map(_columns_of, (graph.node_features, graph.edge_features))
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


def _columns_of(features: Features) -> Columns:
    """Columns by name, codes of strings marked as such."""
    columns: Columns = features.columns()
    for field in features.fields:
        if field.is_text:
            columns[field.name] = columns[field.name].copy().view(TEXT_CODE)
    return columns


def chosen_columns(
    what: str,
    columns: Columns,
    wanted: tuple[str, ...] | None,
    n_rows: int,
    array: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Columns:
    """Those of the named columns that are wanted.

    "x" stands for "x[0]" too, and the name of their ``array`` for all.
    """
    if wanted is None or not n_rows:
        return columns
    kept: Columns = {}
    missing = [name for name in wanted if name not in (defaults or {})]
    for name, values in columns.items():
        names = {name, name.partition("[")[0], array}.intersection(wanted)
        if names:
            kept[name] = values
            missing = [other for other in missing if other not in names]
    if missing:
        raise InvalidGraphError(
            f"has no {what} attribute {missing[0]!r}, which {what}_attrs names; it has "
            f"{list(columns)}",
            field=missing[0],
        )
    return kept


def _of_array(
    what: str, array: str, columns: Columns, n_rows: int, names: AttributeNames
) -> Columns:
    """The wanted columns of a graph that has one array of nodes or edges."""
    wanted = names.node_attrs if what == "node" else names.edge_attrs
    return chosen_columns(what, columns, wanted, n_rows, array, names.defaults)


def _stored_entries(
    matrix: Any, keeps_order: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the stored entries, in CSR order.

    Those of a COO matrix come in its own order, repeats too, if that matters.
    """
    if not sparse.issparse(matrix):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]
    if matrix.format == "coo" and keeps_order:
        return matrix.row.astype(np.int64), matrix.col.astype(np.int64), matrix.data
    if matrix.format == "bsr":
        # Its blocks hold zeros that are no edges.
        matrix = matrix.tocsr(copy=True)
        matrix.eliminate_zeros()
    elif matrix.format != "csr":
        matrix = matrix.tocsr()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64), matrix.data


def read_adjacency(graph: Any, names: AttributeNames) -> GraphRecord:
    """A scipy sparse or square numpy adjacency; or (adjacency, x[, edge_attr])."""
    adjacency, x, edge_attr = graph, None, None
    if isinstance(graph, tuple):
        if len(graph) not in (2, 3):
            raise InvalidGraphError(
                "a tuple must be (adjacency, x) or (adjacency, x, edge_attr), got "
                f"{len(graph)} items"
            )
        adjacency, x, edge_attr = (*graph, None)[:3]
    with Naming("adjacency"):
        matrix = adjacency if sparse.issparse(adjacency) else as_array(adjacency)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidGraphError(
            f"adjacency: expected a square matrix, got {matrix.shape}",
            field="adjacency",
        )
    if matrix.dtype.kind not in "biuf":
        raise InvalidGraphError(
            f"adjacency: expected numbers, got dtype {matrix.dtype}", field="adjacency"
        )
    source, target, weight = _stored_entries(matrix, edge_attr is not None)
    edges: Columns = {}
    if edge_attr is not None:
        kept = _rows_of_edge_attr(matrix, source, target, weight, edge_attr)
        source, target, weight = source[kept], target[kept], weight[kept]
        edges = _given("edge_attr", edge_attr)
    n_nodes = matrix.shape[0]
    return GraphRecord(
        n_nodes,
        np.stack([source, target]),
        _of_array("node", "x", _given("x", x), n_nodes, names),
        _of_array("edge", "edge_attr", edges, len(source), names),
        weight,
    )


def _rows_of_edge_attr(
    matrix: Any,
    source: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    edge_attr: Any,
) -> np.ndarray | slice:
    """Which stored entries the rows of edge_attr belong to, in their order."""
    if sparse.issparse(matrix) and matrix.format not in ("csr", "coo"):
        raise InvalidGraphError(
            "edge_attr: expected an adjacency whose entries have one order, got the "
            f"sparse format {matrix.format!r}; use tocsr() or tocoo(), and give one "
            "row per entry in the order of its data",
            field="edge_attr",
        )
    n_rows = len(edge_attr) if is_table(edge_attr) else _n_rows("edge_attr", edge_attr)
    is_upper = source < target
    if n_rows == len(source):
        return slice(None)
    if n_rows != is_upper.sum():
        raise InvalidGraphError(
            f"edge_attr: expected {is_upper.sum()} rows (entries of the upper "
            f"triangle) or {len(source)} (stored entries), got {n_rows}",
            field="edge_attr",
        )
    # One row per undirected edge: the upper triangle alone says everything.
    whole = sparse.csr_array((weight, (source, target)), matrix.shape)
    if (whole != whole.T).nnz:
        raise InvalidGraphError(
            "edge_attr: one row per undirected edge needs a symmetric adjacency; give "
            f"one row per stored entry ({len(source)})",
            field="edge_attr",
        )
    return is_upper


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
    return GraphRecord(
        len(atoms),
        ends,
        _of_array("node", "x", {"x": atoms}, len(atoms), names),
        _of_array("edge", "edge_attr", {"edge_attr": bonds}, len(bonds), names),
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
