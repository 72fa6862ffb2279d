"""as_graphs: whatever a user calls a list of graphs, checked once, as flat arrays.

In: a list of objects of any mixture of kinds. Out: a GraphCollection. Every error
names the graph, the field, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skshake.graphs._collection import Graph, GraphCollection, concatenate_graphs
from skshake.graphs._features import (
    CategoricalRule,
    Features,
    build_features,
    check_names,
    check_rule,
    is_categorical,
)
from skshake.graphs._garbage import garbage_collection_paused
from skshake.graphs._merging import from_arcs
from skshake.graphs._ragged import offsets
from skshake.graphs._readers import AttributeNames, GraphRecord, Reader, find_reader
from skshake.graphs._stacking import (
    naming_graph,
    stack_ends,
    stack_features,
    stack_weights,
)
from skshake.graphs._tables import items_of_column

KINDS = (
    "a networkx or igraph graph, a torch_geometric Data, a scipy sparse or square "
    "numpy adjacency matrix, a tuple (adjacency, x[, edge_attr]), an OGB dictionary, "
    "an rdkit molecule, or a graph of a GraphCollection"
)


def _as_list(graphs: Any) -> list:
    """List of the objects; a lone graph is refused with advice."""
    graphs = items_of_column(graphs, "graphs")
    is_bare = find_reader(graphs) is not None and not isinstance(graphs, list)
    if isinstance(graphs, tuple) and is_bare:
        # A tuple of graphs is a list of graphs; (adjacency, x) is one graph.
        is_bare = not all(
            find_reader(graph) and len({*getattr(graph, "shape", ())}) <= 1
            for graph in graphs
        )
        if not is_bare and hasattr(graphs[0], "shape") and len(graphs) in (2, 3):
            raise TypeError(
                f"expected a list of graphs, got a tuple of {len(graphs)} square "
                "matrices, which may be one graph (adjacency, x) or several; give a "
                "list"
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
            hint = "; SMILES become graphs in MoleculeFeaturizer"
            raise TypeError(
                f"Graph {i} is of type {type(graph).__name__}; expected {KINDS}"
                f"{hint if isinstance(graph, str) else ''}"
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


def check_names_given(
    parameter: str, names: Iterable[str] | None
) -> tuple[str, ...] | None:
    """Names of attributes as a tuple; a lone string is refused."""
    if names is None:
        return None
    if isinstance(names, (str, bytes)):
        raise TypeError(
            f"{parameter}: expected a list of names, got {names!r}; give [{names!r}]"
        )
    if not isinstance(names, Iterable):
        raise TypeError(f"{parameter}: expected a list of names, got {names!r}")
    return tuple(names)


def _check_defaults(defaults: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Defaults by the name of their attribute."""
    if defaults is not None and not isinstance(defaults, Mapping):
        raise TypeError(
            "defaults: expected a dictionary of attributes and their values, got "
            f"{defaults!r}"
        )
    return defaults or {}


def _fill_in(records: list[GraphRecord], defaults: Mapping[str, Any]) -> None:
    """Give graphs without an attribute that others have its default."""
    for side in ("node_columns", "edge_columns"):
        known = {name for record in records for name in getattr(record, side)}
        for name in known & set(defaults):
            for record in records:
                columns = getattr(record, side)
                n_rows = record.n_nodes
                if side == "edge_columns":
                    n_rows = np.shape(record.edge_index)[-1]
                if name not in columns and n_rows:
                    columns[name] = np.array([defaults[name]] * n_rows)


def as_graphs(
    graphs: Any,
    *,
    categorical_features: CategoricalRule = "from_dtype",
    node_attrs: Iterable[str] | None = None,
    edge_attrs: Iterable[str] | None = None,
    weight: str | None = "weight",
    defaults: Mapping[str, Any] | None = None,
) -> GraphCollection:
    """Read a list of graphs, of any kinds, into one set of flat arrays.

    Parameters
    ----------
    graphs : iterable of graphs
        Kinds may be mixed: networkx Graph, DiGraph or MultiGraph; igraph Graph;
        torch_geometric Data (or a dataset of them); scipy sparse or square numpy
        adjacency; ``(adjacency, x)`` or ``(adjacency, x, edge_attr)``; OGB
        dictionaries; rdkit molecules; graphs of a GraphCollection.
        With an adjacency, ``edge_attr`` has one row per stored entry in CSR order, or
        one per entry of the upper triangle in CSR order. A generator is consumed once.
        One column of graphs is read too: an array of objects of shape (n_graphs, 1), a
        data frame (of pandas or polars), or a dictionary.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        "from_dtype" reads integer arrays as categories and floats as numbers; True and
        False read all features as the one or the other; a list names the attributes
        that are categories (arrays are called "x" and "edge_attr"). Strings always are.
    node_attrs, edge_attrs : iterable of str, default=None
        Attributes of networkx and igraph nodes and edges to read, each a number, a
        string or a vector of fixed length; None reads all, an empty list none.
    weight : str or None, default="weight"
        Attribute of their edges that holds the weight. None reads no weights, and an
        attribute of that name is a feature.
    defaults : dict, default=None
        Value of an attribute where a node or edge lacks it; without one that is an
        error.

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
        If a lone graph or something else than graphs comes, or features are neither
        numbers nor strings.
    ValueError
        If the list is empty; if graphs disagree about features; if a value is NaN or
        infinite, a weight not positive, an edge's end out of range, or an edge carries
        contradicting categories. The message names the graph by its position.

    Warns
    -----
    UserWarning
        If a column's numbers differ, but are one number once they are cast. Numbers
        beyond 65,536 keep the digits of float64 until :class:`KFCoarsener` has taken
        off their mean; smaller ones become float32.

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
    rule = check_rule(categorical_features)
    if isinstance(graphs, GraphCollection):
        if not len(graphs):
            raise ValueError("expected at least one graph, got an empty collection")
        return _with_kind(graphs, rule)
    graphs = _as_list(graphs)
    if all(isinstance(graph, Graph) for graph in graphs):
        gathered = _gather_views(graphs)
        if gathered is not None:
            return _with_kind(gathered, rule)
    with garbage_collection_paused():
        names = AttributeNames(
            check_names_given("node_attrs", node_attrs),
            check_names_given("edge_attrs", edge_attrs),
            weight,
            _check_defaults(defaults),
        )
        records = _read(graphs, names)
        _fill_in(records, names.defaults)
        n_nodes = np.array([record.n_nodes for record in records], np.int64)
        ends, n_arcs = stack_ends(records)
        node_columns = [record.node_columns for record in records]
        edge_columns = [record.edge_columns for record in records]
        node_features = stack_features(node_columns, n_nodes, rule)
        arc_features = stack_features(edge_columns, n_arcs, rule)
        check_names(rule, node_features, arc_features)
        given = [record.edge_weight for record in records]
        weights = stack_weights(given, offsets(n_arcs))
    return from_arcs(n_nodes, n_arcs, ends, node_features, arc_features, weights)


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


def _with_kind(graphs: GraphCollection, rule: CategoricalRule) -> GraphCollection:
    """Read all features of a collection as the kind that the user asks for."""
    if isinstance(rule, str):
        # A collection that joblib mapped into memory is copied, any other comes back.
        return graphs if graphs.edges.flags.writeable else graphs.as_writable()

    def convert(features: Features, ptr: np.ndarray) -> Features:
        texts = [field.name for field in features.fields if field.is_text]
        columns = [
            (name, values, name in texts or is_categorical(name, values.dtype, rule))
            for name, values in features.columns().items()
        ]
        with naming_graph(ptr):
            return build_features(columns, len(features), texts)

    return replace(
        graphs,
        node_features=convert(graphs.node_features, graphs.node_ptr),
        edge_features=convert(graphs.edge_features, graphs.edge_ptr),
    )
