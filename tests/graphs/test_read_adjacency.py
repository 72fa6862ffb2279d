"""Adjacency matrices of every format, alone and beside features."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import NO_NAMES
from skshake.graphs._read_adjacency import read_adjacency
from skshake.graphs._records import AttributeNames
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


def _entries(record):
    """Directed rows of a record with their weights, sorted."""
    return sorted(
        zip(*record.edge_index.tolist(), record.edge_weight.tolist(), strict=True)
    )


# Not symmetric, with a loop and a stored zero at (2, 0).
VALUES, ROWS, COLUMNS = [5.0, 2.0, 3.0, 0.0], [0, 0, 1, 2], [0, 1, 0, 0]
STORED = [(0, 0, 5.0), (0, 1, 2.0), (1, 0, 3.0), (2, 0, 0.0)]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.coo_matrix])
@pytest.mark.parametrize("form", FORMATS)
def test_every_sparse_format_has_the_same_entries(form, kind):
    matrix = kind((VALUES[:3], (ROWS[:3], COLUMNS[:3])), (3, 3)).asformat(form)
    record = read_adjacency(matrix, NO_NAMES)
    assert record.n_nodes == 3
    assert _entries(record) == STORED[:3]


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8, bool])
def test_dense_matrices_hold_edges_where_they_are_not_zero(dtype):
    matrix = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0]], dtype)
    record = read_adjacency(matrix, NO_NAMES)
    assert _entries(record) == [(0, 0, 1), (0, 2, 1), (1, 2, 1)]


def test_stored_zeros_are_entries_but_not_those_of_blocks():
    stored = sparse.csr_array((VALUES, (ROWS, COLUMNS)), (3, 3))
    assert _entries(read_adjacency(stored, NO_NAMES)) == STORED
    blocks = sparse.bsr_array(stored.toarray(), blocksize=(3, 3))
    assert _entries(read_adjacency(blocks, NO_NAMES)) == STORED[:3]
    assert blocks.nnz == 9


def test_rows_of_edge_attr_follow_the_order_of_a_coo_matrix():
    order = [2, 0, 1]
    matrix = sparse.coo_array(
        (
            [VALUES[k] for k in order],
            ([ROWS[k] for k in order], [COLUMNS[k] for k in order]),
        ),
        (3, 3),
    )
    edge_attr = [[20], [0], [10]]
    record = read_adjacency((matrix, None, edge_attr), NO_NAMES)
    assert record.edge_index.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert record.edge_weight.tolist() == [3.0, 5.0, 2.0]
    assert record.edge_columns == {"edge_attr": edge_attr}
    assert record.node_columns == {}


def test_rows_of_the_upper_triangle_need_a_symmetric_matrix():
    upper = np.triu(as_matrix())
    with pytest.raises(
        InvalidGraphError, match=r"needs a symmetric adjacency.*entry .8."
    ):
        read_adjacency((as_matrix() + upper, X, EDGE_ATTR), NO_NAMES)
    # Every entry is one of the upper triangle: no row is for two of them.
    record = read_adjacency((upper, X, EDGE_ATTR), NO_NAMES)
    assert record.edge_index.shape == (2, 4)


@pytest.mark.parametrize("form", ["csc", "lil", "dok", "dia", "bsr"])
def test_formats_without_an_order_of_entries_take_no_edge_attr(form):
    matrix = sparse.coo_array(as_matrix()).asformat(form)
    with pytest.raises(
        InvalidGraphError, match=f"got the sparse format '{form}'; use toc"
    ):
        read_adjacency((matrix, X, EDGE_ATTR), NO_NAMES)
    assert read_adjacency((matrix, X), NO_NAMES).edge_index.shape == (2, 8)


@pytest.mark.parametrize(
    ("adjacency", "message"),
    [
        (np.ones(3), r"a square matrix, got \(3,\)"),
        (sparse.csr_array((2, 3)), r"a square matrix, got \(2, 3\)"),
        (np.full((2, 2), "a"), "numbers, got dtype <U1"),
        (np.ones((2, 2), complex), "numbers, got dtype complex128"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(adjacency, message):
    with pytest.raises(
        InvalidGraphError, match=f"adjacency: expected {message}"
    ) as raised:
        read_adjacency((adjacency, None), NO_NAMES)
    assert raised.value.field == "adjacency"


def test_attributes_are_chosen_by_name():
    names = AttributeNames(("charge",), (), "weight", {})
    table = pd.DataFrame({"charge": [0.0, 1.0], "mass": [1.0, 2.0]})
    record = read_adjacency((np.ones((2, 2)), table, np.ones((4, 1))), names)
    assert list(record.node_columns) == ["charge"]
    assert record.edge_columns == {}


def test_matrices_are_never_written():
    matrix = sparse.coo_matrix((VALUES, (ROWS, COLUMNS)), (3, 3)).tobsr()
    before = matrix.copy()
    read_adjacency(matrix, NO_NAMES)
    assert (matrix.data == before.data).all()
    assert (matrix.indices == before.indices).all()
