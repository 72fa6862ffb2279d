"""Statistics of graphs, by hand."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.graphs import bin_degrees
from skshake.hierarchy import learn_vocabulary
from skshake.subtrees import (
    Choice,
    learn_statistics,
    name_columns,
    statistics_blocks,
    statistics_names,
)
from skshake.subtrees._statistics import _range_of_bin


def table_of(train, graphs, choice, walk_length=0, log_rule="auto"):
    """Columns of statistics by their names."""
    train, graphs = as_graphs(train), as_graphs(graphs)
    features = train.node_features, train.edge_features
    vocabularies = (learn_vocabulary(each.categories) for each in features)
    statistics = learn_statistics(train, *vocabularies, choice, walk_length, log_rule)
    nodes, edges = (
        name_columns(what, each.fields)
        for what, each in zip(("node", "edge"), features, strict=True)
    )
    names = statistics_names(statistics, nodes, edges)
    blocks = [block.toarray() for block in statistics_blocks(statistics, graphs)]
    table = np.hstack(blocks)
    assert table.shape == (len(graphs), len(names))
    assert len(set(names)) == len(names)
    return dict(zip(names, table.T.tolist(), strict=True))


@pytest.fixture
def path_and_triangle():
    """A path with categories 6, 7, 6 and a triangle with 6, 6, -8, bonds 0 and 1."""
    path, triangle = map(nx.to_numpy_array, (nx.path_graph(3), nx.cycle_graph(3)))
    return [
        (path, np.array([6, 7, 6]), np.array([0, 1])),
        (triangle, np.array([6, 6, -8]), np.array([1, 1, 1])),
    ]


def test_sizes_and_histograms_by_hand(path_and_triangle):
    found = table_of(path_and_triangle, path_and_triangle, Choice(1, None))
    third = 1 / 3
    assert found == {
        "n_nodes": [3, 3],
        "n_edges": [2, 3],
        "edges_per_node": [2 / 3, 1],
        "degree=other": [0, 0],
        "degree=1": [2, 0],
        "degree=2": [1, 3],
        "degree=other_fraction": [0, 0],
        "degree=1_fraction": [2 / 3, 0],
        "degree=2_fraction": [third, 1],
        "x0=other": [0, 0],
        "x0=-8": [0, 1],
        "x0=6": [2, 2],
        "x0=7": [1, 0],
        "x0=other_fraction": [0, 0],
        "x0=-8_fraction": [0, third],
        "x0=6_fraction": [2 / 3, 2 / 3],
        "x0=7_fraction": [third, 0],
        "edge0=other": [0, 0],
        "edge0=0": [1, 0],
        "edge0=1": [1, 3],
        "edge0=other_fraction": [0, 0],
        "edge0=0_fraction": [0.5, 0],
        "edge0=1_fraction": [0.5, 1],
    }


def test_rare_and_unseen_categories_are_counted_together(path_and_triangle):
    ring = nx.to_numpy_array(nx.cycle_graph(4))
    new = [(ring, np.array([6, 99, 7, 6]), np.array([0, 5, 1, 1]))]
    found = table_of(path_and_triangle, new, Choice(2, None))
    names = [name for name in found if "=" in name and "fraction" not in name]
    assert {name: found[name] for name in names} == {
        "degree=other": [0],
        "degree=2": [4],
        "x0=other": [2],
        "x0=6": [2],
        "edge0=other": [2],
        "edge0=1": [2],
    }


def test_moments_of_numbers_weights_and_returns():
    weights = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 3.0], [0.0, 3.0, 0.0]])
    weighted = (weights, np.array([[0.5], [1.5], [4.0]]), np.array([[2.0], [4.0]]))
    plain = (np.zeros((0, 0)), np.empty((0, 1)), np.empty((0, 1)))
    found = table_of([weighted, plain], [weighted, plain], Choice(1, None), 3)
    assert found["x0_mean"] == [2, 0]
    assert found["x0_max"] == [4, 0]
    assert found["edge0_std"] == [1, 0]
    assert found["weight_mean"] == [2, 0]
    assert found["weight_min"] == [1, 0]
    # A walk is back after two steps from the middle, and from an end by its weight.
    np.testing.assert_allclose(found["return_2_mean"], [(0.25 + 1 + 0.75) / 3, 0])
    assert found["return_3_mean"] == [0, 0]
    # Degrees are numbers of neighbours.
    assert found["degree=1"] == [2, 0]
    # Weights that were fitted are 1 where there are none.
    unweighted = (weights > 0).astype(float)
    again = table_of([weighted], [(unweighted, *weighted[1:])], Choice(1, None))
    assert [again[f"weight_{each}"] for each in ("mean", "std")] == [[1], [0]]


def test_large_degrees_share_bins():
    stars = [nx.star_graph(n) for n in (31, 32, 33, 36, 38, 300)]
    found = table_of(stars, stars, Choice(1, None))
    counts = {
        name: values
        for name, values in found.items()
        if name.startswith("degree=") and "fraction" not in name
    }
    assert counts == {
        "degree=other": [0] * 6,
        "degree=1": [31, 32, 33, 36, 38, 300],
        "degree=31": [1, 0, 0, 0, 0, 0],
        "degree=32-33": [0, 1, 1, 0, 0, 0],
        "degree=34-36": [0, 0, 0, 1, 0, 0],
        "degree=37-39": [0, 0, 0, 0, 1, 0],
        "degree=292-317": [0, 0, 0, 0, 0, 1],
    }


def test_names_of_bins_hold_the_degrees_that_are_in_them():
    degrees = np.arange(5_000)
    for degree, number in zip(degrees, bin_degrees(degrees), strict=True):
        low, _, high = _range_of_bin(int(number)).partition("-")
        assert int(low) <= degree <= int(high or low)


def test_moments_of_heavy_tails_are_those_of_logarithms():
    path = nx.to_numpy_array(nx.path_graph(3))
    x = np.array([[1.0, 1.0], [1.0, 2.0], [1e6, 3.0]])
    graphs = [(path, x, np.array([[1.0], [1.0]]))]
    found = table_of(graphs * 2, graphs, Choice(1, None))
    # The scale is 1: the 5 % quantile of 1, 1, 1, 1, 1e6, 1e6.
    logs = np.arcsinh(x[:, 0])
    np.testing.assert_allclose(found["log_x0_mean"], logs.mean(), rtol=1e-6)
    np.testing.assert_allclose(found["log_x0_max"], np.log(2e6), rtol=1e-6)
    assert found["x1_mean"] == [2.0]
    assert found["edge0_mean"] == [1.0]
    plain = table_of(graphs * 2, graphs, Choice(1, None), log_rule=False)
    assert plain["x0_max"] == [1e6]
    assert "log_edge0_mean" in table_of(
        graphs * 2, graphs, Choice(1, None), log_rule=True
    )
