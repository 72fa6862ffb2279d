"""Generated graphs: their coarse structure, their sizes, their seeds."""

import networkx as nx
import numpy as np
import pytest

from skshake.datasets import _synthetic, make_graph_classification, make_like
from tests._helpers import limit

TREES = [
    nx.path_graph(8),
    nx.star_graph(7),
    nx.Graph([(child, (child - 1) // 2) for child in range(1, 8)]),
    nx.Graph([(child, min(child - 1, 4)) for child in range(1, 8)]),
]


def test_blocks_merge_into_the_tree_of_the_class():
    data = make_graph_classification(8, n_classes=4, noise=0.0, random_state=0)
    for i, (graph, label) in enumerate(zip(data.data, data.target, strict=True)):
        first, last = data.data.node_ptr[i : i + 2]
        blocks = data.blocks[first:last]
        ends = blocks[graph.edges]
        coarse = nx.Graph(ends[ends[:, 0] != ends[:, 1]].tolist())
        assert nx.is_isomorphic(coarse, TREES[label])
        for block in range(8):
            nodes = np.flatnonzero(blocks == block)
            inside = nx.Graph(graph.edges.tolist()).subgraph(nodes.tolist())
            assert nx.is_connected(inside)


def test_classes_differ_in_the_coarse_structure_alone(global_random_seed):
    data = make_graph_classification(400, random_state=global_random_seed)
    n_edges = np.diff(data.data.edge_ptr)
    one, other = (n_edges[data.target == label] for label in (0, 1))
    error = np.sqrt(one.var() / len(one) + other.var() / len(other))
    assert abs(one.mean() - other.mean()) < limit() * error
    # One standard deviation is 0.7 %.
    assert np.diff(data.data.node_ptr).mean() == pytest.approx(40, rel=0.05)


def test_weights_are_larger_inside_blocks():
    data = make_graph_classification(10, weighted=True, random_state=0)
    u, v = data.data.numbered_ends.T
    is_inside = data.blocks[u] == data.blocks[v]
    weight = data.data.edge_weight
    assert weight[is_inside].min() > weight[~is_inside].max()


def test_equal_seeds_make_equal_graphs():
    one, other = (make_graph_classification(5, random_state=3) for _ in range(2))
    assert np.array_equal(one.data.edges, other.data.edges)
    assert np.array_equal(
        one.data.node_features.numeric, other.data.node_features.numeric
    )


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges", "n_features"),
    [("ogbg-ppa", 243.4, 2266.1, 7), ("REDDIT-MULTI-12K", 391.4, 456.9, 0)],
)
def test_published_sizes(
    name, n_nodes, n_edges, n_features, monkeypatch, global_random_seed
):
    monkeypatch.setattr(_synthetic, "PART_EDGES", 100_000)
    graphs = make_like(name, 1_000, random_state=global_random_seed)
    assert len(graphs) == 1_000
    for ptr, mean in ((graphs.node_ptr, n_nodes), (graphs.edge_ptr, n_edges)):
        counts = np.diff(ptr)
        # A tail of large graphs: five errors, where of a normal law four would do.
        assert abs(counts.mean() - mean) < 5 * counts.std() / np.sqrt(1_000)
    assert graphs.edge_features.n_columns == n_features


def test_what_cannot_be_made_is_refused():
    with pytest.raises(ValueError, match="n_classes: expected 2 to 4"):
        make_graph_classification(n_classes=5)
    with pytest.raises(ValueError, match="n_blocks: expected at least 4"):
        make_graph_classification(n_blocks=2)
    with pytest.raises(ValueError, match=r"name: expected one of"):
        make_like("PPA", 3)
