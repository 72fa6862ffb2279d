"""Weights in messages: those of input edges, as they act on blocks."""

import numpy as np
import pytest

from skshake import KFCoarsener, as_graphs
from skshake.network.batches import weigh_messages


@pytest.mark.parametrize("is_weighted", [False, True])
def test_weights_are_those_of_normalised_blocks(is_weighted, random_graphs):
    adjacency = [m if is_weighted else (m > 0) * 1.0 for m, _, _ in random_graphs]
    hierarchies = KFCoarsener(q=[2.0, 0.3], n_forests=1, random_state=0).fit_transform(
        as_graphs(adjacency)
    )
    for level in hierarchies.levels:
        weights = weigh_messages(level, level.block_sizes(hierarchies.node_ptr))
        for g, matrix in enumerate(adjacency):
            first, last = hierarchies.node_ptr[g : g + 2]
            block = level.block[first:last]
            z = np.eye(block.max() + 1)[block]
            sizes = z.sum(axis=0)
            expected = z.T @ matrix @ z / np.sqrt(sizes[:, None] * sizes)
            edges = slice(*level.edge_ptr[g : g + 2])
            a, b = level.edges[edges].T
            # Weights of a level are float32 already.
            np.testing.assert_allclose(weights[edges], expected[a, b], rtol=1e-6)
            assert np.count_nonzero(np.triu(expected, 1)) == len(a)


def test_input_edges_weigh_what_they_did(random_graphs):
    hierarchies = KFCoarsener(q=np.inf).fit_transform([m for m, _, _ in random_graphs])
    (level,) = hierarchies.levels
    weights = weigh_messages(level, level.block_sizes(hierarchies.node_ptr))
    assert (weights == level.edge_weight).all()
