"""Return probabilities against powers of the dense transition matrix."""

import networkx as nx
import numpy as np
import pytest

from skshake import KFCoarsener, as_graphs
from skshake._jit import IS_COMPILED, kernel
from skshake.graphs import _walks, return_probabilities


def _dense(graph, walk_length):
    adjacency = nx.to_numpy_array(graph)
    transition = adjacency / adjacency.sum(axis=1)[:, None]
    powers = [
        np.linalg.matrix_power(transition, k).diagonal()
        for k in range(2, walk_length + 1)
    ]
    return np.stack(powers, axis=1)


def _weighted(graph):
    rng = np.random.default_rng(0)
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = rng.uniform(0.1, 5)
    return graph


def _cliques():
    """Adjacent twins: cliques that share two nodes."""
    graph = nx.Graph()
    for size in (20, 35, 50):
        members = [0, 1] + [(size, k) for k in range(size)]
        graph.add_edges_from((u, v) for u in members for v in members if u != v)
    return graph


def _hubs():
    """Twins that are not adjacent: hubs with many leaves, in a ring."""
    graph = nx.cycle_graph(6)
    graph.add_edges_from((v % 6, v) for v in range(6, 200))
    return nx.convert_node_labels_to_integers(graph)


# By size: all nodes in one vector, in several, and balls that are searched for.
GRAPHS = {
    "petersen": nx.petersen_graph(),
    "lollipop": nx.lollipop_graph(5, 4),
    "weighted": _weighted(nx.lollipop_graph(5, 4)),
    "40 random": nx.gnp_random_graph(40, 0.2, seed=0),
    "sparse": nx.random_regular_graph(3, 300, seed=0),
    "path": nx.path_graph(150),
    "weighted grid": _weighted(
        nx.convert_node_labels_to_integers(nx.grid_graph((15, 15)))
    ),
    "cliques": _cliques(),
    "hubs": _hubs(),
    "multipartite": nx.complete_multipartite_graph(20, 30, 1, 60),
    "complete": nx.complete_graph(70),
    "star": nx.star_graph(140),
}


@pytest.mark.parametrize("walk_length", [2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("name", GRAPHS)
def test_they_are_diagonals_of_powers(name, walk_length):
    graph = GRAPHS[name]
    found = return_probabilities(as_graphs([graph]), walk_length)
    np.testing.assert_allclose(found, _dense(graph, walk_length), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["sparse", "weighted grid", "hubs"])
def test_large_graphs_are_walked_where_they_are(name, monkeypatch):
    """Without a copy of their arcs, which walks would follow in another order."""
    found = {}
    for most_nodes in (2**16, 100):
        monkeypatch.setattr(_walks, "COPIED_NODES", most_nodes)
        walk = kernel(_walks.walk_from_each_node.py_func) if IS_COMPILED else None
        graphs = as_graphs([GRAPHS["petersen"], GRAPHS[name]])
        returns = np.empty((graphs.n_nodes, 7), np.float32)
        walk = walk or _walks.walk_from_each_node
        walk(graphs.structure, graphs.degrees, 0, returns)
        found[most_nodes] = returns
    np.testing.assert_allclose(*found.values(), rtol=1e-5, atol=1e-7)


def test_components_of_a_graph_are_walked_apart():
    parts = [nx.path_graph(40), nx.complete_graph(45), nx.empty_graph(3), _hubs()]
    whole = nx.disjoint_union_all(parts)
    found = return_probabilities(as_graphs([whole]), 8)
    alone = [return_probabilities(as_graphs([part]), 8) for part in parts]
    np.testing.assert_allclose(found, np.concatenate(alone), rtol=1e-5, atol=1e-7)


def test_a_node_without_neighbours_is_never_left():
    graph = nx.empty_graph(3)
    graph.add_edge(0, 1)
    found = return_probabilities(as_graphs([nx.empty_graph(0), graph]), 5)
    assert found.tolist() == [[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]


def test_long_walks_in_large_surroundings_count_as_mixed():
    graph = nx.gnp_random_graph(1_500, 0.1, seed=0)
    found = return_probabilities(as_graphs([graph]), 8)
    expected = _dense(graph, 8)
    np.testing.assert_allclose(found[:, 0], expected[:, 0], atol=1e-6)
    share = np.array([degree for _, degree in graph.degree]) / (2 * graph.size())
    np.testing.assert_allclose(found[:, -1], share, rtol=1e-6)
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("graph", [nx.lollipop_graph(6, 5), _hubs(), _cliques()])
def test_walks_do_not_depend_on_other_graphs_or_on_the_order_of_nodes(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    n = len(graph)
    new_name = np.random.default_rng(0).permutation(n)
    renamed = nx.empty_graph(n)
    renamed.add_edges_from((new_name[u], new_name[v]) for u, v in graph.edges)
    others = nx.star_graph(9), nx.gnp_random_graph(400, 0.1, seed=0)
    found = return_probabilities(as_graphs([*others, graph, renamed]), 8)[410:]
    alone = return_probabilities(as_graphs([graph]), 8)
    assert (found[:n] == alone).all()
    np.testing.assert_allclose(found[n:][new_name], alone, rtol=1e-5, atol=1e-7)


def test_coarse_nodes_get_the_mean_and_forests_stay_the_same():
    graphs = [nx.lollipop_graph(6, 5), nx.petersen_graph()]
    # Numbers, in place of degrees, whose categories would make the features sparse.
    graphs = [(nx.to_numpy_array(graph), np.ones((len(graph), 1))) for graph in graphs]
    plain, walked = (
        KFCoarsener(q=1.0, walk_length=walk_length, random_state=0)
        .fit_transform(graphs)[0]
        .levels[0]
        for walk_length in (0, 4)
    )
    assert (plain.block == walked.block).all()
    returns = return_probabilities(as_graphs(graphs[:1]), 4)
    for b in range(plain.n_nodes):
        mean = returns[walked.block == b].mean(axis=0)
        np.testing.assert_allclose(walked.x[b, -3:], mean, rtol=1e-6)
    assert (plain.x == walked.x[:, :-3]).all()


def test_a_length_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match="'walk_length' parameter"):
        KFCoarsener(walk_length=1).fit([nx.path_graph(3)])
