"""Twins against a comparison of all neighbourhoods."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.graphs._twins import Classes, find_twins, number_classes


def _classes(graph):
    n = len(graph)
    arcs = as_graphs([nx.to_numpy_array(graph, nodelist=range(n))]).arcs
    classes = Classes(
        np.arange(n, dtype=np.int32),
        np.zeros(n, bool),
        *(np.empty(size, np.int32) for size in (n + 1, n, n)),
    )
    find_twins(arcs.indptr, arcs.indices, classes)
    return classes, number_classes(arcs.indptr, arcs.indices, classes)


def test_twins_of_a_small_graph():
    # A triangle 0, 1, 2 on 3, which has leaves 4 and 5; 6 and 7 are isolated.
    graph = nx.complete_graph(4)
    graph.add_edges_from([(3, 4), (3, 5)])
    graph.add_nodes_from([6, 7])
    classes, n_classes = _classes(graph)
    assert classes.first.tolist() == [0, 0, 0, 3, 4, 4, 6, 6]
    assert classes.are_adjacent.tolist() == [True] * 3 + [False] * 5
    assert n_classes == 4
    assert classes.order[:4].tolist() == [0, 3, 4, 6]
    assert classes.number.tolist() == [0, 0, 0, 1, 2, 2, 3, 3]
    assert classes.sizes[:4].tolist() == [3, 1, 2, 2]


@pytest.mark.parametrize("p", [0.05, 0.3, 0.7, 0.95])
def test_twins_are_nodes_of_equal_neighbourhoods(p, global_random_seed):
    graph = nx.gnp_random_graph(9, p, seed=global_random_seed)
    # Each node comes once more, half of them beside their twin.
    for v in range(9):
        graph.add_edges_from([(v + 9, u) for u in list(graph[v])])
        if v % 2:
            graph.add_edge(v, v + 9)
    graph.add_nodes_from(range(18))
    first = _classes(graph)[0].first
    for v in range(18):
        twins = [u for u in range(18) if {*graph[u]} - {v} == {*graph[v]} - {u}]
        assert first[v] == min(twins)


def test_near_classes_get_near_numbers():
    path = nx.path_graph(50)
    order = np.random.default_rng(0).permutation(50)
    classes, _ = _classes(nx.relabel_nodes(path, dict(enumerate(order.tolist()))))
    # From the node where the search begins, to both sides in turn.
    ends = np.abs(np.diff(classes.number[order]))
    assert ends.max() <= 2
