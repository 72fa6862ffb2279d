"""A graph at one level as a graph of other libraries."""

import networkx as nx


def test_to_networkx(two_levels):
    graph, view = two_levels[7].to_networkx(1), two_levels[7].levels[1]
    assert isinstance(graph, nx.Graph)
    assert graph.number_of_nodes() == view.n_nodes
    assert {frozenset(e) for e in graph.edges} == {
        frozenset(e) for e in view.edges.tolist()
    }
    weights = nx.get_edge_attributes(graph, "weight")
    assert sum(weights.values()) == view.edge_weight.sum()
    assert (graph.nodes[0]["x"] == view.x.toarray()[0]).all()


def test_to_pyg_holds_both_arcs_of_each_edge(two_levels):
    data, view = two_levels[7].to_pyg(1), two_levels[7].levels[1]
    assert data.num_nodes == view.n_nodes
    assert data.is_undirected()
    assert data.edge_index.shape == (2, 2 * len(view.edges))
    assert data.edge_attr.shape[0] == data.edge_weight.shape[0] == 2 * len(view.edges)
    assert (data.x.numpy() == view.x.toarray()).all()
