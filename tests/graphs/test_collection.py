"""GraphCollection: a sequence over flat arrays, with what kernels derive from them."""

import pickle
from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.graphs import (
    concatenate_graphs,
    with_degree_feature,
    without_features,
)


def _same(one, other):
    return (
        one.node_ptr.tolist() == other.node_ptr.tolist()
        and one.edges.tolist() == other.edges.tolist()
        and (one.node_features.numeric == other.node_features.numeric).all()
        and (one.edge_features.numeric == other.edge_features.numeric).all()
        and (one.edge_weight == other.edge_weight).all()
    )


@pytest.mark.parametrize(
    "key",
    [
        slice(2, 7),
        slice(None, None, 3),
        slice(8, 2),
        [4, 0, 4],
        np.array([-1, 2]),
        np.arange(12) % 2 == 0,
    ],
    ids=str,
)
def test_indexing_equals_reading_the_chosen_graphs(key, random_graphs):
    graphs = as_graphs(random_graphs)
    numbers = np.arange(12)[key]
    assert isinstance(graphs, Sequence)
    if not len(numbers):
        assert len(graphs[key]) == 0
        return
    assert _same(graphs[key], as_graphs([random_graphs[i] for i in numbers]))


def test_a_slice_shares_memory(random_graphs):
    graphs = as_graphs(random_graphs)
    assert np.shares_memory(graphs[2:5].edges, graphs.edges)


def test_views_show_their_graph(random_graphs):
    graphs = as_graphs(random_graphs)
    matrix, x, _ = random_graphs[-1]
    assert graphs[-1].n_nodes == len(matrix)
    np.testing.assert_allclose(graphs[-1].x, x.astype(np.float32))
    u, v = graphs[-1].edges.T
    np.testing.assert_allclose(graphs[-1].edge_weight, matrix[u, v])


@pytest.mark.parametrize("key", [12, -13, [12], np.ones(3, bool)], ids=str)
def test_positions_out_of_range_are_index_errors(key, random_graphs):
    with pytest.raises(IndexError):
        as_graphs(random_graphs)[key]


def test_a_float_index_is_a_type_error(random_graphs):
    with pytest.raises(TypeError, match="expected an integer"):
        as_graphs(random_graphs)[[0.5]]


def test_arcs_are_the_sorted_symmetric_adjacency(random_graphs):
    graphs = as_graphs(random_graphs)
    arcs = graphs.arcs
    for g, (matrix, _, _) in enumerate(random_graphs):
        first = graphs.node_ptr[g]
        for v in range(len(matrix)):
            row = slice(arcs.indptr[first + v], arcs.indptr[first + v + 1])
            assert arcs.indices[row].tolist() == np.flatnonzero(matrix[v]).tolist()
            edges = graphs[g].edges[arcs.edge_of_arc[row]]
            assert (np.sort(edges) == edges).all()
            assert (edges == v).any(axis=1).all()


def test_arcs_know_their_edges_where_these_have_data(random_graphs):
    graphs = as_graphs(random_graphs)
    assert graphs.edge_weight is not None
    assert graphs.edge_features.n_columns
    for with_data in (
        replace(graphs, edge_weight=None),
        without_features(graphs),
        graphs,
    ):
        assert len(with_data.arcs.edge_of_arc) == 2 * graphs.n_edges
    without = without_features(replace(graphs, edge_weight=None))
    assert len(without.arcs.edge_of_arc) == 0
    np.testing.assert_array_equal(without.arcs.indices, graphs.arcs.indices)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_degrees_are_row_sums(is_weighted, random_graphs):
    matrices = [m if is_weighted else m > 0 for m, _, _ in random_graphs]
    expected = np.concatenate([matrix.sum(axis=1) for matrix in matrices])
    graphs = as_graphs(matrices)
    assert (graphs.edge_weight is None) != is_weighted
    np.testing.assert_allclose(graphs.degrees, expected)
    assert len(graphs.arcs.indices)
    np.testing.assert_allclose(graphs.degrees, expected)


def test_fingerprints_depend_on_content_alone(random_graphs):
    graphs = as_graphs(random_graphs)
    order = np.array([3, 3, 9])
    assert (graphs[order].fingerprints == graphs.fingerprints[order]).all()
    assert len(np.unique(graphs.fingerprints)) == len(graphs)
    matrix, x, edge_attr = random_graphs[0]
    for changed in (
        (matrix, x + 1, edge_attr),
        (matrix, x, edge_attr + 1),
        (2 * matrix, x, edge_attr),
    ):
        assert as_graphs([changed]).fingerprints[0] != graphs.fingerprints[0]


def test_concatenation_undoes_slicing(random_graphs):
    graphs = as_graphs(random_graphs)
    assert _same(concatenate_graphs([graphs[:4], graphs[4:5], graphs[5:]]), graphs)


def test_pickles_hold_no_derived_arrays(random_graphs):
    graphs = as_graphs(random_graphs)
    size = len(pickle.dumps(graphs))
    assert graphs.arcs is graphs.arcs
    assert len(pickle.dumps(graphs)) == size
    assert _same(pickle.loads(pickle.dumps(graphs)), graphs)


def test_large_degrees_share_a_category():
    stars = as_graphs([nx.star_graph(n) for n in (1_000, 1_010, 2_000)])
    bins = with_degree_feature(stars).node_features.columns()["degree_bin"]
    hub, hub_of_second, hub_of_third = bins[[0, 1_001, 2_012], 0].tolist()
    assert hub == hub_of_second
    assert hub_of_third == hub + 8
    assert bins[1] == 1
