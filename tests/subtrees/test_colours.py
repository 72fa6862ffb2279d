"""Colours by hand, and against nested tuples that are subtrees themselves."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake._splitmix import mix, next_state
from skshake.graphs import Structure
from skshake.subtrees import colours_of
from skshake.subtrees._colours import refine
from tests._helpers import naive_colours

MASK = 2**64 - 1


def with_categories(graph, rng):
    """A graph of which nodes and edges have two categories each."""
    x = rng.integers(2, size=(len(graph), 2))
    adjacency = nx.to_scipy_sparse_array(graph, format="csr", weight=None)
    return adjacency, x, rng.integers(2, size=(graph.size(), 2))


@pytest.fixture
def coloured(global_random_seed):
    """Random graphs with categories, some of them with isolated nodes."""
    rng = np.random.default_rng(global_random_seed)
    sizes = [1, 2, 5, 8, 12, 20]
    return as_graphs(
        [
            with_categories(nx.gnm_random_graph(n, n, seed=int(rng.integers(99))), rng)
            for n in sizes
        ]
    )


def test_a_path_is_refined_by_hand():
    # Two graphs: a path of three nodes, and an isolated node.
    structure = Structure(
        np.array([0, 3, 4]),
        np.array([0, 2, 2]),
        np.array([0, 1, 3, 4, 4]),
        np.array([1, 0, 2, 1], np.int32),
        np.array([0, 0, 1, 1], np.int32),
        np.empty(0),
    )
    colours = np.array([1, 2, 3, 4], np.uint64)
    edges = np.array([10, 20], np.uint64)

    def stirred(own, *around):
        total = mix(next_state(np.uint64(own)))
        for each in around:
            total = (int(total) + int(mix(np.uint64(each)))) & MASK
        return int(mix(np.uint64(total)))

    refined = np.empty(4, np.uint64)
    refine(structure, edges, colours, refined)
    expected = [stirred(1, 12), stirred(2, 11, 23), stirred(3, 22), stirred(4)]
    assert refined.tolist() == expected
    refine(structure, np.empty(0, np.uint64), colours, refined)
    expected = [stirred(1, 2), stirred(2, 1, 3), stirred(3, 2), stirred(4)]
    assert refined.tolist() == expected


def test_nodes_have_one_colour_exactly_if_they_have_one_subtree(coloured):
    naive = naive_colours(coloured, 3)
    for depth, colours in enumerate(colours_of(coloured, 3)):
        trees = [tree for of_graph in naive for tree in of_graph[depth]]
        pairs = set(zip(trees, colours.tolist(), strict=True))
        assert len(pairs) == len(set(trees)) == len(np.unique(colours))


# Of the nodes of a path with categories 6, 6, 8 and bonds 0, 1, by depth. Names of
# columns hold them, so they are the same in every version too.
COLOURS = [
    [0x4E903493FD1EB8C5, 0x4E903493FD1EB8C5, 0x582B4C049F7250B8],
    [0x33D5395DDF1B6071, 0x60C9A49DA6B2A310, 0xAD296198BF184D47],
    [0x3912FBF0B43AE6D6, 0xFE514357F183631F, 0x0878ACEC6307AD2A],
]


def test_colours_are_the_same_on_every_machine():
    adjacency = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    graphs = as_graphs([(adjacency, np.array([[6], [6], [8]]), np.array([[0], [1]]))])
    assert [colours.tolist() for colours in colours_of(graphs, 2)] == COLOURS


def test_colours_depend_on_neither_numbers_of_nodes_nor_other_graphs(
    coloured, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    alone = coloured[4:5]
    order = rng.permutation(alone.n_nodes)
    graph = nx.empty_graph(alone.n_nodes)
    for (u, v), codes in zip(
        alone.edges.tolist(), alone.edge_features.categories.tolist(), strict=True
    ):
        graph.add_edge(int(order[u]), int(order[v]), edge_attr=codes)
    for v, codes in enumerate(alone.node_features.categories.tolist()):
        graph.nodes[int(order[v])]["x"] = codes
    renumbered = as_graphs([graph])
    first, last = coloured.node_ptr[4:6]
    for whole, one, other in zip(
        *(colours_of(graphs, 3) for graphs in (coloured, alone, renumbered)),
        strict=True,
    ):
        assert (whole[first:last] == one).all()
        assert (other[order] == one).all()


def test_nodes_and_edges_of_equal_codes_are_told_apart():
    # Edges of category 6 to nodes of category 1, and the other way round.
    pair = np.array([[0, 1], [1, 0]])
    graphs = as_graphs(
        [
            (pair, np.array([[1], [1]]), np.array([[6]])),
            (pair, np.array([[6], [6]]), np.array([[1]])),
            (pair, np.array([[1], [6]]), np.array([[1]])),
            (pair, np.array([[6], [1]]), np.array([[6]])),
        ]
    )
    assert len(np.unique(colours_of(graphs, 1)[1])) == 6


def test_numbers_weights_and_directions_do_not_enter():
    graph = nx.lollipop_graph(4, 3)
    plain, weighted = graph.copy(), graph.to_directed()
    for k, (u, v) in enumerate(weighted.edges):
        weighted.edges[u, v]["weight"] = 1.0 + k
    numbered = graph.copy()
    nx.set_node_attributes(numbered, {v: v / 2 for v in numbered}, "size")
    found = [
        colours_of(as_graphs([g], directed=False), 3)
        for g in (plain, weighted, numbered)
    ]
    for one, other, another in zip(*found, strict=True):
        assert (one == other).all()
        assert (one == another).all()
    # Degrees are what depth 1 tells apart.
    degrees = [degree for _, degree in graph.degree]
    assert len(set(zip(found[0][1].tolist(), degrees, strict=True))) == 4
    assert len(np.unique(found[0][0])) == 1


def test_awkward_graphs_have_colours(awkward_graphs):
    colours = colours_of(as_graphs(awkward_graphs), 2)
    assert [len(each) for each in colours] == [8, 8, 8]
    # Isolated nodes, and ends of an edge.
    assert [len(np.unique(each)) for each in colours] == [1, 2, 2]
