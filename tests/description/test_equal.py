"""Equal graphs: found whatever the numbers of nodes, told apart by anything else."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from skshake import as_graphs
from skshake.description._equal import find_equal


def _renumbered(graph, rng):
    """The same graph with its nodes in another order."""
    adjacency, x, edge_attr = graph
    order = rng.permutation(len(x))
    rows, columns = np.nonzero(np.triu(adjacency))
    values = np.empty((*adjacency.shape, edge_attr.shape[1]))
    values[rows, columns] = values[columns, rows] = edge_attr
    adjacency, values = (a[np.ix_(order, order)] for a in (adjacency, values))
    rows, columns = np.nonzero(np.triu(adjacency))
    return adjacency, x[order], values[rows, columns]


@pytest.fixture
def graphs(global_random_seed):
    """Random weighted graphs with features of nodes and edges."""
    rng = np.random.default_rng(global_random_seed)
    found = []
    for n_nodes in (1, 4, 7, 7, 12):
        upper = np.triu(rng.random((n_nodes, n_nodes)) < 0.5, 1)
        weights = upper * rng.integers(1, 3, upper.shape)
        edge_attr = rng.integers(0, 2, (int(upper.sum()), 2)).astype(float)
        x = rng.integers(0, 2, (n_nodes, 2)).astype(float)
        found.append((weights + weights.T, x, edge_attr))
    return found


def test_renumbered_graphs_are_equal(graphs, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    again = [_renumbered(graph, rng) for graph in graphs]
    numbers = find_equal(as_graphs([*graphs, *again]))
    assert numbers[: len(graphs)].tolist() == numbers[len(graphs) :].tolist()
    # Numbers are given in order.
    assert np.unique(numbers).tolist() == [*range(numbers.max() + 1)]
    assert numbers[0] == 0


def test_any_difference_tells_graphs_apart(graphs):
    adjacency, x, edge_attr = graphs[-1]
    rows, columns = np.nonzero(np.triu(adjacency))
    weight, edge, node = adjacency.copy(), edge_attr.copy(), x.copy()
    weight[rows[0], columns[0]] = weight[columns[0], rows[0]] = 9.0
    edge[0, 1] += 1.0
    node[0, 0] = np.nextafter(np.float32(node[0, 0]), np.float32(9))
    others = [
        (weight, x, edge_attr),
        (adjacency, x, edge),
        (adjacency, node, edge_attr),
    ]
    numbers = find_equal(as_graphs([graphs[-1], *others]))
    assert len(np.unique(numbers)) == 4


def test_signs_of_zero_do_not_matter():
    pair = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    graphs = [(pair, np.array([[0.0], [1.0]])), (pair, np.array([[-0.0], [1.0]]))]
    assert find_equal(as_graphs(graphs)).tolist() == [0, 0]


def test_components_and_distant_ends_are_seen():
    two_triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    # Trees that differ far from where they are alike.
    long, other = nx.path_graph(30), nx.path_graph(30)
    long.add_edges_from([(2, 30), (27, 31)])
    other.add_edges_from([(2, 30), (26, 31)])
    graphs = as_graphs(
        [nx.cycle_graph(6), two_triangles, long, other, nx.cycle_graph(6)]
    )
    assert find_equal(graphs).tolist() == [0, 1, 2, 3, 0]


def test_graphs_without_nodes_or_edges():
    graphs = [np.zeros((n, n)) for n in (0, 1, 2, 1, 0)]
    # Of graphs without nodes nothing is known, so none equals another.
    assert find_equal(as_graphs(graphs)).tolist() == [0, 1, 2, 1, 3]
    assert find_equal(as_graphs(graphs)[:0]).tolist() == []


def test_it_agrees_with_isomorphism(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    graphs = [
        nx.gnp_random_graph(5, 0.5, seed=int(rng.integers(1e9))) for _ in range(60)
    ]
    numbers = find_equal(as_graphs(graphs))
    for i, graph in enumerate(graphs):
        for j in range(i):
            # Below six nodes colours and components tell all graphs apart.
            assert (numbers[i] == numbers[j]) == nx.is_isomorphic(graph, graphs[j])
