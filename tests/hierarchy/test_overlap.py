"""Overlaps and the paper's P, against dense membership matrices (method section 4)."""

import numpy as np
import pytest

from skshake import KFCoarsener, as_graphs
from skshake.hierarchy import find_coarse_edges, projection_matrix
from skshake.hierarchy._contraction import INSIDE


def _membership(level):
    return np.eye(level.n_nodes)[level.block]


@pytest.fixture
def hierarchies(random_graphs):
    coarsener = KFCoarsener(q=[np.inf, 2.0, 0.2], n_forests=2, random_state=0)
    return coarsener.fit_transform(random_graphs)


@pytest.mark.parametrize(("fine", "coarse"), [(0, 1), (0, 2), (1, 2)])
def test_overlap_counts_shared_input_nodes(fine, coarse, hierarchies):
    for hierarchy in hierarchies:
        expected = _membership(hierarchy.levels[fine]).T @ _membership(
            hierarchy.levels[coarse]
        )
        overlap = hierarchy.overlap(fine, coarse)
        assert (overlap.toarray() == expected).all()
        assert overlap.nnz <= len(hierarchy.levels[0].block)


@pytest.mark.parametrize("pooling", ["mean", "sum"])
def test_projection_is_pooling_after_the_right_inverse(pooling, hierarchies):
    for hierarchy in hierarchies:
        z_fine, z_coarse = (_membership(hierarchy.levels[level]) for level in (1, 2))
        fine_size, coarse_size = z_fine.sum(axis=0), z_coarse.sum(axis=0)
        if pooling == "mean":
            # P^(0,j) = diag(1/|c|) Z_c', and Z_f is the right inverse of P^(0,i).
            expected = np.diag(1 / coarse_size) @ z_coarse.T @ z_fine
        else:
            expected = z_coarse.T @ z_fine @ np.diag(1 / fine_size)
        got = projection_matrix(hierarchy.overlap(1, 2), pooling).toarray()
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        sums = got.sum(axis=1 if pooling == "mean" else 0)
        np.testing.assert_allclose(sums, 1, rtol=1e-6)


@pytest.mark.parametrize("pooling", ["mean", "sum"])
def test_projections_compose_for_nested_partitions(pooling, hierarchies):
    # Level 0 has one node per block, so it is nested in every other.
    for hierarchy in hierarchies:
        z = [_membership(level) for level in hierarchy.levels]
        to_level = [
            np.diag(1 / m.sum(axis=0)) @ m.T if pooling == "mean" else m.T for m in z
        ]
        step = projection_matrix(hierarchy.overlap(0, 2), pooling).toarray()
        np.testing.assert_allclose(step @ to_level[0], to_level[2], atol=1e-6)


def test_coarse_edges_are_those_between_blocks(random_graphs):
    graphs = as_graphs(random_graphs)
    coarsener = KFCoarsener(q=[np.inf, 0.5], n_forests=1, random_state=0)
    hierarchies = coarsener.fit_transform(graphs)
    for level in hierarchies.levels:
        coarse = find_coarse_edges(level, graphs)
        assert (coarse == INSIDE).any() == (level.q < np.inf)
        weight = np.zeros(len(level.edges))
        for g, graph in enumerate(graphs):
            block = hierarchies[g].levels[hierarchies.levels.index(level)].block
            for k, (u, v) in enumerate(graph.edges):
                edge = coarse[graphs.edge_ptr[g] + k]
                ends = sorted([block[u], block[v]])
                if ends[0] == ends[1]:
                    assert edge == INSIDE
                else:
                    assert level.edges[edge].tolist() == ends
                    assert level.edge_ptr[g] <= edge < level.edge_ptr[g + 1]
                    weight[edge] += graph.edge_weight[k]
        np.testing.assert_allclose(weight, level.edge_weight, rtol=1e-6)
