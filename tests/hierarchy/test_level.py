"""Levels as flat arrays, and the view of one graph."""

import numpy as np


def test_levels_show_one_graph(two_levels, small_mutag):
    graph = small_mutag[0][7]
    fine, coarse = two_levels[7].levels
    assert fine.q == np.inf
    assert fine.n_nodes == graph.n_nodes
    assert fine.edges.tolist() == graph.edges.tolist()
    assert fine.block.tolist() == list(range(graph.n_nodes))
    assert coarse.n_nodes == coarse.block.max() + 1
    assert coarse.x.shape == (coarse.n_nodes, fine.x.shape[1])
    frequencies = coarse.x[:, : coarse.x.shape[1] - 7]
    np.testing.assert_allclose(frequencies.sum(axis=1), 1, rtol=1e-6)
    assert len(coarse.edge_attr.toarray()) == len(coarse.edges)
