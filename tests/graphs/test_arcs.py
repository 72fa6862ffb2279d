"""Kernels between arcs, undirected edges and CSR arcs: by hand, and naive twins."""

import numpy as np
import pytest

from skshake.graphs import offsets
from skshake.graphs._arcs import (
    NO_EDGE,
    agree_on_categories,
    arcs_of_edges,
    average_directions,
    has_repeats,
    merge_arcs,
    sum_degrees,
)

# A triangle with a tail, a single node, and a pair: rows in both directions, twice,
# and a self-loop.
NODE_PTR, ARC_PTR = np.array([0, 4, 5, 7]), np.array([0, 7, 7, 8])
SOURCE = np.array([1, 0, 2, 3, 0, 2, 1, 1])
TARGET = np.array([0, 2, 2, 2, 1, 1, 0, 0])
EDGES = np.array([[0, 1], [0, 2], [1, 2], [2, 3], [0, 1]], np.int32)
EDGE_PTR = np.array([0, 4, 4, 5])
EDGE_OF_ROW = np.array([0, 1, NO_EDGE, 3, 0, 2, 0, 4])


def _merge(node_ptr, arc_ptr, source, target):
    edges = np.empty((len(source), 2), np.int32)
    edge_ptr, edge_of_row = np.empty_like(arc_ptr), np.empty(len(source), np.int64)
    row = merge_arcs(node_ptr, arc_ptr, source, target, edges, edge_ptr, edge_of_row)
    return row, edges[: edge_ptr[-1]], edge_ptr, edge_of_row


def test_repeats_of_a_direction_are_found():
    # The last but one row has the direction of the first; loops are no edges.
    is_forward = SOURCE < TARGET
    assert has_repeats(EDGE_OF_ROW, is_forward, 5)
    assert not has_repeats(EDGE_OF_ROW[:6], is_forward[:6], 4)
    assert not has_repeats(np.full(3, NO_EDGE), np.zeros(3, bool), 0)


def test_edges_among_arcs_by_hand():
    row, edges, edge_ptr, edge_of_row = _merge(NODE_PTR, ARC_PTR, SOURCE, TARGET)
    assert row == -1
    assert edges.tolist() == EDGES.tolist()
    assert edge_ptr.tolist() == EDGE_PTR.tolist()
    assert edge_of_row.tolist() == EDGE_OF_ROW.tolist()


@pytest.fixture
def arcs(global_random_seed):
    """Random rows of six graphs, some without rows; nodes and rows are counted."""
    rng = np.random.default_rng(global_random_seed)
    n_nodes = np.append(rng.integers(1, 7, 5), 0)
    n_rows = rng.integers(0, 20, 6) * (n_nodes > 0)
    owner = np.repeat(np.arange(6), n_rows)
    source, target = rng.integers(n_nodes[owner], size=(2, len(owner)))
    return n_nodes, n_rows, owner, source, target


def test_edges_among_arcs_are_sorted_sets_of_pairs(arcs):
    n_nodes, n_rows, owner, source, target = arcs
    pairs = [tuple(sorted(ends)) for ends in zip(source, target, strict=True)]
    expected, places = [], {}
    for g in range(6):
        own = {
            p for p, of in zip(pairs, owner, strict=True) if of == g and p[0] != p[1]
        }
        for pair in sorted(own):
            places[g, pair] = len(expected)
            expected.append(list(pair))
    row, edges, edge_ptr, edge_of_row = _merge(
        offsets(n_nodes), offsets(n_rows), source, target
    )
    assert row == -1
    assert edges.tolist() == expected
    assert np.diff(edge_ptr).tolist() == [
        sum(g == k for g, _ in places) for k in range(6)
    ]
    assert edge_of_row.tolist() == [
        places.get((g, pair), NO_EDGE) for g, pair in zip(owner, pairs, strict=True)
    ]


@pytest.mark.parametrize("end", [-1, 4, 2**40])
@pytest.mark.parametrize("row", [0, 2, 6])
def test_the_first_row_that_leaves_its_graph_is_named(row, end):
    for name in ("source", "target"):
        ends = {"source": SOURCE.copy(), "target": TARGET.copy()}
        # The last graph has two nodes, so its row is wrong as well.
        ends[name][[row, 7]] = end
        assert _merge(NODE_PTR, ARC_PTR, **ends)[0] == row
    assert _merge(NODE_PTR, ARC_PTR, SOURCE, np.append(TARGET[:-1], 2))[0] == 7


FORWARD = SOURCE < TARGET
VALUES = np.array(
    [[1, 10], [2, 20], [9, 9], [3, 30], [4, 40], [5, 50], [6, 60], [7, 70]]
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("adds", "first"), [(True, (4 + 7) / 2), (False, (4 + 3.5) / 2)]
)
def test_directions_are_averaged_by_hand(adds, first, dtype):
    # Edge 01 comes twice as 1->0 and once as 0->1; all others come one way.
    found = average_directions(EDGE_OF_ROW, FORWARD, VALUES.astype(dtype), adds, 5)
    expected = np.array([first, 2, 5, 3, 7])
    assert found.tolist() == np.column_stack([expected, 10 * expected]).tolist()


@pytest.mark.parametrize("adds", [True, False])
def test_directions_are_averaged_row_by_row(adds, arcs, global_random_seed):
    n_nodes, n_rows, _, source, target = arcs
    *_, edge_of_row = _merge(offsets(n_nodes), offsets(n_rows), source, target)
    rng = np.random.default_rng(global_random_seed)
    values, is_forward = rng.normal(size=(len(source), 3)), source < target
    n_edges = edge_of_row.max(initial=NO_EDGE) + 1
    join = np.sum if adds else np.mean
    expected = np.empty((n_edges, 3))
    for edge in range(n_edges):
        ways = [values[(edge_of_row == edge) & (is_forward == way)] for way in (0, 1)]
        expected[edge] = np.mean(
            [join(way, axis=0) for way in ways if len(way)], axis=0
        )
    found = average_directions(edge_of_row, is_forward, values, adds, n_edges)
    # A handful of terms of size 1 in float64.
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_categories_of_an_edge_agree_or_name_the_row():
    codes = np.array(
        [[3, 0], [4, 0], [9, 9], [5, 0], [3, 0], [6, 0], [3, 0], [7, 1]], np.int32
    )
    merged = np.full((5, 2), 99, np.int32)
    assert agree_on_categories(EDGE_OF_ROW, codes, merged) == -1
    assert merged.tolist() == [[3, 0], [4, 0], [6, 0], [5, 0], [7, 1]]
    # Rows 0, 4 and 6 are one edge; that of row 1 comes once.
    codes[[1, 6], 1] = 1
    assert agree_on_categories(EDGE_OF_ROW, codes, merged) == 6
    codes[4, 0] = 2
    assert agree_on_categories(EDGE_OF_ROW, codes, merged) == 4


WEIGHT = np.array([1.0, 2.0, 4.0, 8.0, 16.0])


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(np.empty(0), [2, 2, 3, 1, 0, 1, 1]), (WEIGHT, [3, 5, 14, 8, 0, 16, 16])],
    ids=["plain", "weighted"],
)
def test_degrees_by_hand(weight, expected):
    degrees = np.full(7, 99.0)
    sum_degrees(NODE_PTR, EDGE_PTR, EDGES, weight, degrees)
    assert degrees.tolist() == expected


def _csr(node_ptr, edge_ptr, edges, numbers_edges=True):
    indptr = np.full(node_ptr[-1] + 1, 99)
    indices = np.full(2 * len(edges), 99, np.int32)
    edge_of_arc = np.full(2 * len(edges) * numbers_edges, 99, np.int32)
    arcs_of_edges(node_ptr, edge_ptr, edges, indptr, indices, edge_of_arc)
    return indptr.tolist(), indices.tolist(), edge_of_arc.tolist()


def test_arcs_of_edges_by_hand():
    indptr, indices, edge_of_arc = _csr(NODE_PTR, EDGE_PTR, EDGES)
    assert indptr == [0, 2, 4, 7, 8, 8, 9, 10]
    assert indices == [1, 2, 0, 2, 0, 1, 3, 2, 1, 0]
    assert edge_of_arc == [0, 1, 0, 2, 1, 2, 3, 3, 0, 0]
    assert _csr(NODE_PTR, EDGE_PTR, EDGES, numbers_edges=False) == (indptr, indices, [])


def test_degrees_and_arcs_are_those_of_dense_matrices(arcs, global_random_seed):
    n_nodes, n_rows, _, source, target = arcs
    node_ptr = offsets(n_nodes)
    _, edges, edge_ptr, _ = _merge(node_ptr, offsets(n_rows), source, target)
    weight = np.random.default_rng(global_random_seed).uniform(0.5, 2.0, len(edges))
    degrees, indptr, indices, edge_of_arc = [], [0], [], []
    for g, n in enumerate(n_nodes):
        matrix, number = np.zeros((n, n)), np.full((n, n), NO_EDGE)
        for k, edge in enumerate(range(edge_ptr[g], edge_ptr[g + 1])):
            u, v = edges[edge]
            matrix[u, v] = matrix[v, u] = weight[edge]
            number[u, v] = number[v, u] = k
        degrees += matrix.sum(axis=1).tolist()
        for v in range(n):
            neighbours = np.flatnonzero(matrix[v])
            indptr.append(indptr[-1] + len(neighbours))
            indices += neighbours.tolist()
            edge_of_arc += number[v, neighbours].tolist()
    found = np.empty(node_ptr[-1])
    sum_degrees(node_ptr, edge_ptr, edges, weight, found)
    # The order of a few terms alone differs.
    np.testing.assert_allclose(found, degrees, rtol=1e-14)
    assert _csr(node_ptr, edge_ptr, edges) == (indptr, indices, edge_of_arc)
