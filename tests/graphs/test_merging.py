"""Directed rows to undirected edges: what is averaged, added up and refused."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import build_features, empty_features, from_arcs
from tests._helpers.kinds import EDGE_ATTR, EDGES, WEIGHT, X, as_ogb


def test_two_directions_are_averaged_and_repeats_of_one_add_up():
    # Field report 10: 0->1 twice, 1->0 once, a self-loop, and 1->2 alone.
    data = Data(
        x=torch.zeros(3, 1),
        edge_index=torch.tensor([[0, 0, 1, 2, 1], [1, 1, 0, 2, 2]]),
        edge_attr=torch.tensor([[1.0], [3.0], [5.0], [99.0], [7.0]]),
        edge_weight=torch.tensor([1.0, 2.0, 5.0, 99.0, 4.0]),
    )
    graph = as_graphs([data])[0]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    # Weights: ((1 + 2) + 5) / 2 and 4; features: ((1 + 3) / 2 + 5) / 2 and 7.
    assert graph.edge_weight.tolist() == [4.0, 4.0]
    assert graph.edge_attr.ravel().tolist() == [3.5, 7.0]


def test_multigraph_edges_add_their_weights():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert as_graphs([graph])[0].edge_weight.tolist() == [2.0, 1.0]


def test_the_order_of_parallel_edges_leaves_no_trace():
    fingerprints = set()
    for weights in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]):
        graph = nx.MultiGraph()
        for weight in weights:
            graph.add_edge(0, 1, weight=weight)
        fingerprints.add(int(as_graphs([graph]).fingerprints[0]))
    assert len(fingerprints) == 1


def test_the_edge_set_does_not_depend_on_order_or_direction(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ends = np.array(EDGES).T
    expected = as_graphs([as_ogb()])
    for _ in range(5):
        order = rng.permutation(len(EDGES))
        flip = rng.random(len(EDGES)) < 0.5
        shuffled = np.where(flip, ends[::-1], ends)[:, order]
        graph = {
            **as_ogb(),
            "edge_index": shuffled,
            "edge_feat": EDGE_ATTR[order],
            "edge_weight": WEIGHT[order],
        }
        got = as_graphs([graph])
        assert got.edges.tolist() == expected.edges.tolist()
        assert (got.edge_weight == expected.edge_weight).all()
        assert (got.edge_features.numeric == expected.edge_features.numeric).all()


def test_contradicting_categories_of_an_edge_are_refused():
    graph = as_ogb(
        edge_index=np.array([[0, 1], [1, 0]]),
        edge_feat=np.array([[1], [2]]),
        edge_weight=None,
    )
    with pytest.raises(ValueError, match=r"Graph 0: the rows of edge \(1, 0\) carry"):
        as_graphs([graph])


def test_an_end_out_of_range_is_refused():
    with pytest.raises(ValueError, match="Graph 1: an edge joins nodes 2 and 3"):
        as_graphs([as_ogb(), as_ogb(num_nodes=3, node_feat=X[:3])])


def _column(name, values, is_categorical=False):
    return build_features(
        [(name, np.array(values)[:, None], is_categorical)], len(values)
    )


def test_arcs_of_two_graphs_by_hand():
    # Graph 0: 0->1 twice and 1->0, a loop; graph 1: nothing; graph 2: 2->0 alone.
    graphs = from_arcs(
        np.array([2, 1, 3]),
        np.array([4, 0, 1]),
        np.array([[0, 1, 0, 1, 2], [1, 0, 1, 1, 0]]),
        _column("x", [0.0] * 6),
        _column("a", [1.0, 5.0, 3.0, 99.0, 7.0]),
        np.array([1.0, 5.0, 2.0, 99.0, 4.0]),
    )
    assert graphs.edges.tolist() == [[0, 1], [0, 2]]
    assert graphs.edge_ptr.tolist() == [0, 1, 1, 2]
    assert graphs.edge_weight.tolist() == [(1 + 2 + 5) / 2, 4.0]
    assert graphs.edge_features.numeric.ravel().tolist() == [((1 + 3) / 2 + 5) / 2, 7.0]


def test_edges_are_those_of_dictionaries(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_nodes, n_arcs = rng.integers(1, 6, 7), rng.integers(0, 15, 7)
    owner = np.repeat(np.arange(7), n_arcs)
    ends = rng.integers(n_nodes[owner], size=(2, len(owner)))
    values, weights = rng.normal(size=len(owner)), rng.uniform(0.5, 2.0, len(owner))
    rows = {}
    for row, (g, u, v) in enumerate(zip(owner, *ends, strict=True)):
        if u != v:
            ways = rows.setdefault((g, min(u, v), max(u, v)), {})
            ways.setdefault(u < v, []).append(row)
    graphs = from_arcs(
        n_nodes,
        n_arcs,
        ends,
        empty_features(n_nodes.sum()),
        _column("a", values),
        weights,
    )
    keys = sorted(rows)
    assert graphs.edges.tolist() == [[u, v] for _, u, v in keys]
    assert np.diff(graphs.edge_ptr).tolist() == [
        sum(key[0] == g for key in keys) for g in range(7)
    ]
    total = [
        np.mean([weights[way].sum() for way in rows[key].values()]) for key in keys
    ]
    mean = [np.mean([values[way].mean() for way in rows[key].values()]) for key in keys]
    # Both are rounded to float32.
    np.testing.assert_allclose(graphs.edge_weight, total, rtol=1e-6)
    found = graphs.edge_features.numeric.ravel()
    np.testing.assert_allclose(found, mean, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("n_repeats", "weights"), [(1, None), (1, np.ones(3)), (2, np.full(6, 0.5))]
)
def test_weights_of_one_are_no_weights(n_repeats, weights):
    # One edge both ways, another one way.
    ends = np.repeat([[0, 1, 1], [1, 0, 2]], n_repeats, axis=1)
    counts = np.array([3]), np.array([ends.shape[1]])
    features = map(empty_features, (3, ends.shape[1]))
    graphs = from_arcs(*counts, ends, *features, weights)
    assert graphs.edges.tolist() == [[0, 1], [1, 2]]
    assert graphs.edge_weight is None


def test_the_field_that_contradicts_is_named():
    ends = np.array([[0, 1], [1, 0]])
    arcs = build_features(
        [
            ("n", np.array([[1.0], [2.0]]), False),
            ("a", np.array([[1, 1], [1, 1]]), True),
            ("b", np.array([[5], [6]]), True),
        ],
        2,
    )
    with pytest.raises(
        InvalidGraphError, match=r"edge \(1, 0\) carry .* of b, "
    ) as raised:
        from_arcs(np.array([2]), np.array([2]), ends, empty_features(2), arcs)
    assert (raised.value.graph, raised.value.field) == (0, "b")
