"""Overlaps and the paper's P, against dense membership matrices (method section 4)."""

import numpy as np
import pytest

from skshake import KFCoarsener
from skshake.hierarchy import projection_matrix


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
