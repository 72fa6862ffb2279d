"""as_graphs: whatever a user calls a list of graphs, checked once, as flat arrays.

In: a list of objects of any mixture of kinds. Out: a GraphCollection. Every error
names the graph, the field, what was expected and what came.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from skshake.graphs._arcs import (
    NO_EDGE,
    agree_on_categories,
    average_directions,
    merge_arcs,
)
from skshake.graphs._collection import Graph, GraphCollection, concatenate_graphs
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    CastError,
    Features,
    build_features,
    empty_features,
    is_categorical,
)
from skshake.graphs._ragged import offsets, owner_of
from skshake.graphs._readers import (
    NO_ARCS,
    AttributeNames,
    Columns,
    GraphRecord,
    Reader,
    as_array,
    find_reader,
    join,
)

KINDS = (
    "a networkx graph, a torch_geometric Data, a scipy sparse or square numpy "
    "adjacency matrix, a tuple (adjacency, x[, edge_attr]), an OGB dictionary, or a "
    "graph of a GraphCollection"
)


def _as_list(graphs: Any) -> list:
    """List of the objects; a lone graph is refused with advice."""
    is_bare = find_reader(graphs) is not None and not isinstance(graphs, list)
    if isinstance(graphs, tuple) and is_bare:
        # A tuple of graphs is a list of graphs; (adjacency, x) is one graph.
        is_bare = not all(
            find_reader(graph) and len({*getattr(graph, "shape", ())}) <= 1
            for graph in graphs
        )
    if is_bare:
        raise TypeError(
            f"expected a list of graphs, got one graph ({type(graphs).__name__}); wrap "
            "it in a list"
        )
    is_sequence = hasattr(graphs, "__len__") and hasattr(graphs, "__getitem__")
    is_list = isinstance(graphs, Iterable) or is_sequence
    if isinstance(graphs, (str, bytes, Mapping)) or not is_list:
        raise TypeError(
            f"expected a list of graphs, got {type(graphs).__name__}; each graph is "
            f"{KINDS}"
        )
    if not isinstance(graphs, Iterable):
        # A dataset with no iterator of its own, such as OGB's.
        graphs = [graphs[i] for i in range(len(graphs))]
    graphs = list(graphs)
    if not graphs:
        raise ValueError("expected at least one graph, got an empty list")
    return graphs


def _read(graphs: list, names: AttributeNames) -> list[GraphRecord]:
    """Read each object by its kind."""
    records = []
    known: dict[type, Reader] = {}
    for i, graph in enumerate(graphs):
        reader = known.get(type(graph)) or find_reader(graph)
        if reader is None:
            raise TypeError(
                f"Graph {i} is of type {type(graph).__name__}; expected {KINDS}"
            )
        if not isinstance(graph, (np.ndarray, tuple, Mapping)):
            known[type(graph)] = reader
        try:
            record = reader(graph, names)
        except (ValueError, TypeError) as error:
            raise type(error)(f"Graph {i}: {error}") from error
        if record.n_nodes < 0:
            raise ValueError(
                f"Graph {i} has {record.n_nodes} nodes; expected 0 or more"
            )
        records.append(record)
    return records


def _first_graph(is_bad: np.ndarray, ptr: np.ndarray) -> int:
    """Number of the graph that owns the first bad row."""
    return int(owner_of(ptr)[np.flatnonzero(is_bad)[0]])


def _shape(values: Any) -> tuple[int, ...]:
    """Shape of anything array-like, without copying arrays and tensors."""
    try:
        shape = values.shape
    except AttributeError:
        return as_array(values).shape
    return as_array(values).shape if sparse.issparse(values) else tuple(shape)


def _stack_ends(records: list[GraphRecord]) -> tuple[np.ndarray, np.ndarray]:
    """Ends (2, n_rows) of the arcs of all graphs, and the number of rows of each."""
    parts = [record.edge_index for record in records]
    shapes = [_shape(part) for part in parts]
    for i, shape in enumerate(shapes):
        if 0 in shape:
            parts[i], shapes[i] = NO_ARCS, NO_ARCS.shape
        elif len(shape) != 2 or shape[0] != 2:
            hint = "; transpose it" if len(shape) == 2 and shape[1] == 2 else ""
            raise ValueError(
                f"Graph {i}: edge_index: expected shape (2, n_arcs), got {shape}{hint}"
            )
    ends = join(parts, axis=1)
    if ends.dtype.kind not in "iu":
        dtypes = [as_array(part).dtype for part in parts]
        i = next(i for i, dtype in enumerate(dtypes) if dtype.kind not in "iu")
        raise TypeError(
            f"Graph {i}: edge_index: expected integers, got dtype {dtypes[i]}"
        )
    return ends, np.array([shape[1] for shape in shapes], np.int64)


def _stack_field(
    field: str, columns: list[Columns], counts: np.ndarray
) -> np.ndarray | None:
    """One array of a field over all graphs; graphs without rows need not have it."""
    parts = [named.get(field) for named in columns]
    owners: Sequence[int] = range(len(parts))
    width = _common_width(parts, counts)
    if width is None:
        parts, owners, width = _pick_parts(field, parts, counts)
    if not parts:
        return None
    stacked = join(parts).reshape(-1, width)
    _check_values(field, stacked, parts, owners, offsets(counts))
    return stacked


def _common_width(parts: list[Any], counts: np.ndarray) -> int | None:
    """Number of columns if all graphs have equally many, in matrices of their rows."""
    try:
        shapes = [part.shape for part in parts]
    except AttributeError:
        return None
    one_of_each_kind = {type(part): part for part in parts}.values()
    if {len(shape) for shape in shapes} != {2} or any(
        map(sparse.issparse, one_of_each_kind)
    ):
        return None
    widths = {shape[1] for shape in shapes}
    if len(widths) > 1 or [shape[0] for shape in shapes] != counts.tolist():
        return None
    return int(widths.pop())


def _pick_parts(
    field: str, values: list[Any], counts: np.ndarray
) -> tuple[list[Any], list[int], int]:
    """Matrices of the graphs that have rows, those graphs, and the number of columns.

    Flat features become one column. Raises the errors that name the graph.
    """
    parts: list[Any] = []
    owners: list[int] = []
    widths: list[int] = []
    for i, (part, n_rows) in enumerate(zip(values, counts.tolist(), strict=True)):
        if part is None and n_rows:
            other = next(j for j, part in enumerate(values) if part is not None)
            raise ValueError(
                f"Graph {i} has no {field}, but graph {other} has; all graphs must "
                "agree"
            )
        try:
            shape = () if part is None else _shape(part)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Graph {i}: {field}: {error}") from error
        if n_rows == 0 and (part is None or 0 in shape):
            continue
        if len(shape) not in (1, 2) or shape[0] != n_rows:
            raise ValueError(
                f"Graph {i}: {field}: expected shape ({n_rows}, n_features), got "
                f"{shape}"
            )
        width = shape[1] if len(shape) == 2 else 1
        if widths and width != widths[0]:
            raise ValueError(
                f"Graph {i} has {width} columns of {field}, but graph {owners[0]} has "
                f"{widths[0]}; all graphs must agree"
            )
        parts.append(as_array(part).reshape(-1, width))
        owners.append(i)
        widths.append(width)
    return parts, owners, widths[0] if widths else 0


def _check_values(
    field: str,
    stacked: np.ndarray,
    parts: list[Any],
    owners: Sequence[int],
    ptr: np.ndarray,
) -> None:
    """Refuse what is no number, NaN and infinity."""
    if stacked.dtype.kind not in "biuf":
        dtypes = [as_array(part).dtype for part in parts]
        k = next(k for k, dtype in enumerate(dtypes) if dtype.kind not in "biuf")
        raise TypeError(
            f"Graph {owners[k]}: {field} holds {dtypes[k]} values; expected numbers "
            "(turn categories into integer codes, or leave the field out)"
        )
    if stacked.dtype.kind == "f" and not np.isfinite(stacked).all():
        is_bad = ~np.isfinite(stacked)
        raise ValueError(
            f"Graph {_first_graph(is_bad.any(axis=1), ptr)}: {field} holds "
            f"{stacked[is_bad][0]}; expected finite numbers (impute or remove them)"
        )


def _stack_features(
    columns: list[Columns], counts: np.ndarray, categorical_features: str | bool
) -> Features:
    """Features over all graphs, each field numeric or categorical by its dtype."""
    stacked = []
    for field in sorted({field for named in columns for field in named}):
        values = _stack_field(field, columns, counts)
        if values is not None:
            is_category = is_categorical(values.dtype, categorical_features)
            stacked.append((field, values, is_category))
    with naming_graph(offsets(counts)):
        return build_features(stacked, int(counts.sum()))


@contextmanager
def naming_graph(ptr: np.ndarray) -> Iterator[None]:
    """Put the graph that owns the row into the message of a CastError."""
    try:
        yield
    except CastError as error:
        i = int(owner_of(ptr)[error.row])
        raise ValueError(f"Graph {i}: {error}") from error


def _stack_weights(
    records: list[GraphRecord], arc_ptr: np.ndarray
) -> np.ndarray | None:
    """Weights of all rows; None if every graph is unweighted."""
    if all(record.edge_weight is None for record in records):
        return None
    parts = []
    for i, record in enumerate(records):
        n_rows = int(arc_ptr[i + 1] - arc_ptr[i])
        if record.edge_weight is None:
            parts.append(np.ones(n_rows))
            continue
        weight = as_array(record.edge_weight)
        if n_rows and weight.dtype.kind not in "biuf":
            raise TypeError(
                f"Graph {i}: edge weight: expected numbers, got dtype {weight.dtype}"
            )
        if weight.size != n_rows:
            raise ValueError(
                f"Graph {i}: edge weight: expected {n_rows} values, got {weight.size}"
            )
        parts.append(weight.reshape(n_rows).astype(np.float64))
    weights = np.concatenate(parts)
    is_bad = ~(np.isfinite(weights) & (weights > 0))
    if is_bad.any():
        raise ValueError(
            f"Graph {_first_graph(is_bad, arc_ptr)}: edge weight {weights[is_bad][0]}; "
            "expected positive finite numbers"
        )
    return weights


def _merge_features(
    features: Features, edge_of_row: np.ndarray, is_forward: np.ndarray, n_edges: int
) -> tuple[Features, int]:
    """Features of undirected edges; also the first contradicting row, or -1."""
    if not features.n_columns:
        return empty_features(n_edges), -1
    numeric = np.empty((n_edges, 0), FLOAT)
    if features.kind[0]:
        averaged = average_directions(
            edge_of_row, is_forward, features.numeric, False, n_edges
        )
        numeric = averaged.astype(FLOAT)
    categories = np.empty((n_edges, features.kind[1]), CATEGORY)
    row = agree_on_categories(edge_of_row, features.categories, categories)
    return Features(numeric, categories, features.fields), row


def _merge_weights(
    weights: np.ndarray | None,
    edge_of_row: np.ndarray,
    is_forward: np.ndarray,
    n_edges: int,
) -> np.ndarray | None:
    """Weights of undirected edges; None if all are 1."""
    if weights is None:
        n_rows = int((edge_of_row != NO_EDGE).sum())
        if n_rows == n_edges:
            return None
        weights = np.ones(len(edge_of_row))
    merged = average_directions(
        edge_of_row, is_forward, weights[:, None], True, n_edges
    )[:, 0]
    # Rounded, so that the order in which weights were added up leaves no trace.
    merged = merged.astype(FLOAT).astype(np.float64)
    return None if (merged == 1).all() else merged


def from_arcs(
    n_nodes: np.ndarray,
    n_arcs: np.ndarray,
    ends: np.ndarray,
    node_features: Features,
    arc_features: Features,
    arc_weight: np.ndarray | None = None,
) -> GraphCollection:
    """Build a collection from directed rows of all graphs.

    Parameters
    ----------
    n_nodes, n_arcs : int arrays of shape (n_graphs,)
    ends : int array of shape (2, n_rows)
        Source and target of each row, numbered within their graph.
    node_features, arc_features : Features
    arc_weight : float64 array of shape (n_rows,) or None

    Returns
    -------
    graphs : GraphCollection
        u->v and v->u are one edge, with averaged weights and features; repeats of one
        direction add their weights and average their features; self-loops are dropped.

    Raises
    ------
    ValueError
        If an end is out of range, or if an edge carries contradicting categories.
    """
    node_ptr, arc_ptr = offsets(n_nodes), offsets(n_arcs)
    source, target = np.ascontiguousarray(ends, np.int64)
    edges = np.empty((len(source), 2), np.int32)
    edge_ptr = np.empty_like(arc_ptr)
    edge_of_row = np.empty(len(source), np.int64)
    row = merge_arcs(node_ptr, arc_ptr, source, target, edges, edge_ptr, edge_of_row)
    if row >= 0:
        i = int(owner_of(arc_ptr)[row])
        n = int(node_ptr[i + 1] - node_ptr[i])
        raise ValueError(
            f"Graph {i}: an edge joins nodes {source[row]} and {target[row]}, but the "
            f"graph has {n} nodes (0 to {n - 1})"
        )
    n_edges = int(edge_ptr[-1])
    is_forward = source < target
    features, row = _merge_features(arc_features, edge_of_row, is_forward, n_edges)
    if row >= 0:
        raise ValueError(
            f"Graph {owner_of(arc_ptr)[row]}: the rows of edge ({source[row]}, "
            f"{target[row]}) carry different categories, which cannot be averaged; "
            "give floats (one column per category) or make them agree"
        )
    return GraphCollection(
        node_ptr,
        edge_ptr,
        edges[:n_edges],
        node_features,
        features,
        _merge_weights(arc_weight, edge_of_row, is_forward, n_edges),
    )


def as_graphs(
    graphs: Any,
    *,
    categorical_features: str | bool = "from_dtype",
    node_attrs: Iterable[str] | None = None,
    edge_attrs: Iterable[str] | None = None,
    weight: str | None = "weight",
) -> GraphCollection:
    """Read a list of graphs, of any kinds, into one set of flat arrays.

    Parameters
    ----------
    graphs : iterable of graphs
        Kinds may be mixed: networkx Graph, DiGraph or MultiGraph; torch_geometric Data
        (or a dataset of them); scipy sparse or square numpy adjacency;
        ``(adjacency, x)`` or ``(adjacency, x, edge_attr)``; OGB dictionaries; graphs of
        a GraphCollection.
        With an adjacency, ``edge_attr`` has one row per stored entry in CSR order, or
        one per entry of the upper triangle in CSR order. A generator is consumed once.
    categorical_features : "from_dtype" or bool, default="from_dtype"
        "from_dtype" reads integer arrays as categories and floats as numbers; True and
        False read all features as the one or the other.
    node_attrs, edge_attrs : iterable of str, default=None
        Attributes of networkx nodes and edges to read, each a number or a vector of
        fixed length; None reads all, an empty list none.
    weight : str or None, default="weight"
        Attribute of networkx edges that holds their weight. None reads no weights, and
        an attribute of that name is a feature.

    Returns
    -------
    graphs : GraphCollection
        Undirected: u->v and v->u are one edge whose weight and features are the average
        of the two directions; repeats of one direction add their weights and average
        their features; one direction alone is enough; self-loops are dropped. Node ids
        carry no meaning beyond their graph. A weight that is not given is 1.

    Raises
    ------
    TypeError
        If a lone graph or something else than graphs comes, or features are no numbers.
    ValueError
        If the list is empty; if graphs disagree about features; if a value is NaN or
        infinite, a weight not positive, an edge's end out of range, or an edge carries
        contradicting categories. The message names the graph by its position.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import as_graphs
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graphs = as_graphs([triangle, (triangle, np.array([[0.5], [1.0], [2.0]]))][1:])
    >>> graphs
    <GraphCollection of 1 graphs: 3 nodes, 3 edges, 1 node and 0 edge features>
    >>> graphs[0].edges.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    if isinstance(graphs, GraphCollection):
        if not len(graphs):
            raise ValueError("expected at least one graph, got an empty collection")
        return _with_kind(graphs, categorical_features)
    graphs = _as_list(graphs)
    if all(isinstance(graph, Graph) for graph in graphs):
        gathered = _gather_views(graphs)
        if gathered is not None:
            return _with_kind(gathered, categorical_features)
    with _no_garbage_collection():
        records = _read(graphs, AttributeNames(node_attrs, edge_attrs, weight))
        n_nodes = np.array([record.n_nodes for record in records], np.int64)
        ends, n_arcs = _stack_ends(records)
        node_columns = [record.node_columns for record in records]
        edge_columns = [record.edge_columns for record in records]
        node_features = _stack_features(node_columns, n_nodes, categorical_features)
        arc_features = _stack_features(edge_columns, n_arcs, categorical_features)
        weights = _stack_weights(records, offsets(n_arcs))
    return from_arcs(n_nodes, n_arcs, ends, node_features, arc_features, weights)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the collector, whose every full run walks over all the user's objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _gather_views(views: list[Graph]) -> GraphCollection | None:
    """The viewed graphs in one step; None if their collections differ in fields."""
    collections = {id(view.collection): view.collection for view in views}
    parts = list(collections.values())
    fields = {(c.node_features.fields, c.edge_features.fields) for c in parts}
    if len(fields) > 1:
        return None
    starts = offsets([len(part) for part in parts])[:-1].tolist()
    first = dict(zip(collections, starts, strict=True))
    positions = [first[id(view.collection)] + view.position for view in views]
    whole = parts[0] if len(parts) == 1 else concatenate_graphs(parts)
    return whole.take(np.array(positions))


def _with_kind(
    graphs: GraphCollection, categorical_features: str | bool
) -> GraphCollection:
    """Read all features of a collection as the kind that the user asks for."""
    if isinstance(categorical_features, str):
        # A collection that joblib mapped into memory is copied, any other comes back.
        return graphs if graphs.edges.flags.writeable else graphs.as_writable()

    def convert(features: Features, ptr: np.ndarray) -> Features:
        is_category = bool(categorical_features)
        columns = features.columns().items()
        with naming_graph(ptr):
            return build_features(
                [(name, values, is_category) for name, values in columns],
                len(features),
            )

    return replace(
        graphs,
        node_features=convert(graphs.node_features, graphs.node_ptr),
        edge_features=convert(graphs.edge_features, graphs.edge_ptr),
    )
