"""Tables of edges and nodes to graphs."""

import numpy as np
import pandas as pd
import pytest

from skshake import graphs_from_edgelist

EDGES = pd.DataFrame(
    {"graph": ["b", "a", "a"], "source": [1, 5, 6], "target": [2, 6, 7]}
)
NODES = pd.DataFrame(
    {"graph": list("aaaabb"), "node": [7, 6, 5, 9, 1, 2], "f": np.arange(6.0)}
)


def test_tables_follow_the_order_that_is_asked_for():
    graphs = graphs_from_edgelist(
        EDGES, nodes=NODES, node_attrs=["f"], graph_ids=["b", "none", "a"]
    )
    assert np.diff(graphs.node_ptr).tolist() == [2, 0, 4]
    assert graphs.node_features.numeric[:, 0].tolist() == [4, 5, 0, 1, 2, 3]
    assert graphs[2].edges.tolist() == [[0, 1], [1, 2]]
    assert np.diff(graphs_from_edgelist(EDGES).node_ptr).tolist() == [3, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": NODES[:3]}, "an edge of graph b joins node 1, which has no row"),
        ({"graph": "g"}, "edges: expected a column 'g'"),
        ({"graph_ids": ["a", "a"]}, "graph_ids: expected at least one, each once"),
        ({"nodes": pd.concat([NODES, NODES[:1]])}, "node 7 comes twice in graph a"),
        ({"node_attrs": ["f"]}, "expected a table `nodes`"),
        ({"edges": EDGES.assign(source=[1, None, 6])}, "'source' is missing in row 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_tables_are_refused(changes, message):
    arguments = {"edges": EDGES, **changes}
    with pytest.raises(ValueError, match=message):
        graphs_from_edgelist(arguments.pop("edges"), **arguments)


def test_text_and_numbers_are_never_the_same_name():
    with pytest.raises(TypeError, match="names of nodes: expected either text"):
        graphs_from_edgelist(EDGES.assign(source=["1", "5", "6"]))
    with pytest.raises(TypeError, match="names of graphs: expected either text"):
        graphs_from_edgelist(EDGES, graph_ids=[1, 2])
    with pytest.raises(ValueError, match="no row of the tables names any"):
        graphs_from_edgelist(EDGES, graph_ids=["x", "y"])


def test_tables_by_hand():
    edges = {
        "graph": ["b", "a", "b"],
        "source": ["y", "u", "x"],
        "target": ["x", "v", "z"],
        "weight": [2.0, 3.0, 4.0],
        "kind": ["single", "double", "single"],
    }
    graphs = graphs_from_edgelist(edges, weight="weight", edge_attrs=["kind"])
    # Graphs and nodes are sorted by name: a has u, v; b has x, y, z.
    assert graphs.node_ptr.tolist() == [0, 2, 5]
    assert [graph.edges.tolist() for graph in graphs] == [[[0, 1]], [[0, 1], [0, 2]]]
    assert graphs.edge_weight.tolist() == [3.0, 2.0, 4.0]
    codes = graphs.edge_features.categories.ravel()
    assert codes[1] == codes[2] != codes[0]


def test_tables_are_those_of_dictionaries(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_rows, kinds = 60, rng.permutation(40)
    table = pd.DataFrame(
        {
            "graph": rng.choice(kinds[:6], n_rows),
            "source": rng.choice(kinds[6:14], n_rows),
            "target": rng.choice(kinds[6:14], n_rows),
            "length": rng.normal(size=n_rows),
        }
    )
    graphs = graphs_from_edgelist(table, edge_attrs=["length"])
    for graph, (_, rows) in zip(graphs, table.groupby("graph"), strict=True):
        names = sorted({*rows["source"], *rows["target"]})
        assert graph.n_nodes == len(names)
        lengths = {}
        for row in rows.itertuples():
            u, v = names.index(row.source), names.index(row.target)
            if u != v:
                ways = lengths.setdefault((min(u, v), max(u, v)), {})
                ways.setdefault(u < v, []).append(row.length)
        assert list(map(tuple, graph.edges.tolist())) == sorted(lengths)
        for pair, found in zip(sorted(lengths), graph.edge_attr.ravel(), strict=True):
            mean = np.mean([np.mean(way) for way in lengths[pair].values()])
            # Rounded to float32.
            assert found == pytest.approx(mean, rel=1e-6, abs=1e-6)


def test_nodes_without_edges_come_from_their_table():
    nodes = {"graph": [1, 1, 2], "node": [7, 5, 7], "x": [0.5, 1.5, 2.5]}
    edges = {"graph": [1], "source": [5], "target": [7]}
    graphs = graphs_from_edgelist(edges, nodes=nodes, node_attrs=["x"])
    assert graphs.node_ptr.tolist() == [0, 2, 3]
    # The order is that of the table.
    assert graphs.node_features.numeric.ravel().tolist() == [0.5, 1.5, 2.5]
    assert graphs.edges.tolist() == [[0, 1]]
    none = {name: np.array([], int) for name in ("graph", "source", "target")}
    assert graphs_from_edgelist(none, nodes=nodes).node_ptr.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weight": "w", "edges": EDGES.assign(w=[1.0, -2.0, 1.0])},
            r"Graph 'a': edge weight -2.0 in 'w'; expected positive .*"
            r"\(row 1 of edges: graph 'a', source 5, target 6\)",
        ),
        (
            {"weight": "w", "edges": EDGES.assign(w=["1", "2", "3"])},
            "edges: 'w': expected numbers as weights",
        ),
        (
            {"edge_attrs": ["a"], "edges": EDGES.assign(a=[1.0, np.inf, 1.0])},
            r"Graph 'a': a holds inf; expected finite numbers "
            r"\(row 1 of edges: graph 'a', source 5, target 6\)",
        ),
        (
            {
                "nodes": NODES.assign(f=NODES["f"] + 0.5),
                "node_attrs": ["f"],
                "categorical_features": ["f"],
            },
            r"Graph 'a': f: a category must be .* got 0.5 "
            r"\(row 0 of nodes: graph 'a', node 7\)",
        ),
        ({"edges": [1, 2]}, "edges: expected a data frame, one row per edge, got list"),
        ({"nodes": 3}, "nodes: expected a data frame, one row per node, got int"),
        ({"graph_ids": "ab"}, "graph_ids: expected a list of ids, got 'ab'"),
        ({"graph_ids": ["a", None]}, "graph_ids: id 1 is missing"),
        (
            {"edges": pd.concat([EDGES, EDGES[["source"]]], axis=1)},
            "edges: several columns are called 'source'",
        ),
        ({"categorical_features": ["f"]}, "no attribute is called 'f'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_messages_name_ids_and_rows_of_the_tables(arguments, message):
    arguments = {"edges": EDGES, **arguments}
    edges = arguments.pop("edges")
    with pytest.raises(ValueError, match=message):
        graphs_from_edgelist(edges, **arguments)


def test_contradicting_categories_name_nodes():
    edges = pd.DataFrame(
        {"graph": ["g"] * 2, "source": ["u", "v"], "target": ["v", "u"], "k": [1, 2]}
    )
    with pytest.raises(
        ValueError, match=r"Graph 'g': the rows of edge \('v', 'u'\) carry"
    ):
        graphs_from_edgelist(edges, edge_attrs=["k"])


def test_names_of_nodes_mean_nothing_beyond_their_graph():
    graphs = graphs_from_edgelist(
        {"graph": [0, 1], "source": ["u", "w"], "target": ["v", "u"]}
    )
    assert graphs.node_ptr.tolist() == [0, 2, 4]
    assert graphs.edges.tolist() == [[0, 1], [0, 1]]
