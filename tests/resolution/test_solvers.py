"""The solver of each graph, and what does not depend on it."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.resolution import (
    SOLVERS,
    SpectralLoss,
    edge_measure,
    node_measure,
    select_resolution,
)
from skshake.resolution._solvers import MOST_DENSE_ROWS
from tests._helpers import curve_table
from tests._helpers.graphs import larger_graphs


def test_auto_takes_each_graph_by_its_size():
    small, large = larger_graphs(3), as_graphs([nx.cycle_graph(300)] * 2)
    featured = as_graphs([(nx.to_numpy_array(nx.cycle_graph(300)), np.ones((300, 2)))])
    assert node_measure(small).complexity_error(1.0) == 0
    assert node_measure(large).complexity_error(0.01) > 0
    assert (curve_table(node_measure(featured), 1.0)[:, :2] == 0).all()
    with pytest.raises(ValueError, match="qr"):
        node_measure(small, solver="qr")


@pytest.mark.parametrize("solver", ["eigh", "lanczos"])
def test_solvers_agree_on_q_star(solver, mutag):
    q_star = select_resolution(mutag[0], solver=solver).q_star
    assert q_star == pytest.approx(2.4395, rel=0.001)


def test_no_edge_features_means_no_edge_side(triangle_with_tail):
    assert (curve_table(edge_measure(as_graphs([triangle_with_tail])), 0.5) == 0).all()


@pytest.fixture
def sizes():
    """Graphs of 40 to 90 nodes and of 150, in turns, with features of both."""
    small = larger_graphs(3)
    rng = np.random.default_rng(0)
    graphs = [(_matrix(graph), graph.x, graph.edge_attr) for graph in small]
    for k in (1, 3):
        matrix = nx.to_numpy_array(nx.random_regular_graph(3, 150, seed=k))
        x, edge_attr = rng.normal(size=(150, 2)), rng.integers(0, 4, size=(225, 2))
        graphs.insert(k, (matrix, x, edge_attr))
    return as_graphs(graphs)


def _matrix(graph):
    matrix = np.zeros((graph.n_nodes, graph.n_nodes))
    u, v = graph.edges.T
    matrix[u, v] = matrix[v, u] = graph.edge_weight
    return matrix


@pytest.mark.parametrize("measure", [node_measure, edge_measure])
def test_measures_come_in_the_order_of_graphs(measure, sizes):
    found, exact = measure(sizes), measure(sizes, solver="eigh")
    n_rows = np.diff(sizes.node_ptr if measure is node_measure else sizes.edge_ptr)
    is_small = n_rows <= MOST_DENSE_ROWS
    assert 0 < is_small.sum() < len(sizes)
    for q in (0.1, 2.0):
        one, other = curve_table(found, q), curve_table(exact, q)
        # Small graphs are decomposed, which leaves rounding; of others the complexity
        # is estimated, and losses are exact up to where steps end.
        np.testing.assert_allclose(one[is_small], other[is_small], atol=1e-10)
        assert (np.abs(one - other)[~is_small, 2] > 1e-10).any()
        np.testing.assert_allclose(one[:, :2], other[:, :2], atol=1e-3)
    alone = [curve_table(measure(sizes[[k]]), 2.0)[0] for k in range(len(sizes))]
    np.testing.assert_allclose(curve_table(found, 2.0), alone, atol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_and_bars_change_nothing(solver, sizes, capsys):
    expected = curve_table(node_measure(sizes, solver=solver, seed=5), 0.7)
    assert "node spectra" not in capsys.readouterr().err
    found = node_measure(sizes, solver=solver, seed=5, n_jobs=2, verbose=1)
    assert (curve_table(found, 0.7) == expected).all()
    assert "node spectra: 100%" in capsys.readouterr().err


def test_other_losses_are_measured_by_every_solver(sizes):
    losses = (SpectralLoss("rough", 2, "rough"), SpectralLoss("plain", 0, "plain"))
    for measure in (node_measure, edge_measure):
        exact, other = (
            measure(sizes, solver=solver, losses=losses).curves(2.0)
            for solver in ("eigh", "lanczos")
        )
        assert list(exact) == list(other) == ["rough", "plain", "complexity"]
        for name in ("rough", "plain"):
            # Where steps end.
            np.testing.assert_allclose(other[name], exact[name], atol=1e-3)
        usual = measure(sizes, solver="eigh").curves(2.0)
        np.testing.assert_allclose(exact["plain"], usual["reconstruction"])


def test_no_edge_features_means_an_empty_measure_of_the_same_losses():
    losses = (SpectralLoss("rough", 2, "rough"),)
    graphs = as_graphs([nx.path_graph(3)] * 2)
    curves = edge_measure(graphs, losses=losses).curves(1.0)
    assert {name: values.tolist() for name, values in curves.items()} == {
        "rough": [0.0, 0.0],
        "complexity": [0.0, 0.0],
    }
