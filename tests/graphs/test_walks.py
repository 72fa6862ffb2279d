"""Return probabilities against powers of the dense transition matrix."""

import networkx as nx
import numpy as np
import pytest

from skshake import KFCoarsener, as_graphs
from skshake.graphs import return_probabilities


def _dense(graph, walk_length):
    adjacency = nx.to_numpy_array(graph)
    transition = adjacency / adjacency.sum(axis=1)[:, None]
    powers = [
        np.linalg.matrix_power(transition, k).diagonal()
        for k in range(2, walk_length + 1)
    ]
    return np.stack(powers, axis=1)


@pytest.mark.parametrize("walk_length", [2, 3, 5, 8])
def test_they_are_diagonals_of_powers(walk_length):
    rng = np.random.default_rng(0)
    graphs = [nx.petersen_graph(), nx.path_graph(7), nx.lollipop_graph(5, 4)]
    for u, v in graphs[2].edges:
        graphs[2].edges[u, v]["weight"] = rng.uniform(0.1, 5)
    found = return_probabilities(as_graphs(graphs), walk_length)
    expected = np.concatenate([_dense(graph, walk_length) for graph in graphs])
    np.testing.assert_allclose(found, expected, atol=1e-6)


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


def test_walks_do_not_depend_on_other_graphs_or_on_the_order_of_nodes():
    graph = nx.lollipop_graph(6, 5)
    renamed = nx.relabel_nodes(graph, lambda v: (v * 7) % 11)
    order = list(renamed)
    found = return_probabilities(as_graphs([nx.star_graph(9), graph, renamed]), 8)
    alone = return_probabilities(as_graphs([graph]), 8)
    assert (found[10:21] == alone).all()
    place = [list(graph).index(v * 8 % 11) for v in order]
    np.testing.assert_allclose(found[21:], alone[place], rtol=1e-6)


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
