"""Exact measures against dense inverses: no eigenvector in the reference."""

import numpy as np
import pytest

from skshake import as_graphs
from skshake.resolution import edge_measure, node_measure
from tests._helpers import curve_table

QS = [1e-2, 0.3, 2.0, 40.0]


def reference_curves(laplacian, x, q):
    """L_rec, L_dir and df of method section 5 from K = q (qI + L)^-1 and L.

    Constant parts are removed by projecting on the range of L.
    """
    n = len(laplacian)
    kernel = q * np.linalg.inv(q * np.eye(n) + laplacian)
    projection = laplacian @ np.linalg.pinv(laplacian)
    x = projection @ x
    residual = x - kernel @ x
    reconstruction = np.sum(residual**2), np.sum(x**2)
    dirichlet = (
        np.trace(residual.T @ laplacian @ residual),
        np.trace(x.T @ laplacian @ x),
    )
    loss = [a / b if b > 1e-12 else 0.0 for a, b in (reconstruction, dirichlet)]
    return [*loss, (np.trace(kernel) - np.trace(np.eye(n) - projection)) / n]


def line_laplacian(edges):
    """Laplacian of the line graph, from which edges share an end."""
    shared = np.array([[len({*e} & {*f}) for f in edges] for e in edges], float)
    np.fill_diagonal(shared, 0)
    return np.diag(shared.sum(axis=1)) - shared


@pytest.mark.parametrize("q", QS)
def test_node_curves_equal_dense_inverses(q, random_graphs):
    curves = curve_table(node_measure(as_graphs(random_graphs)), q)
    for row, (matrix, x, _) in zip(curves, random_graphs, strict=True):
        laplacian = np.diag(matrix.sum(axis=1)) - matrix
        expected = reference_curves(laplacian, x.astype(np.float32), q)
        np.testing.assert_allclose(row, expected, atol=1e-8)


@pytest.mark.parametrize("q", QS)
def test_edge_curves_equal_dense_inverses_on_the_line_graph(q, random_graphs):
    graphs = as_graphs(random_graphs)
    curves = curve_table(edge_measure(graphs), q)
    for row, graph in zip(curves, graphs, strict=True):
        laplacian = line_laplacian(graph.edges.tolist())
        expected = reference_curves(laplacian, graph.edge_attr, q)
        np.testing.assert_allclose(row, expected, atol=1e-8)


@pytest.mark.parametrize("q", QS)
def test_categories_enter_as_one_hot(q, small_mutag):
    graphs = small_mutag[0][:10]
    curves = curve_table(node_measure(graphs), q)
    for row, graph in zip(curves, graphs, strict=True):
        matrix = np.zeros((graph.n_nodes, graph.n_nodes))
        matrix[tuple(graph.edges.T)] = 1
        matrix += matrix.T
        one_hot = (graph.x == np.unique(graph.x)).astype(float)
        laplacian = np.diag(matrix.sum(axis=1)) - matrix
        np.testing.assert_allclose(
            row, reference_curves(laplacian, one_hot, q), atol=1e-8
        )


def test_a_side_without_energy_loses_nothing(triangle_with_tail):
    constant = [
        (triangle_with_tail, np.full((5, 1), 1e6)),
        (triangle_with_tail, np.full((5, 1), 7)),
        # Constant on each component is constant too.
        (triangle_with_tail, np.array([[2.0], [2.0], [2.0], [2.0], [5.0]])),
    ]
    for graph in constant:
        curves = curve_table(node_measure(as_graphs([graph])), 0.5)[0]
        assert curves[:2].tolist() == [0, 0]
        assert curves[2] > 0


def test_a_small_variation_on_a_large_offset_counts(triangle_with_tail):
    x = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    plain = curve_table(node_measure(as_graphs([(triangle_with_tail, x)])), 0.5)
    offset = curve_table(node_measure(as_graphs([(triangle_with_tail, x + 1e4)])), 0.5)
    np.testing.assert_allclose(offset, plain, atol=1e-8)


def test_graphs_without_nodes_or_edges_contribute_zero(awkward_graphs):
    graphs = [(a, np.ones((len(a), 1))) for a in awkward_graphs]
    curves = curve_table(node_measure(as_graphs(graphs)), 1.0)
    assert np.isfinite(curves).all()
    assert (curves[:3] == 0).all()
