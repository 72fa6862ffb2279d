"""Random lists of graphs, valid and broken, of all kinds: every outcome is foreseen.

A list is read with one row per graph, or refused by an InvalidGraphError that names the
graph (or says that no list of graphs came). Where every graph is valid the list has to
be read, with the edges, weights and features that each graph was made of, whatever its
kind; what is no single graph, or says one thing twice, has to be refused. Anything else
is a fault, printed with the seed that repeats it; a twentieth of the lists is asked for
all that is wrong with it, a third of what is read is read with its directions, a tenth
coarsened too, and a hundredth classified. A random table is tried after every fifth
list. Prints one table and writes it as JSON.

    python examples/benchmarks/fuzz_graphs.py --lists 100000 --json fuzz.json
"""

import re
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import torch
from _bench import Benchmark, say
from rdkit import Chem
from scipy import sparse
from torch_geometric.data import Batch, Data, HeteroData, TemporalData

from skshake import (
    GraphCollection,
    InvalidGraphError,
    KFCoarsener,
    SHAKEClassifier,
    as_graphs,
    check_graphs,
    graphs_from_edgelist,
)
from skshake.graphs import Graph
from skshake.graphs._features import code_strings

Rng = np.random.Generator
# A refusal that does not say which graph is meant, because the list itself is wrong.
NAMES_GRAPH = re.compile(r"[Gg]raph \d+|list of graphs|at least one graph")
# Names of single columns, where a list has them instead of "x" and "edge_attr".
NODE_NAMES, EDGE_NAMES = ["c0", "c1"], ["e0"]


class Parts(dict):
    """A graph in parts: n, edges (m, 2), weight, x, edge_attr; None where not given.

    ``is_named`` says that columns have names of their own, ``is_spoilt`` that it need
    not be valid, ``must_refuse`` that it was made into something invalid on purpose.
    """

    is_named = False
    is_spoilt = False
    must_refuse = False

    def columns(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays of nodes and of edges by name, none where not given."""
        sides: list[dict[str, Any]] = []
        for name, names in (("x", NODE_NAMES), ("edge_attr", EDGE_NAMES)):
            values = self[name]
            if values is None:
                sides.append({})
            elif self.is_named:
                sides.append(
                    {
                        column: np.array(values[:, k].tolist(), column_type(values, k))
                        for k, column in enumerate(names)
                    }
                )
            else:
                sides.append({name: values})
        return sides[0], sides[1]

    def options(self) -> dict[str, Any]:
        """What as_graphs has to be told to read named columns from every kind."""
        if not self.is_named:
            return {}
        return {
            "node_attrs": None if self["x"] is None else NODE_NAMES,
            "edge_attrs": None if self["edge_attr"] is None else EDGE_NAMES,
        }


def column_type(values: np.ndarray, k: int) -> Any:
    """Type of one column; objects are numbers and strings in turn."""
    return values.dtype if values.dtype != object else ("f8", "U1")[k % 2]


def draw_features(rng: Rng, kind: str, n_rows: int, width: int) -> np.ndarray:
    """Rows of one kind of feature; floats are such that bfloat16 holds them too."""
    shape = (n_rows, width)
    if kind == "float":
        return rng.integers(-127, 128, shape) / 8
    if kind == "int":
        return rng.integers(-3, 9, shape)
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind == "str":
        return rng.choice(["C", "N", "Å", ""], shape)
    if kind == "nothing":
        return np.empty((n_rows, 0))
    table = np.empty(shape, object)
    for k in range(width):
        table[:, k] = rng.choice(["a", "b"], n_rows) if k % 2 else rng.random(n_rows)
    return table


def draw_parts(rng: Rng, x: str | None, edge_attr: str | None, weighted: bool) -> Parts:
    """A valid graph, sometimes without nodes or edges."""
    n = int(rng.choice([0, 1, 2, 3, 6], p=[0.05, 0.1, 0.15, 0.3, 0.4]))
    edges = np.argwhere(np.triu(rng.random((n, n)) < 0.5, 1))
    m = len(edges)
    return Parts(
        n=n,
        edges=edges,
        weight=rng.integers(8, 33, m) / 16 if weighted else None,
        x=None if x is None else draw_features(rng, x, n, 2),
        edge_attr=None if edge_attr is None else draw_features(rng, edge_attr, m, 1),
    )


class Rows(NamedTuple):
    """Directed rows of a graph: ends (2, n_rows), weight and columns of each."""

    ends: Any
    weight: Any
    columns: dict[str, Any]


def draw_rows(rng: Rng, parts: Parts) -> Rows:
    """Edges as rows, one way or both ways, in any order."""
    edges, weight, columns = parts["edges"], parts["weight"], parts.columns()[1]
    if parts.is_spoilt:
        return Rows(getattr(edges, "T", edges), weight, columns)
    m = len(edges)
    order = rng.permutation(m)
    if rng.integers(2):
        order = np.concatenate([order, rng.permutation(m)])
    is_second = np.arange(len(order)) >= m
    ends = np.where(is_second[:, None], edges[order, ::-1], edges[order]).T
    return Rows(
        ends,
        None if weight is None else weight[order],
        {name: values[order] for name, values in columns.items()},
    )


def attributed(parts: Parts, graph: Any, add_node: Callable, add_edge: Callable) -> Any:
    """Give a graph its nodes and edges with dictionaries of attributes."""
    nodes, edges = parts.columns()
    for i in range(parts["n"]):
        add_node(i, {name: values[i] for name, values in nodes.items()})
    for k, (i, j) in enumerate(parts["edges"].tolist()):
        attributes = {name: values[k] for name, values in edges.items()}
        if parts["weight"] is not None:
            attributes["weight"] = parts["weight"][k]
        add_edge(i, j, attributes)
    return graph


def as_networkx(rng: Rng, parts: Parts) -> Any:
    kinds = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    graph = kinds[rng.integers(4)]()
    return attributed(
        parts,
        graph,
        lambda i, row: graph.add_node(f"n{i}", **row),
        lambda i, j, row: graph.add_edge(f"n{i}", f"n{j}", **row),
    )


def as_igraph(rng: Rng, parts: Parts) -> Any:
    graph = igraph.Graph(directed=bool(rng.integers(2)))
    return attributed(
        parts,
        graph,
        lambda i, row: graph.add_vertex(**row),
        lambda i, j, row: graph.add_edge(i, j, **row),
    )


def as_ogb(rng: Rng, parts: Parts) -> Any:
    """A dictionary of OGB, or with the keys and nested lists of others."""
    parts.must_refuse = False
    rows, nodes = draw_rows(rng, parts), parts.columns()[0]
    graph = {"num_nodes": parts["n"], "edge_index": rows.ends}
    if rows.weight is not None:
        graph["edge_weight"] = rows.weight
    is_sister, is_json = rng.integers(2, size=2).tolist()
    keys = {} if is_sister else {"x": "node_feat", "edge_attr": "edge_feat"}
    for name, values in {**nodes, **rows.columns}.items():
        graph[keys.get(name, name)] = values
    if is_json:
        for name, values in graph.items():
            graph[name] = values.tolist() if hasattr(values, "tolist") else values
    if is_sister:
        graph |= {"y": [1], "id": 7}
    if rng.random() < 0.02:
        graph["node_features"] = [0.0]
        parts.must_refuse = True
    return graph


def as_pyg(rng: Rng, parts: Parts) -> Any:
    """A Data of any type of floats, sometimes with positions that are not read."""
    types = (torch.float64, torch.float32, torch.bfloat16, torch.half)
    dtype, wants_gradient = types[rng.integers(len(types))], bool(rng.integers(2))

    def tensor(values: Any) -> Any:
        if values is None or np.asarray(values).dtype.kind not in "biuf":
            return values
        made = torch.from_numpy(np.array(values))
        if parts.is_spoilt or not made.is_floating_point():
            return made
        # What has more digits than the drawn type keeps its own.
        is_exact = bool((made.to(dtype) == made).all())
        return made.to(dtype if is_exact else made.dtype).requires_grad_(wants_gradient)

    rows, nodes = draw_rows(rng, parts), parts.columns()[0]
    graph = Data(edge_index=tensor(rows.ends), num_nodes=parts["n"])
    if rows.weight is not None:
        graph.edge_weight = tensor(rows.weight)
    for name, values in {**nodes, **rows.columns}.items():
        graph[name] = tensor(values)
    if rng.integers(2):
        graph.pos, graph.y = torch.rand(8, 3), torch.ones(1)
    return graph


def as_table(rng: Rng, columns: dict[str, Any]) -> Any:
    """Named columns in any order as a record array or a data frame; arrays as is."""
    if not columns.keys() & {*NODE_NAMES, *EDGE_NAMES}:
        return next(iter(columns.values()), None)
    order = rng.permutation(sorted(columns)).tolist()
    frame = pd.DataFrame({name: columns[name] for name in order})
    if rng.integers(2):
        return frame
    records = np.empty(len(frame), [(name, columns[name].dtype) for name in order])
    for name in order:
        records[name] = columns[name]
    return records


def as_matrix(rng: Rng, parts: Parts) -> Any:
    """An adjacency, dense or sparse; entries of a COO matrix come in any order."""
    n, edges, (nodes, columns) = parts["n"], parts["edges"], parts.columns()
    x, edge_attr = as_table(rng, nodes), parts["edge_attr"]
    formats = ("dense", "csr", "coo", "csc", "lil", "dok", "dia", "bsr")
    form = formats[rng.integers(3 if rng.integers(4) else len(formats))]
    if form == "coo" and not parts.is_spoilt:
        rows = draw_rows(rng, parts)
        weight = np.ones(rows.ends.shape[1]) if rows.weight is None else rows.weight
        adjacency = sparse.coo_array((weight, rows.ends), (n, n))
        edge_attr = as_table(rng, rows.columns)
        return (adjacency, x) if edge_attr is None else (adjacency, x, edge_attr)
    matrix = np.zeros((n, n))
    weight = np.ones(len(edges)) if parts["weight"] is None else parts["weight"]
    for (i, j), w in zip(edges.tolist(), np.ravel(weight), strict=False):
        if max(i, j) < n and min(i, j) >= 0:
            matrix[i, j] = matrix[j, i] = w
    adjacency = matrix if form == "dense" else sparse.csr_array(matrix).asformat(form)
    if edge_attr is None:
        return adjacency if x is None else (adjacency, x)
    if form not in ("dense", "csr", "coo"):
        parts.must_refuse = True
    if not parts.is_spoilt and rng.integers(2):
        # One row per stored entry instead of one per edge.
        number = np.zeros((n, n), int)
        number[tuple(edges.T)] = number[tuple(edges.T[::-1])] = np.arange(len(edges))
        order = number[np.nonzero(matrix)]
        columns = {name: values[order] for name, values in columns.items()}
    return adjacency, x, as_table(rng, columns)


def as_view(rng: Rng, parts: Parts) -> Any:
    return as_graphs([as_ogb(rng, parts)], **parts.options())[0]


KINDS = (as_networkx, as_igraph, as_ogb, as_pyg, as_matrix, as_view)
# Objects that are no graphs, but come close.
STRANGERS: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: 7,
    lambda: "CCO",
    lambda: b"graph",
    lambda: {},
    lambda: {"edge_index": np.zeros((2, 1), int)},
    lambda: [],
    lambda: [[0, 1], [1, 0]],
    lambda: np.zeros((2, 3)),
    lambda: np.zeros(4),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.array([["a", "b"], ["c", "d"]]),
    lambda: np.eye(2, dtype=complex),
    lambda: (np.eye(2),),
    lambda: (np.eye(2), np.ones((2, 1)), np.ones((1, 1)), 4),
    lambda: Data(),
    lambda: Data(x=torch.ones(2, 1)),
    lambda: torch.eye(3),
    lambda: nx.path_graph,
    lambda: Chem.MolFromSmiles("CCO"),
    object,
)
# Objects that come close to a graph, and must never be read as one.
NO_GRAPHS: tuple[Callable[[], Any], ...] = (
    lambda: Batch.from_data_list([Data(x=torch.ones(2, 1))] * 2),
    lambda: Batch.from_data_list([Data(num_nodes=1)]),
    lambda: Data(x=torch.ones(2, 1), batch=torch.arange(2)),
    lambda: HeteroData(),
    lambda: TemporalData(src=torch.zeros(1).long(), dst=torch.ones(1).long()),
    lambda: {"edge_index": [[0], [1]], "num_nodes": 2, "edge_features": [1.0]},
    lambda: {"edge_index": [[0, 1], [1]], "num_nodes": 2},
    lambda: {"edge_index": [[0], [1]], "num_nodes": "2"},
    lambda: {"edge_index": [[0], [1]], "num_nodes": True},
    lambda: {"edge_index": np.zeros((2, 1), [("i", "i8")]), "num_nodes": 2},
    lambda: np.ones((2, 2), [("weight", "f8")]),
    lambda: (np.ones((2, 2)), np.zeros((2, 1), "V4")),
    lambda: (np.ones((2, 2)), np.ma.array([1.0, 2.0], mask=[0, 1])),
    lambda: np.ma.array(np.ones((2, 2)), mask=np.eye(2)),
    lambda: Data(x=torch.ones(2, 1).to_sparse(), edge_index=torch.ones(2, 0).long()),
    lambda: Data(x=torch.ones(2, 1, device="meta")),
    lambda: Data(x=torch.ones(2, 1), edge_index=torch.zeros(2, 1).bfloat16()),
    lambda: {"edge_index": np.full((2, 1), 2**63, np.uint64), "num_nodes": 2},
)


def spoil(rng: Rng, parts: Parts) -> None:
    """Break one thing of a graph (not every change makes it invalid)."""
    parts.is_spoilt = True
    field = rng.choice(["n", "edges", "weight", "x", "edge_attr"])
    rows = {"n": None, "edges": 2, "weight": None, "x": parts["n"]}.get(
        field, len(parts["edges"])
    )
    values = parts[field]
    odd = [np.nan, np.inf, -np.inf, 1e300, -1, 2**40, "text", None, Decimal(1), 1j]
    if field == "n":
        parts["n"] = [-1, 0, 1, 10**6, 2.5, "3"][rng.integers(6)]
        return
    if field == "weight":
        values = np.ones(len(parts["edges"])) if values is None else values
    if values is None:
        values = np.ones((int(rows or 0), 2))
    choice = rng.integers(9)
    if choice == 0:
        parts[field] = None if field != "edges" else values[:0]
    elif choice == 1:
        parts[field] = values[:-1]
    elif choice == 2:
        parts[field] = np.concatenate([values, values])
    elif choice == 3:
        parts[field] = values.T
    elif choice == 4:
        parts[field] = values[..., None]
    elif choice == 5 and values.size:
        table = values.astype(object)
        table.flat[rng.integers(values.size)] = odd[rng.integers(len(odd))]
        parts[field] = table
    elif choice == 6 and values.size and values.dtype.kind in "if":
        spoilt = values.copy()
        spoilt.flat[rng.integers(values.size)] = [-1, 99, 0][rng.integers(3)]
        parts[field] = spoilt
    elif choice == 7:
        types = [np.float16, np.int8, np.uint64, complex, "U5", "M8[s]"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                parts[field] = values.astype(types[rng.integers(len(types))])
            except (ValueError, TypeError):
                parts[field] = values.astype(object)
    elif choice == 8:
        parts[field] = values.tolist()


class Drawn(NamedTuple):
    """A list of graphs, what they were made of, and what has to come of it."""

    graphs: Any
    parts: list[Parts | None]
    options: dict[str, Any]
    is_valid: bool

    @property
    def must_refuse(self) -> bool:
        """Whether some graph is none on purpose."""
        return any(parts is not None and parts.must_refuse for parts in self.parts)


def draw_list(rng: Rng) -> Drawn:
    """A list of graphs, in some container."""
    is_named = rng.random() < 0.25
    features = [None, "float", "int", "bool", "str", "object", "nothing"]
    x, edge_attr = (features[rng.integers(6 if is_named else 7)] for _ in range(2))
    weighted = bool(rng.integers(2))
    n_graphs = (
        int(rng.integers(0, 5)) if rng.random() < 0.1 else int(rng.integers(1, 5))
    )
    kinds = KINDS if rng.random() < 0.9 else (as_pyg,)
    graphs, made, options, is_valid = [], [], {}, n_graphs > 0
    for _ in range(n_graphs):
        other = rng.random() < 0.03 and not is_named
        parts = draw_parts(
            rng, features[rng.integers(7)] if other else x, edge_attr, weighted
        )
        parts.is_named = is_named
        options = parts.options()
        kind = kinds[rng.integers(len(kinds))]
        if rng.random() < 0.15 and not is_named:
            spoil(rng, parts)
        try:
            graph = kind(rng, parts)
        except Exception:
            # Its own library refuses to make such a graph.
            graph = as_ogb(rng, parts)
        is_valid &= not (other or parts.is_spoilt or parts.must_refuse)
        if rng.random() < 0.03:
            parts, is_valid = None, False
            graph = STRANGERS[rng.integers(len(STRANGERS))]()
        elif rng.random() < 0.02:
            parts, is_valid = Parts(), False
            graph = NO_GRAPHS[rng.integers(len(NO_GRAPHS))]()
            parts.is_spoilt = parts.must_refuse = True
        graphs.append(graph)
        made.append(parts)
    drawn = Drawn(graphs, made, options, is_valid)
    container = rng.integers(12)
    if container == 0:
        return drawn._replace(graphs=tuple(graphs), is_valid=False)
    if container == 1:
        return drawn._replace(graphs=iter(graphs))
    if container == 2:
        array = np.empty(n_graphs, object)
        for i, graph in enumerate(graphs):
            array[i] = graph
        return drawn._replace(graphs=array)
    # A mini-batch is no graph in a list, but a list by itself.
    if container == 3 and n_graphs == 1 and not isinstance(graphs[0], Batch):
        return drawn._replace(graphs=graphs[0], is_valid=False)
    if container >= 6 and kinds == (as_pyg,) and is_valid:
        try:
            return drawn._replace(graphs=Batch.from_data_list(graphs))
        except Exception:
            # It cannot join what some graphs lack, or strings.
            return drawn
    return drawn


def find_difference(graph: Graph, parts: Parts) -> str | None:
    """What was read otherwise than the graph was made."""
    weight = (
        np.ones(len(parts["edges"])) if parts["weight"] is None else parts["weight"]
    )
    if graph.n_nodes != parts["n"]:
        return f"{parts['n']} nodes became {graph.n_nodes}"
    if len(graph.node_names) != graph.n_nodes:
        return f"{graph.n_nodes} nodes have {len(graph.node_names)} names"
    if not np.array_equal(graph.edges, parts["edges"]):
        return f"the edges {parts['edges'].tolist()} became {graph.edges.tolist()}"
    if not np.array_equal(graph.edge_weight, weight):
        return f"the weights {weight.tolist()} became {graph.edge_weight.tolist()}"
    for name, features in (
        ("x", graph.node_features),
        ("edge_attr", graph.edge_features),
    ):
        values = np.empty((len(features), 0)) if parts[name] is None else parts[name]
        columns = [
            column for array in features.columns().values() for column in array.T
        ]
        if len(features) and len(columns) != values.shape[1]:
            return f"{name} of {values.shape[1]} columns became {len(columns)}"
        for column, given in zip(columns, values.T, strict=False):
            expected = np.array(given.tolist())
            if expected.dtype.kind == "U":
                expected = code_strings(expected)
            if not np.array_equal(column, expected.astype(column.dtype)):
                return f"{name} {given.tolist()} became {column.tolist()}"
    return None


def check_directions(drawn: Drawn, plain: GraphCollection) -> str | None:
    """Whether directions add features to the same graphs, and change nothing else."""
    if any(isinstance(graph, Graph) for graph in drawn.graphs):
        # Of a collection, which has no directions any more.
        return None
    read = as_graphs(drawn.graphs, **drawn.options, directed=True)
    for name in ("node_features", "edge_features"):
        columns = getattr(read, name).columns()
        for field, values in getattr(plain, name).columns().items():
            if not np.array_equal(columns[field], values):
                return f"directions change {field} of {name}"
    nodes, edges = (f.columns() for f in (read.node_features, read.edge_features))
    pairs = [(nodes, name, f"out_{name[3:]}") for name in nodes if name[:3] == "in_"]
    for columns, one, other in pairs:
        is_sum = not one.startswith("in_degree")
        sums = columns[one].sum(), columns[other].sum()
        if is_sum and not np.isclose(*sums, rtol=1e-4, atol=1e-4):
            return f"{one} and {other} have the sums {sums}"
    total = edges["weight_forward"] + edges["weight_backward"]
    if len(total) and not (total > 0).all():
        return f"edges without a weight in either direction: {total.tolist()}"
    same = np.array_equal(read.edges, plain.edges)
    return None if same else "directions change edges"


def draw_tables(rng: Rng) -> tuple[dict[str, Any], pd.DataFrame]:
    """Tables of edges and nodes with random options, and what the edges are."""
    n_rows = int(rng.integers(0, 12))
    frame = pd.DataFrame(
        {
            "case": rng.choice([1, 2, 3], n_rows),
            "month": rng.choice(["May", "June"], n_rows),
            "source": rng.choice(list("abcd"), n_rows),
            "target": rng.choice(list("abcd"), n_rows),
            "amount": rng.integers(1, 40, n_rows) / 4,
            "kind": rng.choice(["x", "y"], n_rows),
            "time": np.datetime64("2026-01-01T00:00:00")
            + rng.integers(0, 99, n_rows).astype("m8[h]"),
        }
    )
    graph = [["case"], ["case", "month"], "month"][rng.integers(3)]
    options: dict[str, Any] = {"graph": graph, "directed": bool(rng.integers(2))}
    attrs = [name for name in ("amount", "kind", "time") if rng.integers(2)]
    options["edge_attrs"] = attrs
    numbers = ["sum", "mean", "min", "max"]
    counts = ["most_frequent", "count", ["x", "y", "z"]]
    ways = {"amount": numbers, "time": numbers, "kind": counts}
    options["aggregate"] = {name: ways[name][rng.integers(3)] for name in attrs}
    if rng.integers(2):
        options["weight"] = "amount"
    if rng.integers(2):
        options |= {"nodes": pd.DataFrame({"node": list("dcba"), "f": range(4)})}
        options["node_attrs"] = ["f"]
    return options, frame


def try_tables(seed: int) -> str:
    """What becomes of random tables: "read", "refused", or a fault in words."""
    rng = np.random.default_rng(seed)
    options, frame = draw_tables(rng)
    is_spoilt = rng.random() < 0.2 and len(frame) > 0
    if is_spoilt:
        name = frame.columns[rng.integers(len(frame.columns))]
        frame[name] = frame[name].astype(object)
        frame.loc[rng.integers(len(frame)), name] = [None, -1.0, "?", 3][
            rng.integers(4)
        ]
    columns = [options["graph"]] if options["graph"] == "month" else options["graph"]
    try:
        graphs = graphs_from_edgelist(frame, **options)
    except InvalidGraphError as error:
        is_empty = not len(frame) and "at least one" in str(error)
        return "refused" if is_spoilt or is_empty else f"fault: refused: {error}"
    except Exception as error:
        return f"fault: {traceback.format_exception_only(error)[-1].strip()}"
    if is_spoilt:
        return "read"
    of_graph = dict(list(frame.groupby(columns)))
    for graph in graphs:
        key = graph.name if isinstance(graph.name, tuple) else (graph.name,)
        rows = of_graph[key]
        nodes = sorted({*rows["source"], *rows["target"]})
        pairs = {tuple(sorted(p)) for p in rows[["source", "target"]].to_numpy()}
        edges = {(u, v) for u, v in pairs if u != v}
        named = graph.node_names[graph.edges]
        if graph.node_names.tolist() != nodes:
            return f"fault: nodes {nodes} became {graph.node_names.tolist()}"
        if {tuple(sorted(edge)) for edge in named.tolist()} != edges:
            return f"fault: edges {edges} became {named.tolist()}"
    return "read" if len(graphs) == len(of_graph) else "fault: graphs are missing"


def check_all(drawn: Drawn, is_read: bool) -> str | None:
    """Whether check_graphs finds what as_graphs refuses, and nothing else."""
    try:
        problems = check_graphs(drawn.graphs, **drawn.options)
    except InvalidGraphError:
        return "check_graphs refuses what as_graphs reads" if is_read else None
    bad = {problem.graph for problem in problems}
    if bool(bad) == is_read or len(bad) < len(problems):
        return f"check_graphs says {problems}"
    rest = [graph for i, graph in enumerate(drawn.graphs) if i not in bad]
    try:
        return rest and as_graphs(rest, **drawn.options) and None
    except InvalidGraphError as error:
        return f"beside {sorted(bad)}: {error}"


def try_list(seed: int) -> str:
    """What becomes of one list: "read", "refused", or a fault in words."""
    rng = np.random.default_rng(seed)
    drawn = draw_list(rng)
    graphs, n_graphs, step = drawn.graphs, len(drawn.parts), rng.random()
    is_checked = isinstance(graphs, list) and rng.random() < 0.05
    try:
        read = as_graphs(graphs, **drawn.options)
    except InvalidGraphError as error:
        if not NAMES_GRAPH.search(str(error)):
            return f"fault: names no graph: {error}"
        if drawn.is_valid:
            return f"fault: refused what is valid: {error}"
        problem = check_all(drawn, is_read=False) if is_checked else None
        return f"fault: {problem}" if problem else "refused"
    except Exception as error:
        return f"fault: {traceback.format_exception_only(error)[-1].strip()}"
    if len(read) != n_graphs:
        # A lone object that is no graph may be a list of some, such as a stack.
        is_lone = not isinstance(graphs, list) and drawn.parts == [None]
        return "read" if is_lone else f"fault: {n_graphs} graphs became {len(read)}"
    if drawn.must_refuse:
        return "fault: read what had to be refused"
    for i, parts in enumerate(drawn.parts):
        if parts is not None and not parts.is_spoilt:
            difference = find_difference(read[i], parts)
            if difference:
                return f"fault: graph {i}: {difference}"
    problem = check_all(drawn, is_read=True) if is_checked else None
    if not problem and drawn.is_valid and isinstance(graphs, list) and step < 0.3:
        problem = check_directions(drawn, read)
    if problem:
        return f"fault: {problem}"
    if step > 0.1:
        return "read"
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    try:
        hierarchies = coarsener.fit_transform(read)
        if len(hierarchies) != len(read):
            return f"fault: {len(read)} graphs gave {len(hierarchies)} hierarchies"
        if step > 0.01:
            return "coarsened"
        model = SHAKEClassifier(hidden_dim=4, n_layers=1, max_iter=1, random_state=0)
        proba = model.fit(hierarchies, np.arange(len(read)) % 2)
        outputs = proba.predict_proba(hierarchies)
    except Exception as error:
        return f"fault: {traceback.format_exception_only(error)[-1].strip()}"
    is_right = len(outputs) == len(read) and np.isfinite(outputs).all()
    return "classified" if is_right else f"fault: outputs {outputs}"


def main() -> None:
    """Run the fuzzer."""
    benchmark = Benchmark(__doc__, lists=10_000, first=0)
    arguments = benchmark.arguments
    n_lists = arguments.lists // benchmark.scale
    outcomes: Counter[str] = Counter()
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    for seed in range(arguments.first, arguments.first + n_lists):
        tries = [try_list] if seed % 5 else [try_list, try_tables]
        for attempt in tries:
            outcome = attempt(seed)
            outcomes[outcome.partition(":")[0]] += 1
            if outcome.startswith("fault"):
                say(f"{attempt.__name__}, seed {seed}: {outcome}")
    seconds = time.perf_counter() - start
    benchmark.report({"lists": n_lists, **dict(sorted(outcomes.items()))})
    benchmark.report({"seconds": seconds})
    benchmark.write()


if __name__ == "__main__":
    main()
