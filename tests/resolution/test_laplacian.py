"""Rows, components and zero eigenvalues of both operators."""

import numpy as np
import pytest

from skshake import as_graphs
from skshake.resolution._laplacian import line_laplacian, node_laplacian


def test_both_operators_by_hand(triangle_with_tail, awkward_graphs):
    # Awkward are: no nodes, one node, three nodes without edges, and two pairs.
    graphs = as_graphs([triangle_with_tail, *awkward_graphs])
    node, line = node_laplacian(graphs), line_laplacian(graphs)
    assert node.graphs is line.graphs is graphs
    assert (node.is_line, line.is_line) == (False, True)
    assert node.ptr.tolist() == [0, 5, 5, 6, 9, 13]
    assert line.ptr.tolist() == [0, 4, 4, 4, 4, 6]
    # A tail joins the triangle; the last node of the first graph is alone.
    assert node.component.tolist() == [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 7]
    assert line.component.tolist() == [0, 0, 0, 0, 6, 7]
    assert node.n_zeros.tolist() == [2, 0, 1, 3, 2]
    assert line.n_zeros.tolist() == [1, 0, 0, 0, 2]


def test_features_are_those_of_the_rows(random_graphs):
    graphs = as_graphs(random_graphs)
    assert node_laplacian(graphs).features is graphs.node_features
    assert line_laplacian(graphs).features is graphs.edge_features


def _dense(graph, is_line):
    ends = np.zeros((graph.n_nodes, len(graph.edges)))
    for k, (u, v) in enumerate(graph.edges):
        ends[u, k], ends[v, k] = 1, -1
    if not is_line:
        return ends @ ends.T
    shared = np.abs(ends).T @ np.abs(ends) - 2 * np.eye(len(graph.edges))
    return np.diag(shared.sum(axis=1)) - shared


@pytest.mark.parametrize("make", [node_laplacian, line_laplacian])
def test_zero_eigenvalues_are_counted(make, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    matrices = []
    for n in rng.integers(0, 12, 15):
        upper = np.triu(rng.random((n, n)) < 0.15, 1).astype(float)
        matrices.append(upper + upper.T)
    graphs = as_graphs(matrices)
    laplacian = make(graphs)
    for graph, n_zeros in zip(graphs, laplacian.n_zeros, strict=True):
        eigenvalues = np.linalg.eigvalsh(_dense(graph, laplacian.is_line))
        # Those of so few nodes are at least 0.01 (a path of 11 has 0.08).
        assert (np.abs(eigenvalues) < 1e-9).sum() == n_zeros
