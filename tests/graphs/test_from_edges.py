"""Flat arrays over all graphs to a collection."""

import numpy as np
import pytest

from skshake import from_edges


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_edges": [1]}, "as many n_edges as n_nodes"),
        ({"n_nodes": [3, -1]}, "n_nodes: expected non-negative integers"),
        ({"edges": [[0, 1]]}, r"edges: expected integers of shape \(2, 2\)"),
        ({"x": np.zeros((4, 1))}, "x: expected 5 rows"),
        ({"edges": [[0, 1], [0, 9]]}, "Graph 1: an edge joins nodes 0 and 9"),
        ({"edge_weight": [1.0, -1.0]}, "Graph 1: edge weight -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_arrays_are_refused(changes, message):
    good = {"edges": [[0, 1], [0, 1]], "n_edges": [1, 1], "n_nodes": [3, 2]}
    with pytest.raises(ValueError, match=message):
        from_edges(**{**good, **changes})
