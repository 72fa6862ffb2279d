"""Random lists of graphs, valid and broken, of all kinds: every outcome is foreseen.

A list is read with one row per graph, or refused by a ValueError or TypeError that
names the graph (or says that no list of graphs came). Anything else is a fault, printed
with the seed that repeats it; a tenth of what is read is coarsened too, and a hundredth
classified. Prints one table and writes it as JSON.

    python examples/benchmarks/fuzz_graphs.py --lists 100000 --json fuzz.json
"""

import re
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import igraph
import networkx as nx
import numpy as np
import torch
from _bench import Benchmark
from rdkit import Chem
from scipy import sparse
from torch_geometric.data import Data

from skshake import KFCoarsener, SHAKEClassifier, as_graphs

Rng = np.random.Generator
# A refusal that does not say which graph is meant, because the list itself is wrong.
NAMES_GRAPH = re.compile(r"[Gg]raph \d+|list of graphs|at least one graph")


class Parts(dict):
    """A graph in parts: n, edges (m, 2), weight, x, edge_attr; None where not given."""


def draw_features(rng: Rng, kind: str, n_rows: int, width: int) -> np.ndarray:
    """Rows of one kind of feature."""
    shape = (n_rows, width)
    if kind == "float":
        return rng.normal(size=shape)
    if kind == "int":
        return rng.integers(-3, 9, shape)
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind == "str":
        return rng.choice(["C", "N", "Å", ""], shape)
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
        weight=rng.uniform(0.5, 2.0, m) if weighted else None,
        x=None if x is None else draw_features(rng, x, n, 2),
        edge_attr=None if edge_attr is None else draw_features(rng, edge_attr, m, 1),
    )


def attributed(parts: Parts, graph: Any, add_node: Callable, add_edge: Callable) -> Any:
    """Give a graph its nodes and edges with dictionaries of attributes."""
    for i in range(parts["n"]):
        add_node(i, {} if parts["x"] is None else {"x": parts["x"][i]})
    for k, (i, j) in enumerate(parts["edges"].tolist()):
        attributes = {}
        if parts["edge_attr"] is not None:
            attributes["edge_attr"] = parts["edge_attr"][k]
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
    return {
        "num_nodes": parts["n"],
        "edge_index": getattr(parts["edges"], "T", parts["edges"]),
        "node_feat": parts["x"],
        "edge_feat": parts["edge_attr"],
        "edge_weight": parts["weight"],
    }


def as_pyg(rng: Rng, parts: Parts) -> Any:
    def tensor(values: Any) -> Any:
        is_number = values is not None and np.asarray(values).dtype.kind in "biuf"
        return torch.from_numpy(np.array(values)) if is_number else values

    return Data(
        edge_index=tensor(parts["edges"].T),
        num_nodes=parts["n"],
        x=tensor(parts["x"]),
        edge_attr=tensor(parts["edge_attr"]),
        edge_weight=tensor(parts["weight"]),
    )


def as_matrix(rng: Rng, parts: Parts) -> Any:
    n, edges = parts["n"], parts["edges"]
    matrix = np.zeros((n, n))
    weight = np.ones(len(edges)) if parts["weight"] is None else parts["weight"]
    for (i, j), w in zip(edges.tolist(), np.ravel(weight), strict=False):
        if max(i, j) < n and min(i, j) >= 0:
            matrix[i, j] = matrix[j, i] = w
    formats = (np.asarray, sparse.csr_array, sparse.coo_matrix, sparse.csc_array)
    adjacency = formats[rng.integers(4)](matrix)
    if parts["edge_attr"] is not None:
        return adjacency, parts["x"], parts["edge_attr"]
    return adjacency if parts["x"] is None else (adjacency, parts["x"])


def as_view(rng: Rng, parts: Parts) -> Any:
    return as_graphs([as_ogb(rng, parts)])[0]


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


def spoil(rng: Rng, parts: Parts) -> None:
    """Break one thing of a graph (not every change makes it invalid)."""
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


def draw_list(rng: Rng) -> tuple[Any, int]:
    """A list of graphs, in some container, and how many there are."""
    features = [None, "float", "int", "bool", "str", "object"]
    x, edge_attr = (features[rng.integers(6)] for _ in range(2))
    weighted = bool(rng.integers(2))
    n_graphs = (
        int(rng.integers(0, 5)) if rng.random() < 0.1 else int(rng.integers(1, 5))
    )
    graphs = []
    for _ in range(n_graphs):
        other = rng.random() < 0.03
        parts = draw_parts(
            rng, features[rng.integers(6)] if other else x, edge_attr, weighted
        )
        kind = KINDS[rng.integers(len(KINDS))]
        if rng.random() < 0.15:
            spoil(rng, parts)
        try:
            graphs.append(kind(rng, parts))
        except Exception:
            # Its own library refuses to make such a graph.
            graphs.append(as_ogb(rng, parts))
        if rng.random() < 0.03:
            graphs[-1] = STRANGERS[rng.integers(len(STRANGERS))]()
    container = rng.integers(12)
    if container == 0:
        return tuple(graphs), n_graphs
    if container == 1:
        return iter(graphs), n_graphs
    if container == 2:
        array = np.empty(n_graphs, object)
        array[:] = graphs
        return array, n_graphs
    if container == 3 and n_graphs == 1:
        return graphs[0], n_graphs
    return graphs, n_graphs


def try_list(seed: int) -> str:
    """What becomes of one list: "read", "refused", or a fault in words."""
    rng = np.random.default_rng(seed)
    graphs, n_graphs = draw_list(rng)
    try:
        read = as_graphs(graphs)
    except (ValueError, TypeError) as error:
        is_named = NAMES_GRAPH.search(str(error))
        return "refused" if is_named else f"fault: names no graph: {error}"
    except Exception as error:
        return f"fault: {traceback.format_exception_only(error)[-1].strip()}"
    if len(read) != n_graphs and not isinstance(graphs, np.ndarray):
        return f"fault: {n_graphs} graphs became {len(read)}"
    step = rng.random()
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
        outcome = try_list(seed)
        outcomes[outcome.partition(":")[0]] += 1
        if outcome.startswith("fault"):
            print(f"seed {seed}: {outcome}", flush=True)
    seconds = time.perf_counter() - start
    benchmark.report({"lists": n_lists, **dict(sorted(outcomes.items()))})
    benchmark.report({"seconds": seconds})
    benchmark.write()


if __name__ == "__main__":
    main()
