"""Lanczos measures against eigenvectors: losses, complexity, and its stated error."""

import networkx as nx
import numpy as np
import pytest
from scipy.stats import t

from skshake import as_graphs
from skshake.datasets import load_npz
from skshake.resolution import edge_measure, node_measure
from skshake.resolution._columns import EXACT_ROWS
from skshake.resolution._measure import N_PROBES
from tests._helpers import curve_table, limit
from tests._helpers.graphs import larger_graphs

QS = np.geomspace(1e-2, 1e3, 11)


@pytest.mark.parametrize("measure", [node_measure, edge_measure])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_are_those_of_eigenvectors(measure, weighted):
    graphs = larger_graphs(weighted=weighted)
    exact = measure(graphs, solver="eigh")
    lanczos = measure(graphs, solver="lanczos")
    for q in QS:
        difference = curve_table(lanczos, q)[:, :2] - curve_table(exact, q)[:, :2]
        assert np.abs(difference).max() < 1e-3
        assert (np.abs(difference).max(axis=1) <= lanczos.loss_error + 1e-9).all()


def test_small_graphs_have_exact_complexities(random_graphs, mutag):
    few_edges = np.diff(mutag[0].edge_ptr) <= EXACT_ROWS
    for graphs in (as_graphs(random_graphs), mutag[0][few_edges]):
        for measure in (node_measure, edge_measure):
            exact = measure(graphs, solver="eigh")
            lanczos = measure(graphs, solver="lanczos")
            assert lanczos.complexity_error(1.0) == 0
            for q in QS:
                np.testing.assert_allclose(
                    curve_table(lanczos, q), curve_table(exact, q), atol=1e-4
                )


def test_the_stated_error_of_the_complexity_covers_the_truth(global_random_seed):
    # Intervals of 95 % from eight probes, over independent seeds and several q.
    graphs = larger_graphs(6, weighted=True, n_columns=1)
    exact = node_measure(graphs, solver="eigh")
    n_draws, qs = 60, [0.05, 0.5, 5.0]
    covered = np.zeros(len(qs))
    errors, stated = np.zeros((2, n_draws, len(qs)))
    for k in range(n_draws):
        seed = 1_000 * global_random_seed + k
        lanczos = node_measure(graphs, solver="lanczos", seed=seed)
        for j, q in enumerate(qs):
            error = (
                curve_table(lanczos, q)[:, 2].mean()
                - curve_table(exact, q)[:, 2].mean()
            )
            stated[k, j] = lanczos.complexity_error(q)
            covered[j] += abs(error) <= t.ppf(0.975, N_PROBES - 1) * stated[k, j]
            errors[k, j] = error
    # Fewer than 48 of 60 happens once in 10^5 runs.
    assert (covered >= 0.8 * n_draws).all()
    # Nor is it too large: it is the spread, which 60 draws show within a tenth.
    ratio = stated.mean(axis=0) / errors.std(axis=0)
    assert (ratio > 0.5).all()
    assert (ratio < 2).all()
    assert (np.abs(errors) < 0.02).all()


def test_trace_is_the_sum_over_rows(global_random_seed):
    graphs = larger_graphs()
    n_rows = np.diff(graphs.node_ptr)
    measure = node_measure(graphs, solver="lanczos", seed=global_random_seed)
    value, error = measure.trace(1.0, n_rows)
    assert value == pytest.approx(curve_table(measure, 1.0)[:, 2] @ n_rows)
    exact = node_measure(graphs, solver="eigh").trace(1.0, n_rows)
    assert exact[1] == 0
    assert abs(value - exact[0]) < limit(n_draws=N_PROBES) * error


def test_random_vectors_depend_on_seed_and_content_alone():
    graphs = larger_graphs()
    whole = node_measure(graphs, solver="lanczos", seed=3)
    order = np.random.default_rng(0).permutation(len(graphs))
    shuffled = node_measure(graphs[order], solver="lanczos", seed=3, n_jobs=2)
    assert (curve_table(shuffled, 0.7) == curve_table(whole, 0.7)[order]).all()
    other = node_measure(graphs, solver="lanczos", seed=4)
    assert (curve_table(other, 0.7)[:, 2] != curve_table(whole, 0.7)[:, 2]).any()


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(nx.star_graph(20_000), id="star"),
        pytest.param(nx.complete_graph(200), id="complete"),
        pytest.param(nx.empty_graph(200), id="no edges"),
        pytest.param(nx.disjoint_union_all([nx.path_graph(2)] * 80), id="pairs"),
        pytest.param(nx.cycle_graph(500), id="cycle"),
    ],
)
def test_known_spectra(graph):
    n, m = graph.number_of_nodes(), graph.number_of_edges()
    rng = np.random.default_rng(0)
    adjacency = nx.to_scipy_sparse_array(graph, weight=None)
    graphs = as_graphs([(adjacency, rng.normal(size=(n, 1)), rng.normal(size=(m, 1)))])
    node = curve_table(node_measure(graphs, solver="lanczos"), 1.0)[0]
    edge = curve_table(edge_measure(graphs, solver="lanczos"), 1.0)[0]
    known = {
        20_001: ((n - 2) / 2 + 1 / (1 + n), (m - 1) / (1 + m)),
        500: (sum(1 / (3 - 2 * np.cos(2 * np.pi * np.arange(1, n) / n))),) * 2,
        160: (80 / 3, 0.0),
        200: ((n - 1) / (1 + n), None) if m else (0.0, 0.0),
    }[n]
    # One standard deviation is 0.2 % (the cycle) or nothing.
    assert node[2] * n == pytest.approx(known[0], rel=0.02, abs=0.2)
    if known[1] is not None:
        assert edge[2] * m == pytest.approx(known[1], rel=0.02, abs=0.2)


@pytest.mark.parametrize("name", ["PROTEINS", "DD"])
def test_curves_of_real_sets(name, shared_data):
    graphs = load_npz(shared_data / "graphs" / f"{name}.npz", return_X_y=True)[0]
    graphs = graphs[np.diff(graphs.node_ptr) < 400][::4]
    exact = node_measure(graphs, solver="eigh")
    lanczos = node_measure(graphs, solver="lanczos")
    for q in QS:
        wrong = (
            curve_table(lanczos, q).mean(axis=0) / curve_table(exact, q).mean(axis=0)
            - 1
        )
        losses = curve_table(lanczos, q)[:, :2].mean(axis=0)
        assert np.abs(wrong[:2] * losses).max() < 1e-3
        assert abs(wrong[2]) < 0.01
