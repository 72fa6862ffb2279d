"""Directed rows to undirected edges: what is averaged, added up and refused."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from skshake import as_graphs
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
