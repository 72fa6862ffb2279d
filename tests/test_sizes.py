"""Expected sizes: exact, sampled, and the paper's formulas (method section 8)."""

import numpy as np
import pytest

from skshake import expected_edges, expected_nodes, paper_edges, paper_nodes
from tests._helpers import limit


def _laplacians(graphs):
    return [np.diag(matrix.sum(axis=1)) - matrix for matrix, _, _ in graphs]


@pytest.mark.parametrize("q", [0.01, 1.0, 30.0])
def test_exact_nodes_are_the_trace(q, random_graphs):
    expected = sum(
        np.trace(q * np.linalg.inv(q * np.eye(len(laplacian)) + laplacian))
        for laplacian in _laplacians(random_graphs)
    )
    estimate = expected_nodes(random_graphs, q)
    assert estimate.value == pytest.approx(expected)
    assert estimate.standard_error == 0


def test_sampled_nodes_cover_the_exact_ones(random_graphs, global_random_seed):
    exact = expected_nodes(random_graphs, 1.0).value
    sampled = expected_nodes(
        random_graphs, 1.0, n_forests=200, random_state=global_random_seed
    )
    assert sampled.standard_error > 0
    assert abs(sampled.value - exact) < limit(n_draws=200) * sampled.standard_error


def test_edges_of_a_single_edge_by_hand(global_random_seed):
    # Two nodes and one edge: it survives exactly when both are roots, q / (q + 2).
    graph = np.array([[0.0, 1.0], [1.0, 0.0]])
    q = 1.0
    estimate = expected_edges(
        [graph], q, n_forests=3_000, random_state=global_random_seed
    )
    assert abs(estimate.value - q / (q + 2)) < limit() * estimate.standard_error


def test_the_papers_formulas(random_graphs):
    q = 1.5
    nodes = sum((q / (q + m.sum(axis=1))).sum() for m, _, _ in random_graphs)
    edges = 0.0
    for matrix, _, _ in random_graphs:
        degrees = matrix.sum(axis=1)
        u, v = np.nonzero(np.triu(matrix))
        edges += (2 * q / (2 * q + degrees[u] + degrees[v])).sum()
    assert paper_nodes(random_graphs, q) == pytest.approx(nodes)
    assert paper_edges(random_graphs, q) == pytest.approx(edges)


def test_infinite_q_is_the_input(random_graphs):
    n_nodes = sum(len(matrix) for matrix, _, _ in random_graphs)
    assert expected_nodes(random_graphs, np.inf).value == n_nodes
    assert paper_nodes(random_graphs, np.inf) == n_nodes
    assert expected_edges(random_graphs, np.inf).value == paper_edges(
        random_graphs, np.inf
    )


@pytest.mark.parametrize(
    "function", [expected_nodes, expected_edges, paper_nodes, paper_edges]
)
def test_several_q_are_refused(function, random_graphs):
    with pytest.raises(ValueError, match="q: expected one number"):
        function(random_graphs, [1.0, 2.0])


def test_one_forest_has_no_standard_error(random_graphs):
    with pytest.raises(ValueError, match="n_forests: expected at least 2"):
        expected_edges(random_graphs, 1.0, n_forests=1)
