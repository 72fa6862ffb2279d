"""as_graphs: whatever a user calls a list of graphs, checked once, as flat arrays.

In: a list of objects of any mixture of kinds. Out: a GraphCollection. Every error
names the graph, the field, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from skshake._as_array import is_from
from skshake._warnings import warn_user
from skshake.graphs._collate import Collated, collate, naming_graph
from skshake.graphs._collection import Graph, GraphCollection, concatenate_graphs
from skshake.graphs._directions import check_directions, loses_directions
from skshake.graphs._errors import InvalidGraphError, Naming
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
from skshake.graphs._names import NameColumn, Names, as_names, names_of, read_names
from skshake.graphs._ragged import offsets
from skshake.graphs._read_pyg import PYG_OTHERS, unpack
from skshake.graphs._readers import find_reader
from skshake.graphs._records import (
    NO_NAMES,
    AttributeNames,
    GraphRecord,
    Reader,
    both_ways,
    chosen_columns,
    count_arcs,
)
from skshake.graphs._tables import items_of_column
from skshake.graphs._types import GraphsLike

ACCEPTED = (
    "a networkx or igraph graph, a torch_geometric Data, a scipy sparse or square "
    "numpy adjacency matrix, a tuple (adjacency, x[, edge_attr]), an OGB dictionary, "
    "an rdkit molecule, or a graph of a GraphCollection"
)
REFUSED = {reader for *_, reader in PYG_OTHERS}


def as_list(graphs: GraphsLike) -> list | GraphCollection:
    """List of the objects, or their collection; a lone graph is refused with advice."""
    if isinstance(graphs, GraphCollection):
        if not len(graphs):
            raise InvalidGraphError(
                "expected at least one graph, got an empty collection"
            )
        return graphs
    graphs = unpack(items_of_column(graphs, "graphs"))
    reader = None if isinstance(graphs, list) else find_reader(graphs)
    is_bare = reader is not None
    if isinstance(graphs, tuple) and is_bare:
        # A tuple of graphs is a list of graphs; (adjacency, x) is one graph.
        is_bare = not all(
            find_reader(graph) and len({*getattr(graph, "shape", ())}) <= 1
            for graph in graphs
        )
        if not is_bare and hasattr(graphs[0], "shape") and len(graphs) in (2, 3):
            raise InvalidGraphError(
                f"expected a list of graphs, got a tuple of {len(graphs)} square "
                "matrices, which may be one graph (adjacency, x) or several; give a "
                "list"
            )
    if is_bare:
        if reader in REFUSED:
            _refuse_lone(graphs)
        raise InvalidGraphError(
            f"expected a list of graphs, got one graph ({type(graphs).__name__}); wrap "
            "it in a list"
        )
    is_sequence = hasattr(graphs, "__len__") and hasattr(graphs, "__getitem__")
    is_list = isinstance(graphs, Iterable) or is_sequence
    # An array of no dimensions cannot be iterated over, whatever its class says.
    is_list &= getattr(graphs, "ndim", 1) != 0
    if isinstance(graphs, (str, bytes, Mapping)) or not is_list:
        raise InvalidGraphError(
            f"expected a list of graphs, got {type(graphs).__name__}; each graph is "
            f"{ACCEPTED}"
        )
    if not isinstance(graphs, Iterable):
        # A dataset with no iterator of its own, such as OGB's.
        graphs = [graphs[i] for i in range(len(graphs))]
    graphs = list(graphs)
    if not graphs:
        raise InvalidGraphError("expected at least one graph, got an empty list")
    return graphs


def _refuse_lone(graph: Any) -> None:
    """Say why a lone object is no graph either."""
    try:
        read_one(graph, NO_NAMES)
    except InvalidGraphError as error:
        raise InvalidGraphError(
            f"expected a list of graphs; what came {error.problem}", field=error.field
        ) from error


def read_one(
    graph: Any, names: AttributeNames, known: dict[type, Reader] | None = None
) -> GraphRecord:
    """Read one object by its kind; ``known`` remembers the readers of types.

    Raises
    ------
    InvalidGraphError
        Without the position of the graph.
    """
    reader = None if known is None else known.get(type(graph))
    reader = reader or find_reader(graph)
    if reader is None:
        raise InvalidGraphError(
            f"is of type {type(graph).__name__}; expected {ACCEPTED}{_hint(graph)}"
        )
    if known is not None and not isinstance(graph, (np.ndarray, tuple, Mapping)):
        known[type(graph)] = reader
    try:
        record = reader(graph, names)
        is_doubled = names.directed and record.is_directed is False
        return both_ways(record) if is_doubled else record
    except (InvalidGraphError, ImportError, MemoryError):
        raise
    except (ValueError, TypeError) as error:
        raise InvalidGraphError(str(error)) from error
    except Exception as error:
        # Whatever another library says about a graph of its own that is broken.
        raise InvalidGraphError(
            f"cannot be read: {type(error).__name__}: {error}"
        ) from error


def _hint(graph: Any) -> str:
    """What to do with an object that is no graph, if that can be guessed."""
    if isinstance(graph, str):
        return "; SMILES become graphs in MoleculeFeaturizer"
    if isinstance(graph, np.ndarray):
        return f"; this array is of dtype {graph.dtype} and shape {graph.shape}"
    if isinstance(graph, Mapping):
        keys = list(map(str, graph))
        return f"; a dictionary needs the keys 'edge_index' and 'num_nodes', got {keys}"
    if is_from(graph, "dgl", "DGLGraph"):
        return (
            "; torch_geometric.utils.from_dgl converts a graph of dgl, dgl.unbatch "
            "takes a mini-batch apart, and dgl.to_homogeneous makes one type of several"
        )
    return ""


def _read(graphs: list, names: AttributeNames) -> list[GraphRecord]:
    """Read each object by its kind."""
    records = []
    known: dict[type, Reader] = {}
    for i, graph in enumerate(graphs):
        try:
            records.append(read_one(graph, names, known))
        except InvalidGraphError as error:
            raise error.at(i) from error
    return records


def _unread_rows(values: Any) -> int:
    """Rows of whatever a Data may hold; -1 of what has none."""
    if isinstance(values, (list, tuple)):
        return len(values)
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else -1
    # A TensorFrame.
    return getattr(values, "num_rows", -1)


def _warn_unread(records: list[GraphRecord], names: AttributeNames) -> None:
    """Name attributes of Data that look like features and are not read."""
    rows: dict[str, list[tuple[int, int, int]]] = {}
    for record in filter(attrgetter("unread"), records):
        for name, values in (record.unread or {}).items():
            n_rows = _unread_rows(values)
            n_arcs = count_arcs(record.edge_index)
            rows.setdefault(name, []).append((n_rows, record.n_nodes, n_arcs))
    if not rows:
        return
    said, chosen = [], {*(names.node_attrs or ()), *(names.edge_attrs or ())}
    for what, part, columns, attrs in (
        ("node", 1, [r.node_columns for r in records], names.node_attrs),
        ("edge", 2, [r.edge_columns for r in records], names.edge_attrs),
    ):
        # One number per graph is not taken for a feature, be it of a single node.
        found = sorted(
            name
            for name, sizes in rows.items()
            if all(size[0] == size[part] for size in sizes)
            and max(size[0] for size in sizes) > 1
            and name not in chosen
            and not name.endswith("index")
        )
        chosen.update(found)
        if found and attrs is None:
            listed = ", ".join(map(repr, found))
            read = sorted({name for named in columns for name in named})
            said.append(
                f"{listed} may be features of {what}s ({what}_attrs="
                f"{[*read, *found]} reads them, {what}_attrs={read} leaves them out)"
            )
    if said:
        warn_user(
            "attributes of torch_geometric graphs that are not read: "
            f"{'; '.join(said)}: choose with as_graphs(graphs, ...)"
        )


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


def fill_in(records: list[GraphRecord], defaults: Mapping[str, Any]) -> None:
    """Give graphs without an attribute that others have its default."""
    for part in ("node_columns", "edge_columns"):
        known = {name for record in records for name in getattr(record, part)}
        for name in known & set(defaults):
            for i, record in enumerate(records):
                columns = getattr(record, part)
                n_rows = record.n_nodes
                if part == "edge_columns":
                    with Naming("edge_index", i):
                        n_rows = count_arcs(record.edge_index)
                if name not in columns and n_rows:
                    columns[name] = np.array([defaults[name]] * n_rows)


def attribute_names(
    node_attrs: Iterable[str] | None,
    edge_attrs: Iterable[str] | None,
    weight: str | None,
    defaults: Mapping[str, Any] | None,
    directed: bool | None = None,
) -> AttributeNames:
    """Parameters of as_graphs, checked."""
    return AttributeNames(
        check_names_given("node_attrs", node_attrs),
        check_names_given("edge_attrs", edge_attrs),
        weight,
        _check_defaults(defaults),
        check_directed(directed),
    )


def check_directed(directed: bool | None) -> bool | None:
    """The parameter ``directed``; a number or a word is refused."""
    if directed is None or isinstance(directed, (bool, np.bool_)):
        return directed if directed is None else bool(directed)
    raise TypeError(f"directed: expected True, False or None, got {directed!r}")


def check_attributes(records: list[GraphRecord], names: AttributeNames) -> None:
    """Refuse names of attributes that no graph has.

    A default stands in for an attribute of some graphs, not of all.
    """
    for what, wanted, columns in (
        ("node", names.node_attrs, [record.node_columns for record in records]),
        ("edge", names.edge_attrs, [record.edge_columns for record in records]),
    ):
        known = {name for named in columns for name in named}
        for name in wanted or ():
            if known and name in names.defaults and name not in known:
                raise InvalidGraphError(
                    f"{what}_attrs: no graph has an attribute {name!r}; they have "
                    f"{sorted(known)}",
                    field=str(name),
                )


def _with_fields(graphs: GraphCollection, names: AttributeNames) -> GraphCollection:
    """The wanted features of a collection."""
    if names.node_attrs is None and names.edge_attrs is None:
        return graphs

    def choose(what: str, features: Features, wanted: tuple | None) -> Features:
        try:
            kept = chosen_columns(what, features.columns(), wanted, len(features))
        except InvalidGraphError as error:
            # All graphs of a collection have the same features.
            raise error.at(0) from error
        fields = [field for field in features.fields if field.name in kept]
        columns = [(f.name, kept[f.name], f.is_categorical) for f in fields]
        texts = [field.name for field in fields if field.is_text]
        return build_features(columns, len(features), texts)

    return replace(
        graphs,
        node_features=choose("node", graphs.node_features, names.node_attrs),
        edge_features=choose("edge", graphs.edge_features, names.edge_attrs),
    )


def as_graphs(
    graphs: GraphsLike,
    *,
    categorical_features: CategoricalRule = "from_dtype",
    node_attrs: Iterable[str] | None = None,
    edge_attrs: Iterable[str] | None = None,
    weight: str | None = "weight",
    defaults: Mapping[str, Any] | None = None,
    directed: bool | None = None,
) -> GraphCollection:
    """Read a list of graphs, of any kinds, into one set of flat arrays.

    Parameters
    ----------
    graphs : iterable of graphs
        Kinds may be mixed: networkx Graph, DiGraph or MultiGraph; igraph Graph;
        torch_geometric Data (or a dataset of them); scipy sparse or square numpy
        adjacency; ``(adjacency, x)`` or ``(adjacency, x, edge_attr)``; OGB
        or Hugging Face dictionaries; rdkit molecules; graphs of a GraphCollection.
        With an adjacency, ``edge_attr`` has one row per stored entry, or one per entry
        of the upper triangle, in CSR order; beside a COO matrix in the order of its
        entries, and other sparse formats are refused. A generator is consumed once, and
        a torch_geometric Batch is a list of its graphs. Columns of a structured array
        or a DataFrame, as ``x`` or ``edge_attr``, are attributes by their own names,
        whatever their order (an index that ``to_records`` puts in front is one too).
        One column of graphs is read too: an array of objects of shape (n_graphs, 1), a
        data frame (of pandas or polars), or a dictionary.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        "from_dtype" reads integer arrays as categories and floats as numbers; True and
        False read all features as the one or the other; a list names the attributes
        that are categories (arrays are called "x" and "edge_attr"). Strings always are.
    node_attrs, edge_attrs : iterable of str, default=None
        Attributes of nodes and edges to read, each a number, a string or a vector of
        fixed length; an empty list reads none. None reads all attributes of networkx
        and igraph, ``x`` and ``edge_attr`` of a Data, and ``node_feat`` (or ``x``) and
        ``edge_feat`` (or ``edge_attr``) of a dictionary; others have to be named, as in
        ``node_attrs=["pos", "z"]``. Attributes of a graph as a whole and keys of
        parallel edges are not read.
    weight : str or None, default="weight"
        Attribute of their edges that holds the weight. None reads no weights, and an
        attribute of that name is a feature.
    defaults : dict, default=None
        Value of an attribute where a node or edge lacks it; without one that is an
        error.
    directed : bool or None, default=None
        True keeps what directions say as features; graphs stay undirected, and so do
        forests. Nodes get ``in_degree`` and ``out_degree``, log(1 + d) of the number d
        of edges that end and start there, ``in_degree_bin`` and ``out_degree_bin``, d
        as a category, and the sums ``in_weight``, ``out_weight``, and ``in_a``,
        ``out_a`` for each numeric attribute a of edges. Edges get ``weight_forward``,
        ``weight_backward``, and ``a_forward``, ``a_backward``: sums of weights and
        means of a in each direction, 0 where no edge goes. Forward is towards the end
        with more neighbours; if both have as many, both parts are the mean of the two.
        So nothing depends on how nodes are numbered, and graphs with all edges reversed
        have each pair of features swapped. Edges of a networkx Graph, an undirected
        igraph graph and a molecule go both ways. Those of other kinds go from the first
        row of ``edge_index``, or from the row of an adjacency. None and False keep
        nothing, but None warns.

    Returns
    -------
    graphs : GraphCollection
        Names of networkx's and igraph's graphs and nodes are in ``graphs.names`` and
        ``graph.node_names``. Undirected: u->v and v->u are one edge whose weight and
        features are the average of the two directions; repeats of one direction add
        their weights and average their features; one direction alone is enough;
        self-loops are dropped, with their features. Node ids carry no meaning beyond
        their graph. A weight that is not given is 1.

    Raises
    ------
    InvalidGraphError
        If a lone graph or something else than graphs comes, or features are neither
        numbers nor strings; if the list is empty; if graphs disagree about features; if
        a value is NaN, infinite or masked, a weight not positive, an edge's end out of
        range, or an edge carries contradicting categories; if a dictionary has a key
        that is not read (but "y", "label", "labels", "id", "idx", "graph_id", "name"
        and "smiles", which say nothing about nodes or edges). It is a ValueError and a
        TypeError, and names the graph by its position.

    Warns
    -----
    UserWarning
        If a directed graph of networkx or igraph is read as undirected, and says more
        than that, without ``directed=False``; if a Data has attributes that look like
        features of nodes or edges, having as many rows, and are not read (``y``, masks
        and numbers of nodes aside); or if a
        column's numbers differ, but are one number once they are cast. Numbers beyond
        65,536 keep the digits of float64 until :class:`KFCoarsener` has taken off their
        mean; smaller ones become float32.

    See Also
    --------
    check_graphs : All graphs that cannot be read, and why.
    register_reader : Read objects of another class too.

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
    names = attribute_names(node_attrs, edge_attrs, weight, defaults, directed)
    graphs = as_list(graphs)
    collection = None
    if isinstance(graphs, GraphCollection):
        collection, graphs = graphs, []
    elif all(isinstance(graph, Graph) for graph in graphs):
        collection = _gather_views(graphs)
    if collection is not None:
        if names.directed:
            check_directions(collection.node_features)
        return _with_rule(_with_fields(collection, names), rule)
    with garbage_collection_paused():
        records = _read(graphs, names)
        fill_in(records, names.defaults)
        _warn_unread(records, names)
        collated = collate(records, rule)
        check_names(rule, collated.node_features, collated.arc_features)
        check_attributes(records, names)
        _warn_of_directions(records, collated, names)
        given = _names_of(records)
    read = from_arcs(*collated, directed=bool(names.directed))
    return read if given is None else replace(read, given_names=given)


def _names_of(records: list[GraphRecord]) -> Names | None:
    """Names of graphs and nodes, those that are just positions left out."""
    of_graphs = None
    if any(record.name is not None for record in records):
        found = [i if r.name is None else r.name for i, r in enumerate(records)]
        of_graphs = NameColumn(as_names(found))
    n_nodes = np.array([record.n_nodes for record in records])
    return names_of(
        of_graphs, read_names([record.node_names for record in records], n_nodes)
    )


def _warn_of_directions(
    records: list[GraphRecord], collated: Collated, names: AttributeNames
) -> None:
    """Say that directed graphs are read as undirected, if that loses anything."""
    is_directed = np.array([bool(record.is_directed) for record in records])
    if names.directed is None and is_directed.any():
        n_nodes, n_arcs, ends, _, features, weights = collated
        if loses_directions(n_nodes, n_arcs, ends, features, weights, is_directed):
            warn_user(
                "directed graphs are read as undirected, and the two directions of an "
                "edge are averaged: as_graphs(graphs, directed=True) keeps what "
                "directions say as features, directed=False says that they do not "
                "matter"
            )


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


def _with_rule(graphs: GraphCollection, rule: CategoricalRule) -> GraphCollection:
    """Read all features of a collection as categories or numbers, as the rule says."""
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
