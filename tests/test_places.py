"""Places of nodes: from distances in the graph, from a circle in a given order."""

import networkx as nx
import numpy as np

from skshake._places import place_nodes


def test_lengths_say_how_far_apart_neighbours_are():
    edges = np.array([[0, 1], [1, 2]])
    places = place_nodes(edges, np.array([1.0, 3.0]), np.arange(3))
    first, second = np.linalg.norm(np.diff(places, axis=0), axis=1)
    # Up to where the layout stops.
    np.testing.assert_allclose(second / first, 3, rtol=0.05)


def test_drawings_are_wide():
    edges = np.stack([np.arange(9), np.arange(1, 10)], axis=1)
    for order in (np.arange(10), np.arange(10)[::-1]):
        width, height = np.ptp(place_nodes(edges, np.ones(9), order), axis=0)
        assert width > height


def test_nodes_without_edges_stand_side_by_side():
    places = place_nodes(np.empty((0, 2), int), np.empty(0), np.arange(4))
    assert places.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert place_nodes(np.empty((0, 2), int), np.empty(0), np.arange(0)).shape == (0, 2)


def test_rings_are_not_entangled():
    # Nodes of two rings of 12 with a common edge, numbered at random.
    rings = nx.cycle_graph(12)
    nx.add_cycle(rings, [0, 1, *range(12, 22)])
    order = np.random.default_rng(0).permutation(len(rings))
    edges = order[np.array(rings.edges)]
    places = place_nodes(edges, np.ones(len(edges)), np.arange(len(rings)))
    lengths = np.linalg.norm(np.diff(places[edges], axis=1)[:, 0], axis=1)
    # An edge across the drawing would be longer than others by far.
    assert lengths.max() < 2 * lengths.min()


def test_leaves_of_a_star_stand_apart():
    edges = np.stack([np.zeros(20, int), np.arange(1, 21)], axis=1)
    places = place_nodes(edges, np.ones(20), np.arange(21))
    apart = np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(21, 1)]
    assert apart.min() > 0.1 * apart.max()
