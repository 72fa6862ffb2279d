"""Graphs of networkx and igraph, whose nodes and edges carry dictionaries."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
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
