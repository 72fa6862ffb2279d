"""Kernels of the Lanczos quadrature against dense linear algebra."""

import numpy as np
import pytest

from skshake.resolution._lanczos import (
    Operator,
    Recurrence,
    Work,
    apply_laplacian,
    apply_line_laplacian,
    gauss_rule,
    take_step,
)


def edges_of(matrix):
    return np.argwhere(np.triu(matrix)).astype(np.int32)


def test_laplacian_acts_through_the_edges(random_graphs):
    rng = np.random.default_rng(0)
    for matrix, _, _ in random_graphs:
        edges = edges_of(matrix)
        x, y = rng.normal(size=(len(matrix), 3)), np.empty((len(matrix), 3))
        apply_laplacian(edges, matrix[tuple(edges.T)], x, y)
        laplacian = np.diag(matrix.sum(axis=1)) - matrix
        np.testing.assert_allclose(y, laplacian @ x, atol=1e-12)
        apply_laplacian(edges, np.empty(0), x, y)
        plain = (matrix > 0) * 1.0
        expected = np.diag(plain.sum(axis=1)) @ x - plain @ x
        np.testing.assert_allclose(y, expected, atol=1e-12)


def test_line_laplacian_acts_through_the_incidence_matrix(random_graphs):
    rng = np.random.default_rng(0)
    for matrix, _, _ in random_graphs:
        edges, n_nodes = edges_of(matrix), len(matrix)
        incidence = np.zeros((n_nodes, len(edges)))
        incidence[edges[:, 0], np.arange(len(edges))] = 1
        incidence[edges[:, 1], np.arange(len(edges))] = 1
        adjacency = incidence.T @ incidence - 2 * np.eye(len(edges))
        laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
        x = rng.normal(size=(len(edges), 3))
        y, sums = np.empty_like(x), np.empty((n_nodes, 3))
        apply_line_laplacian(edges, incidence.sum(axis=1), x, sums, y)
        np.testing.assert_allclose(y, laplacian @ x, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_gauss_rule_is_the_spectrum_seen_from_the_first_vector(n):
    rng = np.random.default_rng(n)
    alpha, beta = rng.uniform(1, 5, n), rng.uniform(0, 2, n)
    matrix = np.diag(alpha) + np.diag(beta[: n - 1], 1) + np.diag(beta[: n - 1], -1)
    mu, weight = np.empty(n), np.empty(n)
    gauss_rule(alpha, beta, mu, weight)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    order = np.argsort(mu)
    np.testing.assert_allclose(mu[order], eigenvalues, atol=1e-12)
    np.testing.assert_allclose(weight[order], vectors[0] ** 2, atol=1e-12)


def test_steps_reproduce_moments_up_to_twice_their_number(random_graphs):
    matrix = max((m for m, _, _ in random_graphs), key=len)
    edges, n = edges_of(matrix), len(matrix)
    laplacian = np.diag(matrix.sum(axis=1)) - matrix
    x = np.random.default_rng(0).normal(size=(n, 2))
    x /= np.linalg.norm(x, axis=0)
    operator = Operator(False, edges, matrix[tuple(edges.T)], np.empty(0))
    recurrence = Recurrence(np.zeros((2, 3)), np.zeros((2, 3)), np.full(2, -1))
    work = Work(np.zeros((n, 2)), x.copy(), np.empty((n, 2)), np.empty((0, 2)))
    for step in range(3):
        work = take_step(step, operator, work, recurrence)
    for c in range(2):
        mu, weight = np.empty(3), np.empty(3)
        gauss_rule(recurrence.alpha[c], recurrence.beta[c], mu, weight)
        for power in range(6):
            exact = x[:, c] @ np.linalg.matrix_power(laplacian, power) @ x[:, c]
            assert weight @ mu**power == pytest.approx(exact)
        wrong = x[:, c] @ np.linalg.matrix_power(laplacian, 8) @ x[:, c]
        assert weight @ mu**8 != pytest.approx(wrong)


def test_an_invariant_space_ends_the_recurrence(triangle_with_tail):
    # The complete graph has one positive eigenvalue.
    edges = edges_of(np.ones((6, 6)))
    edges = edges[edges[:, 0] != edges[:, 1]]
    x = np.array([1.0, -1, 0, 0, 0, 0])[:, None] / np.sqrt(2)
    operator = Operator(False, edges, np.empty(0), np.empty(0))
    recurrence = Recurrence(np.zeros((1, 3)), np.zeros((1, 3)), np.full(1, -1))
    work = Work(np.zeros((6, 1)), x, np.empty((6, 1)), np.empty((0, 1)))
    take_step(0, operator, work, recurrence)
    assert recurrence.length.tolist() == [1]
    assert recurrence.alpha[0, 0] == pytest.approx(6)
