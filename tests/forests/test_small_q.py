"""Forests by elimination: the exact law, however far weights are apart."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from skshake import as_graphs
from skshake._jit import kernel
from skshake.forests._neighbours import as_walkable
from skshake.forests._small_q import (
    IN_LARGE,
    LARGEST_COMPONENT,
    UNSEEN,
    Elimination,
    _eliminate,
    find_component,
)
from tests._helpers.forests import draw


def exact_inverse(matrix):
    """Inverse in rational numbers, by Gauss-Jordan elimination."""
    n = len(matrix)
    rows = [
        [Fraction(x) for x in row] + [Fraction(i == j) for j in range(n)]
        for i, row in enumerate(matrix)
    ]
    for k in range(n):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [
                    x - factor * y for x, y in zip(rows[i], rows[k], strict=True)
                ]
    return [row[n:] for row in rows]


def exact_kernel(adjacency, q):
    """P(root of i = j) = q (qI + L)^-1, as floats of exact numbers."""
    n = len(adjacency)
    weights = [[Fraction(float(w)) for w in row] for row in adjacency]
    matrix = [[-w for w in row] for row in weights]
    for i in range(n):
        matrix[i][i] = Fraction(q) + sum(weights[i])
    inverse = exact_inverse(matrix)
    return np.array([[float(Fraction(q) * x) for x in row] for row in inverse])


def wide_graph(seed, spread, n=7):
    """Complete graph with weights from 10^-spread to 10^spread."""
    rng = np.random.default_rng(seed)
    upper = np.triu(10 ** rng.uniform(-spread, spread, (n, n)), 1)
    return upper + upper.T


@pytest.mark.parametrize("spread", [0, 3, 12])
def test_elimination_keeps_the_digits_of_every_weight(spread, global_random_seed):
    # The first pivot is 1 / (qI + L)^-1_00, the conductance from node 0 to the ground.
    adjacency, q = wide_graph(global_random_seed, spread), 0.5
    ground, total = np.full(len(adjacency), q), np.empty(len(adjacency))
    _eliminate(Elimination(adjacency.copy(), ground, total))
    expected = q / exact_kernel(adjacency, q)[0, 0]
    assert total[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("spread", [1, 6])
def test_roots_follow_the_kernel(spread, global_random_seed):
    adjacency, q, n_draws = wide_graph(global_random_seed, spread), 1e-4, 8_000
    kernel = exact_kernel(adjacency, q)
    root = draw(adjacency, q, n_draws, global_random_seed).root[0]
    counts = np.zeros(kernel.shape)
    np.add.at(counts, (np.tile(np.arange(len(kernel)), n_draws), root), 1)
    error = np.sqrt(n_draws * kernel * (1 - kernel)) + 1
    # 49 entries: |z| < 6 for all of them holds but once in 10^7 runs.
    assert np.abs((counts - n_draws * kernel) / error).max() < 6


@kernel
def _find_from_each(graphs, members, place, sizes):
    for start in range(len(place)):
        if place[start] == UNSEEN:
            sizes[start] = find_component(start, 0, graphs, members, place)


def test_components_are_found_unless_they_are_too_large(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    sizes = [1, 2, 41, LARGEST_COMPONENT, LARGEST_COMPONENT + 1, 3 * LARGEST_COMPONENT]
    # Random trees of odd sizes, stars of even ones, their nodes in any order.
    trees = []
    for n in sizes:
        parent = rng.integers(0, np.arange(1, n)) if n % 2 else np.zeros(n - 1, int)
        ends = np.arange(1, n), parent
        trees.append(sparse.coo_array((np.ones(n - 1), ends), (n, n)))
    half = sparse.block_diag(trees, format="csr")
    order = rng.permutation(half.shape[0])
    adjacency = (half + half.T)[order][:, order]
    _, component = connected_components(adjacency)
    n_nodes = np.bincount(component)[component]

    members = np.empty(LARGEST_COMPONENT, np.int32)
    place = np.full(len(order), UNSEEN, np.int32)
    found = np.full(len(order), -1)
    _find_from_each(as_walkable(as_graphs([adjacency])), members, place, found)
    is_large = n_nodes > LARGEST_COMPONENT
    assert (place[is_large] == IN_LARGE).all()
    assert (found[is_large] <= 0).all()
    is_start = found > 0
    assert sorted(found[is_start]) == sizes[:4]
    assert (found[is_start] == n_nodes[is_start]).all()
    for label in np.unique(component[~is_large]):
        places = place[component == label]
        assert sorted(places) == list(range(len(places)))
