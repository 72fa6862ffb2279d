"""Graphs of networkx and igraph, whose nodes and edges carry dictionaries."""

import igraph
import networkx as nx
import numpy as np
import pytest

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import NO_NAMES
from skshake.graphs._read_attributes import read_igraph, read_networkx
from skshake.graphs._records import AttributeNames
from tests._helpers.kinds import EDGES, WEIGHT, X, as_networkx


def test_networkx_features_follow_their_node_whatever_its_name():
    graph = as_graphs([as_networkx()])[0]
    # Nodes were added in the order 3, 1, 0, 2 of the other kinds.
    np.testing.assert_allclose(graph.x, X[[3, 1, 0, 2]].astype(np.float32))
    old = np.array([3, 1, 0, 2])[graph.edges]
    weights = {
        frozenset(pair): w
        for pair, w in zip(old.tolist(), graph.edge_weight, strict=True)
    }
    assert weights == {
        frozenset(e): w for e, w in zip(EDGES, WEIGHT.tolist(), strict=True)
    }


def test_networkx_attributes_of_both_kinds_sit_side_by_side():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 1, 1: 2, 2: 1}, "element")
    nx.set_node_attributes(graph, {0: 0.1, 1: 0.2, 2: 0.3}, "charge")
    assert as_graphs([graph]).node_features.widths == (1, 1)
    assert as_graphs([graph], node_attrs=["charge"]).node_features.widths == (1, 0)
    assert as_graphs([graph], node_attrs=[]).node_features.widths == (0, 0)


def test_a_missing_networkx_attribute_names_the_node_or_edge():
    graph = as_networkx()
    del graph.nodes["c"]["x"]
    with pytest.raises(ValueError, match="Graph 1: node 'c' has no attribute 'x'"):
        as_graphs([as_networkx(), graph])
    graph = nx.path_graph(3)
    graph.edges[0, 1]["weight"] = 1.0
    with pytest.raises(ValueError, match=r"edge \(1, 2\) has no attribute 'weight'"):
        as_graphs([graph])


def test_missing_attributes_get_their_default():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): 2.0}, "weight")
    nx.set_node_attributes(graph, {0: "C"}, "element")
    with pytest.raises(ValueError, match=r"Graph 0: edge \(1, 2\) has no attribute"):
        as_graphs([graph], node_attrs=[])
    read = as_graphs([graph], defaults={"weight": 1.0, "element": "?"})
    assert read.edge_weight.tolist() == [2.0, 1.0]
    assert len(np.unique(read.node_features.categories)) == 2


def test_defaults_reach_graphs_without_the_attribute():
    full, bare = nx.path_graph(3), nx.path_graph(3)
    full.add_edge(0, 1, weight=5.0)
    nx.set_node_attributes(full, "C", "element")
    read = as_graphs([full, bare], defaults={"weight": 2.0, "element": "?"})
    assert read.edge_weight.tolist() == [5.0, 2.0, 2.0, 2.0]
    assert len(np.unique(read.node_features.categories)) == 2


def test_strings_and_numbers_do_not_mix():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: "C", 1: 1.0}, "element")
    with pytest.raises(TypeError, match=r"Graph 0: node attribute 'element'.*both"):
        as_graphs([graph])
    one, other = nx.path_graph(2), nx.path_graph(2)
    nx.set_node_attributes(one, "C", "element")
    nx.set_node_attributes(other, 1.0, "element")
    with pytest.raises(TypeError, match="Graph 1: element holds float64"):
        as_graphs([one, other])


def test_networkx_by_hand():
    graph = nx.MultiDiGraph()
    graph.add_node("b", x=[1.0, 2.0], z=None)
    graph.add_node("a", x=(3.0, 4.0))
    graph.add_edge("a", "b", kind="single", weight=2)
    graph.add_edge("a", "b", kind="double", weight=0.5)
    record = read_networkx(graph, NO_NAMES)
    assert record.n_nodes == 2
    assert record.edge_index.tolist() == [[1, 1], [0, 0]]
    assert record.edge_weight.tolist() == [2.0, 0.5]
    assert {k: v.tolist() for k, v in record.node_columns.items()} == {
        "x": [[1.0, 2.0], [3.0, 4.0]]
    }
    assert {k: v.tolist() for k, v in record.edge_columns.items()} == {
        "kind": ["single", "double"]
    }


def test_igraph_by_hand():
    graph = igraph.Graph(3, [(2, 0), (0, 1)])
    graph.vs["name"], graph.vs["x"] = ["c", "b", "a"], [0.5, 1.5, 2.5]
    graph.es["weight"], graph.es["kind"] = [2.0, 3.0], [7, 8]
    record = read_igraph(graph, NO_NAMES)
    assert record.n_nodes == 3
    # An undirected edge comes with its smaller end first.
    assert [sorted(ends) for ends in record.edge_index.T.tolist()] == [[0, 2], [0, 1]]
    assert record.edge_weight.tolist() == [2.0, 3.0]
    # Names are no features, unless they are asked for.
    assert list(record.node_columns) == ["x"]
    assert list(record.edge_columns) == ["kind"]
    names = AttributeNames(("name",), (), None, {})
    record = read_igraph(graph, names)
    assert record.node_columns["name"].tolist() == ["c", "b", "a"]
    assert record.edge_columns == {}
    assert record.edge_weight is None


def test_graphs_without_nodes_or_edges_are_read():
    for graph, n_nodes in ((nx.Graph(), 0), (nx.empty_graph(3), 3)):
        record = read_networkx(graph, NO_NAMES)
        assert record.n_nodes == n_nodes
        assert record.edge_index.shape == (2, 0)
        assert record.edge_weight is None
    assert read_igraph(igraph.Graph(), NO_NAMES).n_nodes == 0


def test_a_weight_of_another_name_is_a_feature():
    graph = nx.path_graph(2)
    graph.edges[0, 1].update(weight=2.0, length=3.0)
    record = read_networkx(graph, NO_NAMES._replace(weight="length"))
    assert record.edge_weight.tolist() == [3.0]
    assert record.edge_columns["weight"].tolist() == [2.0]
    record = read_networkx(graph, NO_NAMES._replace(weight=None))
    assert record.edge_weight is None
    assert list(record.edge_columns) == ["length", "weight"]


def _graph_of(*values):
    graph = nx.empty_graph(len(values))
    for node, value in enumerate(values):
        graph.nodes[node]["a"] = value
    return graph


def test_records_are_columns_of_their_own():
    kind = [("row", int), ("at", [("x", float)])]
    graph = _graph_of(*(np.array((k, (k / 2,)), kind) for k in range(3)))
    columns = read_networkx(graph, NO_NAMES).node_columns
    assert {name: values.tolist() for name, values in columns.items()} == {
        "a.at.x": [0.0, 0.5, 1.0],
        "a.row": [0, 1, 2],
    }


def test_integers_of_64_bits_are_kept():
    values = [np.int64(-1), np.uint64(2**53 + 1)]
    columns = read_networkx(_graph_of(*values), NO_NAMES).node_columns
    assert columns["a"].tolist() == [-1, 2**53 + 1]


class Strange:
    pass


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0], [1.0, 2.0]], r"expected one shape, got \[\(1,\), \(2,\)\]"),
        ([1.0, [1.0]], r"expected one shape, got \[\(\), \(1,\)\]"),
        ([1.0, "a"], "expected either strings or numbers, got both"),
        ([1.0, Strange()], "expected a number, a string or a vector, got Strange"),
        ([[1.0], [[1.0], [1.0, 2.0]]], "expected rows of one length"),
        (
            [np.array((1,), [("p", int)]), np.array((1,), [("q", int)])],
            r"expected records of the same fields, got \[\['p'\], \['q'\]\]",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_that_are_no_column_are_refused(values, message):
    with pytest.raises(
        InvalidGraphError, match=f"node attribute 'a': {message}"
    ) as raised:
        read_networkx(_graph_of(*values), NO_NAMES)
    assert raised.value.field == "a"


def test_two_names_that_read_the_same_are_refused():
    graph = nx.empty_graph(1)
    graph.nodes[0].update({1: 0.5, "1": 1.5})
    with pytest.raises(
        InvalidGraphError, match="expected a name of its own, got a second"
    ):
        read_networkx(graph, NO_NAMES)


def test_weights_that_are_records_are_refused():
    graph = nx.path_graph(2)
    graph.edges[0, 1]["weight"] = np.array((1.0,), [("w", float)])
    with pytest.raises(
        InvalidGraphError, match=r"edge weight 'weight': .*\['weight.w'\]"
    ):
        read_networkx(graph, NO_NAMES)
