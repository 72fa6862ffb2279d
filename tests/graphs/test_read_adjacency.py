"""Adjacency matrices of every format, alone and beside features."""

import numpy as np
import pytest
from scipy import sparse

from skshake import as_graphs
from tests._helpers.kinds import EDGE_ATTR, EDGES, ORDER, X, as_matrix, as_ogb


def test_one_edge_attribute_row_per_stored_entry_or_per_upper_entry():
    matrix = sparse.csr_array(as_matrix())
    entries = matrix.tocoo()
    place = {tuple(EDGES[k]): EDGE_ATTR[k] for k in range(4)}
    per_entry = np.array(
        [
            place[min(i, j), max(i, j)]
            for i, j in zip(entries.row, entries.col, strict=True)
        ]
    )
    one = as_graphs([(matrix, X, per_entry)])
    other = as_graphs([(matrix, X, EDGE_ATTR[ORDER])])
    np.testing.assert_allclose(one.edge_features.numeric, other.edge_features.numeric)


BAD = {
    "not square": (
        np.ones((2, 3)),
        ValueError,
        "Graph 1: adjacency: expected a square",
    ),
    "tuple": ((as_matrix(), X, EDGE_ATTR, 1), ValueError, "Graph 1: a tuple must be"),
    "edge rows": (
        (as_matrix(), X, EDGE_ATTR[:3]),
        ValueError,
        "Graph 1: edge_attr: expected",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_name_the_graph_and_the_field(case):
    graph, error, message = BAD[case]
    with pytest.raises(error, match=message):
        as_graphs([as_ogb(), graph])
