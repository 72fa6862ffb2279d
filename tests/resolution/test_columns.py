"""Columns from which Lanczos recurrences start, on literal arrays."""

import networkx as nx
import numpy as np

from skshake import as_graphs
from skshake.resolution import node_measure
from skshake.resolution._columns import MOST_COLUMNS
from tests._helpers import curve_table, limit

QS = np.geomspace(1e-2, 1e3, 11)


def test_one_hot_columns_are_contrasts_of_equal_energy():
    rng = np.random.default_rng(1)
    matrix = nx.to_numpy_array(nx.random_regular_graph(4, 60, seed=1))
    codes = rng.integers(0, 5, size=(60, 1))
    one_hot = (codes == np.arange(5)).astype(float)
    categories = node_measure(as_graphs([(matrix, codes)]), solver="lanczos")
    numbers = node_measure(as_graphs([(matrix, one_hot)]), solver="lanczos")
    for q in QS:
        np.testing.assert_allclose(
            curve_table(categories, q)[:, :2], curve_table(numbers, q)[:, :2], atol=1e-6
        )


def test_many_columns_are_combined_without_bias(global_random_seed):
    # Node numbers as categories: the energy of every eigenvector is the same.
    graph = nx.to_numpy_array(nx.random_regular_graph(4, 3 * MOST_COLUMNS, seed=0))
    graphs = as_graphs([(graph, np.arange(len(graph))[:, None])])
    exact = curve_table(node_measure(graphs, solver="eigh"), 2.0)[0]
    draws = np.array(
        [
            curve_table(
                node_measure(
                    graphs, solver="lanczos", seed=100 * global_random_seed + k
                ),
                2.0,
            )[0]
            for k in range(10)
        ]
    )
    error = draws.std(axis=0, ddof=1) / np.sqrt(10)
    assert (error[:2] > 0).all()
    bound = limit(len(exact), n_draws=10) * error
    assert (np.abs(draws.mean(axis=0) - exact) < bound).all()
