"""Does the sampler draw from the Kirchhoff forest law, at one q and at coupled q?"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from skshake import sample_forests
from tests._helpers import FALSE_ALARMS, limit
from tests._helpers.forests import draw

ROOT = -1


def _is_forest(parent):
    for node in range(len(parent)):
        for _ in range(len(parent)):
            if node == ROOT:
                break
            node = parent[node]
        if node != ROOT:
            return False
    return True


def forest_law(adjacency, q, rtol=1e-7):
    """Exact law: a rooted spanning forest weighs q^|roots| times its edge weights."""
    choices = [[ROOT, *np.flatnonzero(row)] for row in adjacency]
    weight = {}
    for forest in product(*choices):
        if _is_forest(forest):
            arrows = [(i, j) for i, j in enumerate(forest) if j != ROOT]
            edges = np.prod([adjacency[i, j] for i, j in arrows])
            weight[forest] = q ** forest.count(ROOT) * edges
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    determinant = np.linalg.det(q * np.eye(len(adjacency)) + laplacian)
    total = sum(weight.values())
    # Matrix-forest theorem: checks the enumeration before it judges the sampler.
    np.testing.assert_allclose(total, determinant, rtol)
    return {forest: w / total for forest, w in weight.items()}


def p_value(parents, law):
    """Chi-square of counts (never of frequencies, which cannot fail)."""
    drawn, counts = np.unique(parents, axis=0, return_counts=True)
    observed = {tuple(row): n for row, n in zip(drawn.tolist(), counts, strict=True)}
    assert observed.keys() <= law.keys(), "drew something that is not a forest"
    expected = np.array(list(law.values())) * len(parents)
    # Rare forests share one cell, so that each cell expects at least 30.
    is_rare = expected < 30
    cells = np.array([observed.get(forest, 0) for forest in law])
    cells = np.append(cells[~is_rare], cells[is_rare].sum())
    expected = np.append(expected[~is_rare], expected[is_rare].sum())
    if expected[-1] < 30:
        cells[-2] += cells[-1]
        expected[-2] += expected[-1]
        cells, expected = cells[:-1], expected[:-1]
    assert len(cells) > 3, "too few cells to judge"
    return chisquare(cells, expected).pvalue


@pytest.mark.parametrize("q", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("graph", ["triangle_with_tail", "weighted_tail"])
def test_wilson_draws_from_the_forest_law(graph, q, global_random_seed, request):
    adjacency = request.getfixturevalue(graph)
    forests = draw(adjacency, q, 20_000, global_random_seed)
    parents = forests.parent[0].reshape(-1, len(adjacency))
    assert p_value(parents, forest_law(adjacency, q)) > FALSE_ALARMS


@pytest.mark.parametrize("graph", ["triangle_with_tail", "weighted_tail"])
def test_each_coupled_level_has_the_exact_law(graph, global_random_seed, request):
    adjacency = request.getfixturevalue(graph)
    forests = draw(adjacency, [4.0, 1.0, 0.5, 0.3], 20_000, global_random_seed)
    for q, parent in zip(forests.q, forests.parent, strict=True):
        parents = parent.reshape(-1, len(adjacency))
        found = p_value(parents, forest_law(adjacency, q))
        assert found > FALSE_ALARMS / len(forests.q)


@pytest.mark.parametrize("graph", ["triangle_with_tail", "weighted_tail"])
def test_the_law_test_rejects_a_slightly_wrong_q(graph, global_random_seed, request):
    adjacency = request.getfixturevalue(graph)
    for q in (1.15, [4.0, 1.15]):
        forests = draw(adjacency, q, 20_000, global_random_seed)
        parents = forests.parent[-1].reshape(-1, len(adjacency))
        # Of right seeds but one in 10^10 has so large a value.
        assert p_value(parents, forest_law(adjacency, 1.0)) < FALSE_ALARMS


# Heavy edges and clusters, along which walks go back and forth, by the edges of the
# triangle with a tail. With the first most walks are left for elimination and some are
# not; the second is eliminated at once; the others span what float64 can tell apart.
HEAVY = {
    "left half way": [2_000.0, 2.0, 0.7, 3.0],
    "eliminated": [1e6, 2.0, 0.7, 3.0],
    "cluster": [1e12, 1e12, 1e12, 2.0],
    "scales": [1e12, 1.5, 1e-3, 1e6],
}


@pytest.mark.parametrize("qs", [1.0, [4.0, 1.0, 0.5]], ids=str)
@pytest.mark.parametrize("weights", HEAVY)
def test_heavy_weights_leave_the_law_as_it_is(weights, qs, global_random_seed):
    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)]
    adjacency = np.zeros((5, 5))
    for (i, j), weight in zip(edges, [*HEAVY[weights], 1.0, 0.5], strict=True):
        adjacency[i, j] = adjacency[j, i] = weight
    forests = draw(adjacency, qs, 20_000, global_random_seed)
    for q, parent in zip(forests.q, forests.parent, strict=True):
        parents = parent.reshape(-1, len(adjacency))
        found = p_value(parents, forest_law(adjacency, q, rtol=1e-3))
        assert found > FALSE_ALARMS / len(forests.q)


def test_heavy_tails_take_no_longer(global_random_seed):
    # hugegraph-computer PR #280: 35 s for 20 such graphs; each takes n draws now.
    rng = np.random.default_rng(global_random_seed)
    n, graphs = 30, []
    for _ in range(20):
        weights = np.triu(rng.random((n, n)) < 0.2, 1) * 10 ** rng.uniform(
            0, 12, (n, n)
        )
        graphs.append(weights + weights.T)
    budget = 1_000 + 0.125 * n**3
    for q in (1.0, 1e3, 1e6):
        n_steps = sample_forests(graphs, q, random_state=global_random_seed).n_steps
        assert n_steps < len(graphs) * (budget + n)


def _ladder(n_rungs, weights):
    """Two paths of n_rungs nodes joined by rungs, with cyclically repeated weights."""
    n = 2 * n_rungs
    adjacency = np.zeros((n, n))
    edges = [(i, i + 2) for i in range(n - 2)] + [(i, i + 1) for i in range(0, n, 2)]
    for k, (i, j) in enumerate(edges):
        adjacency[i, j] = adjacency[j, i] = weights[k % len(weights)]
    return adjacency


# Heavy weights make walks so long that small components are drawn by elimination.
@pytest.mark.parametrize("weights", [(1.0,), (1e-3, 1.0, 1e3), (1e4,)], ids=str)
def test_roots_follow_the_kernel_on_a_larger_graph(weights, global_random_seed):
    # Method section 1: P(root of i = j) = K_ij with K = q (qI + L)^-1.
    adjacency = _ladder(10, weights)
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    n, n_draws = len(adjacency), 20_000 if len(weights) == 1 else 6_000
    forests = draw(adjacency, [2.0, 0.2], n_draws, global_random_seed)
    for q, root in zip(forests.q, forests.root, strict=True):
        kernel = q * np.linalg.inv(q * np.eye(n) + laplacian)
        counts = np.zeros((n, n))
        np.add.at(counts, (np.tile(np.arange(n), n_draws), root), 1)
        # Only cells that expect enough draws for a normal law are judged; they hold
        # nearly all of the probability.
        is_judged = n_draws * np.minimum(kernel, 1 - kernel) > 100
        assert kernel[is_judged].sum() > 0.85 * n
        error = np.sqrt(kernel * (1 - kernel) / n_draws)[is_judged]
        # At most 400 entries and two q: |z| < 6 for all holds but once in 10^5 runs.
        difference = counts[is_judged] / n_draws - kernel[is_judged]
        assert np.abs(difference / error).max() < 6


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_a_walk_draws_as_many_entries_as_expected(scale, global_random_seed):
    # Expected entries of all stacks: the trace of (qI + D) (qI + L)^-1.
    adjacency, q, n_draws = _ladder(8, (1.0, 0.2)), 0.3, 4_000
    degrees = scale * adjacency.sum(axis=1)
    laplacian = np.diag(degrees) - scale * adjacency
    inverse = np.linalg.inv(q * np.eye(len(adjacency)) + laplacian)
    expected = ((q + degrees) * np.diag(inverse)).sum()
    n_steps = draw(scale * adjacency, q, n_draws, global_random_seed).n_steps / n_draws
    if scale == 1:
        # One standard deviation is 0.4 %.
        assert n_steps == pytest.approx(expected, rel=0.05)
    else:
        # Elimination spares the walk of d / q steps to the first root.
        assert n_steps < expected / 100


@pytest.mark.parametrize("q", [0.05, 1.0, 20.0])
def test_root_count_is_a_sum_of_independent_bernoullis(q, global_random_seed):
    # Method section 1: mean sum q / (q + mu), variance sum p (1 - p).
    adjacency = _ladder(8, (1.0,))
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    p = q / (q + np.clip(np.linalg.eigvalsh(laplacian), 0, None))
    n_draws = 20_000
    n_roots = draw(adjacency, q, n_draws, global_random_seed).n_blocks[0]
    variance = (p * (1 - p)).sum()
    assert abs(n_roots.mean() - p.sum()) < limit(2) * np.sqrt(variance / n_draws)
    # A variance varies by the fourth cumulant and by 2 v^2.
    cumulant = (p * (1 - p) * (1 - 6 * p * (1 - p))).sum()
    error = np.sqrt((cumulant + 2 * variance**2) / n_draws)
    assert abs(n_roots.var() - variance) < limit(2) * error


def test_trees_average_to_the_smoothed_signal(global_random_seed):
    # Method section 1: both the root's value and the tree's mean have expectation K x.
    adjacency = _ladder(6, (1.0, 0.3))
    n, q, n_draws = len(adjacency), 0.7, 20_000
    x = np.random.default_rng(0).normal(size=n)
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    smoothed = q * np.linalg.solve(q * np.eye(n) + laplacian, x)
    forests = draw(adjacency, q, n_draws, global_random_seed)
    root, block = forests.root[0].reshape(-1, n), forests.block[0].reshape(-1, n)
    tree = block + n * np.arange(n_draws)[:, None]
    sizes = np.bincount(tree.ravel(), minlength=n * n_draws)
    sums = np.bincount(tree.ravel(), np.tile(x, n_draws), minlength=n * n_draws)
    means = (sums / np.maximum(sizes, 1))[tree]
    for estimate in (x[root], means):
        error = estimate.std(axis=0) / np.sqrt(n_draws)
        assert (np.abs(estimate.mean(axis=0) - smoothed) < limit(2 * n) * error).all()
