"""J, its minimiser q*, and expected sizes."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from skshake import KFCoarsener, ResolutionWarning, as_graphs, sample_forests
from skshake.datasets import load_npz
from skshake.graphs import with_degree_feature
from skshake.resolution import default_grid, measure_objective, minimise
from tests._helpers import curve_table, limit


def objective_of(graphs, phi=1.0):
    graphs = as_graphs(graphs)
    if not graphs.node_features.n_columns:
        graphs = with_degree_feature(graphs)
    return measure_objective(graphs, phi, len(graphs), solver="eigh")


def test_j_adds_average_losses_and_weighted_complexities(random_graphs):
    objective = objective_of(random_graphs, phi=0.7)
    node, edge = (curve_table(side, 2.0) for side in (objective.node, objective.edge))
    expected = [
        (n[0] + n[1]) / 2 + (e[0] + e[1]) / 2 + 0.7 * (n[2] + e[2])
        for n, e in zip(node, edge, strict=True)
    ]
    np.testing.assert_allclose(objective.per_graph(2.0)["objective"], expected)
    np.testing.assert_allclose(objective(2.0), np.mean(expected))


def test_joined_objectives_are_that_of_all_graphs(random_graphs):
    path = sparse.diags_array([np.ones(129)] * 2, offsets=[-1, 1], shape=(130, 130))
    matrices = [matrix for matrix, _, _ in random_graphs]
    graphs = as_graphs([*matrices, np.zeros((3, 3)), path])
    n_graphs, parts = len(graphs), (slice(None, 4), slice(4, None))
    assert n_graphs > 5
    first, more = (
        measure_objective(with_degree_feature(graphs[part]), 1.0, n_graphs)
        for part in parts
    )
    whole = measure_objective(with_degree_feature(graphs), 1.0, n_graphs)
    joined = first.joined(more)
    assert (joined.n_nodes == whole.n_nodes).all()
    for q in (0.1, 3.0):
        for name, values in joined.per_graph(q).items():
            np.testing.assert_allclose(values, whole.per_graph(q)[name])
        assert joined.expected_node_fraction(q) == whole.expected_node_fraction(q)


def test_curves_are_the_means_on_the_grid(random_graphs):
    objective = objective_of(random_graphs)
    curves = objective.curves(np.array([0.1, 1.0, 10.0]))
    values = objective.per_graph(1.0)
    assert curves.node_reconstruction[1] == pytest.approx(
        values["node_reconstruction"].mean()
    )
    assert curves.edge_complexity[1] == pytest.approx(values["edge_complexity"].mean())
    assert curves.objective_std[1] == pytest.approx(values["objective"].std())
    frame = curves.to_frame()
    assert frame.shape == (3, 11)
    expected = [objective.expected_node_fraction(q) for q in (0.1, 1.0, 10.0)]
    assert frame["node_fraction"].tolist() == expected
    assert (frame["objective"] == curves.objective).all()


def test_q_star_is_the_minimum_of_a_dense_grid(mutag):
    objective = objective_of(mutag[0])
    q_star = minimise(objective, objective.curves(default_grid([objective.node])))
    dense = np.geomspace(0.5, 10, 2_000)
    best = dense[np.argmin([objective(q) for q in dense])]
    assert abs(q_star / best - 1) < 2e-3


def test_expected_node_share_is_the_trace_and_what_forests_show(
    random_graphs, global_random_seed
):
    objective, n_draws = objective_of(random_graphs), 400
    expected = objective.expected_node_fraction(0.6)
    kernels = []
    for matrix, _, _ in random_graphs:
        laplacian = np.diag(matrix.sum(axis=1)) - matrix
        kernels.append(0.6 * np.linalg.inv(0.6 * np.eye(len(matrix)) + laplacian))
    n_nodes = sum(map(len, kernels))
    assert expected == pytest.approx(sum(map(np.trace, kernels)) / n_nodes)
    graphs, first_seed = as_graphs(random_graphs), n_draws * global_random_seed
    shares = [
        sample_forests(graphs, 0.6, random_state=first_seed + k).n_blocks.sum()
        / n_nodes
        for k in range(n_draws)
    ]
    error = np.std(shares, ddof=1) / np.sqrt(n_draws)
    assert abs(np.mean(shares) - expected) < limit(n_draws=n_draws) * error


@pytest.mark.parametrize("share", [0.6, 0.8])
def test_q_for_a_node_share_inverts_it(share, random_graphs):
    objective = objective_of(random_graphs)
    q = objective.q_for_node_fraction(share)
    assert objective.expected_node_fraction(q) == pytest.approx(share, abs=1e-4)


def test_several_levels_halve_the_expected_nodes(mutag):
    coarsener = KFCoarsener(n_levels=3, n_forests=1, random_state=0).fit(mutag[0])
    shares = coarsener.reduction_.expected_nodes
    assert shares[1] == pytest.approx(shares[0] / 2, rel=1e-4)
    assert shares[2] == pytest.approx(shares[0] / 4, rel=1e-4)


def _q_star(graphs, **parameters):
    """q* and whether a warning about it was given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        coarsener = KFCoarsener(random_state=0, **parameters).fit(graphs)
    warned = any(issubclass(w.category, ResolutionWarning) for w in caught)
    return coarsener.q_star_, warned


def test_border_minima_warn_and_stay_useful(small_mutag):
    graphs = small_mutag[0]
    for phi in (0.01, 100.0):
        q_star, warned = _q_star(graphs, phi=phi)
        assert np.isfinite(q_star)
        assert q_star > 0
        if phi == 100.0:
            assert warned
    low, _ = _q_star(graphs, phi=100.0)
    high, _ = _q_star(graphs, phi=0.01)
    assert low < high


def test_constant_features_warn_and_keep_half_the_nodes():
    plain = [(np.diag(np.ones(9), 1) + np.diag(np.ones(9), -1), np.ones((10, 1)))] * 5
    q_star, warned = _q_star(plain)
    assert warned
    share = objective_of(plain).expected_node_fraction(q_star)
    assert share == pytest.approx(0.5, abs=0.01)


def test_a_hump_between_equal_borders_keeps_half_the_nodes():
    """Stars whose feature is their degree: every q but the borders loses much."""
    stars = []
    for n in range(40, 60):
        star = np.zeros((n, n))
        star[0, 1:] = star[1:, 0] = 1
        stars.append(star)
    grid = np.geomspace(1e-3, 1e3, 61)
    q_star, warned = _q_star(stars, q_grid=grid)
    assert warned
    objective = objective_of(with_degree_feature(as_graphs(stars)))
    assert objective.expected_node_fraction(q_star) == pytest.approx(0.5, abs=0.01)
    # Where size hardly counts, the border is an answer.
    q_star, warned = _q_star(stars, q_grid=grid, phi=0.01)
    assert warned
    assert objective.expected_node_fraction(q_star) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize(
    "graphs",
    [
        pytest.param([np.ones((6, 6)) - np.eye(6)] * 3, id="complete"),
        pytest.param([np.zeros((1, 1))] * 3, id="one node"),
        pytest.param([np.zeros((4, 4))] * 3, id="no edges"),
        pytest.param([np.zeros((0, 0)), np.zeros((2, 2))], id="no nodes"),
    ],
)
def test_degenerate_graphs_have_a_finite_positive_q_star(graphs):
    q_star, warned = _q_star(graphs)
    assert np.isfinite(q_star)
    assert q_star > 0
    assert warned


@pytest.mark.parametrize("phi", [0.01, 1.0, 100.0])
def test_a_star_of_many_leaves_with_edge_features(phi):
    # Its line graph is complete: 5 * 10^9 edges that are never made.
    n_leaves, rng = 100_000, np.random.default_rng(0)
    ends = np.zeros(n_leaves, np.int64), np.arange(1, n_leaves + 1)
    shape = (n_leaves + 1, n_leaves + 1)
    star = sparse.coo_array((np.ones(n_leaves), ends), shape).tocsr()
    x = rng.normal(size=(n_leaves + 1, 1))
    graphs = [(star + star.T, x, rng.normal(size=(n_leaves, 2)))]
    q_star, _ = _q_star(graphs, phi=phi, n_forests=1)
    assert np.isfinite(q_star)
    assert q_star > 0


def test_a_narrow_grid_warns_at_its_border(small_mutag):
    with pytest.warns(ResolutionWarning, match="no inner minimum"):
        KFCoarsener(q_grid=[20.0, 30.0, 40.0], n_forests=1).fit(small_mutag[0])


def test_q_star_of_dd_is_the_papers(shared_data):
    # Method section 5: 6.31 with one-hot labels, the paper's Table 1 has 6.4. A tenth
    # of the graphs, those below 200 nodes, keeps the test short.
    graphs, _ = load_npz(shared_data / "graphs" / "DD.npz", return_X_y=True)
    small = graphs[np.diff(graphs.node_ptr) < 200][::3]
    assert 5.9 < _q_star(small, n_forests=1)[0] < 6.8


def test_the_repr_of_curves_says_where_j_is_smallest(random_graphs):
    objective = measure_objective(as_graphs(random_graphs), 1.0, len(random_graphs))
    grid = np.array([0.5, 1.0, 200.0])
    curves = objective.curves(grid)
    smallest = curves.objective.min()
    q = grid[curves.objective.argmin()]
    assert repr(curves) == (
        f"<ResolutionCurves at 3 q from 0.5 to 200: mean J of {len(random_graphs)} "
        f"graphs, smallest with {smallest:.3g} at q = {q:.3g}>"
    )
