"""Subtrees are unfolded from what is kept of an example, when the graphs are gone."""

import networkx as nx
import numpy as np

from skshake import as_graphs
from skshake.subtrees import colours_of, describe_subtree, learn_unfolding
from tests._helpers import naive_colours

# Of carbon and oxygen, say, by single and double bonds: C(=O)(C)C.
ACETONE = np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])


def unfold(graphs, depth):
    """Colours, and all subtrees of them."""
    colours = colours_of(graphs, depth)
    return colours, learn_unfolding(graphs, colours, [np.unique(c) for c in colours])


def test_a_molecule_in_words():
    graphs = as_graphs([(ACETONE, np.array([6, 8, 6, 6]), np.array([2, 1, 1]))])
    colours, subtrees = unfold(graphs, 2)

    def describe(depth, node):
        colour = colours[depth][node]
        return describe_subtree(subtrees, depth, colour, ("x0",), ("edge0",))

    assert describe(0, 1) == "x0=8"
    lines = describe(1, 0).splitlines()
    assert lines[0] == "x0=6"
    assert sorted(lines[1:]) == [
        "    2 times edge0=1 to x0=6",
        "    edge0=2 to x0=8",
    ]
    # Where it came from is around each neighbour too.
    lines = describe(2, 1).splitlines()
    assert lines[:2] == ["x0=8", "    edge0=2 to x0=6"]
    assert sorted(lines[2:]) == [
        "        2 times edge0=1 to x0=6",
        "        edge0=2 to x0=8",
    ]


def test_without_categories_nodes_are_nodes():
    colours, subtrees = unfold(as_graphs([nx.path_graph(3)]), 1)
    text = describe_subtree(subtrees, 1, colours[1][1], (), ())
    assert text == "node\n    2 times node"


def _as_tuple(subtrees, depth, colour):
    """A subtree as nested tuples, as the naive colours are."""
    level = subtrees[depth]
    number = np.searchsorted(level.colours, colour)
    assert level.colours[number] == colour
    if not depth:
        return tuple(level.codes[number].tolist())
    around = []
    for k in range(level.ptr[number], level.ptr[number + 1]):
        branch = _as_tuple(subtrees, depth - 1, level.branches[k])
        codes = tuple(level.edge_codes[k].tolist())
        around += [(branch, codes)] * int(level.n_times[k])
    return _as_tuple(subtrees, depth - 1, level.own[number]), tuple(sorted(around))


def _random_graphs(rng):
    graphs = []
    for n in (1, 6, 9, 15):
        graph = nx.gnm_random_graph(n, 2 * n, seed=int(rng.integers(99)))
        edges = rng.integers(2, size=(graph.size(), 2))
        adjacency = nx.to_scipy_sparse_array(graph, format="csr")
        graphs.append((adjacency, rng.integers(2, size=(n, 2)), edges))
    return as_graphs(graphs)


def test_each_colour_is_unfolded_to_the_subtree_it_is_a_hash_of(global_random_seed):
    graphs = _random_graphs(np.random.default_rng(global_random_seed))
    colours, subtrees = unfold(graphs, 3)
    naive = naive_colours(graphs, 3)
    for depth in range(4):
        trees = [tree for of_graph in naive for tree in of_graph[depth]]
        for colour, tree in zip(colours[depth], trees, strict=True):
            assert _as_tuple(subtrees, depth, colour) == tree


def test_only_what_counted_subtrees_are_made_of_is_kept(global_random_seed):
    graphs = _random_graphs(np.random.default_rng(global_random_seed))
    colours = colours_of(graphs, 2)
    one = [np.empty(0, np.uint64), np.empty(0, np.uint64), colours[2][-1:]]
    subtrees = learn_unfolding(graphs, colours, one)
    assert len(subtrees[2].colours) == 1
    degree = np.diff(graphs.arcs.indptr)[-1]
    assert len(subtrees[1].colours) <= 1 + degree
    tree = naive_colours(graphs, 2)[-1][2][-1]
    assert _as_tuple(subtrees, 2, colours[2][-1]) == tree


def test_what_is_kept_does_not_depend_on_the_order_of_graphs(global_random_seed):
    graphs = _random_graphs(np.random.default_rng(global_random_seed))
    _, subtrees = unfold(graphs, 2)
    _, again = unfold(graphs[np.array([3, 1, 0, 2, 1])], 2)
    for level, other in zip(subtrees, again, strict=True):
        for one, another in zip(level, other, strict=True):
            assert np.array_equal(one, another)
