"""Forests without features have the sizes of those with them."""

import numpy as np

from skshake import KFCoarsener
from skshake._chunks import coarsen_graphs


def test_sizes_are_those_of_hierarchies_with_features(small_mutag):
    graphs, _ = small_mutag
    coarsener = KFCoarsener(q=[np.inf, 2.0], n_forests=3, random_state=0)
    expected = coarsener.fit_transform(graphs)
    sizes = coarsen_graphs(graphs, coarsener.q_, coarsener._seed, 3, None)
    assert sizes.n_forests == 3
    for levels, others in zip(sizes.forests, expected.forests, strict=True):
        for level, other in zip(levels, others, strict=True):
            assert level.x.widths == (0, 0)
            assert level.node_ptr.tolist() == other.node_ptr.tolist()
            assert level.edges.tolist() == other.edges.tolist()
