"""Levels as flat arrays, and the view of one graph."""

import numpy as np
import pytest
from scipy import sparse

from skshake import KFCoarsener
from skshake.graphs import rows_of
from skshake.hierarchy._level import (
    Level,
    LevelView,
    PooledFeatures,
    concatenate_levels,
    concatenate_pooled,
    empty_pooled,
)


def test_levels_show_one_graph(two_levels, small_mutag):
    graph = small_mutag[0][7]
    fine, coarse = two_levels[7].levels
    assert fine.q == np.inf
    assert fine.n_nodes == graph.n_nodes
    assert fine.edges.tolist() == graph.edges.tolist()
    assert fine.block.tolist() == list(range(graph.n_nodes))
    assert coarse.n_nodes == coarse.block.max() + 1
    assert coarse.x.shape == (coarse.n_nodes, fine.x.shape[1])
    frequencies = coarse.x[:, : coarse.x.shape[1] - 7]
    np.testing.assert_allclose(frequencies.sum(axis=1), 1, rtol=1e-6)
    assert len(coarse.edge_attr.toarray()) == len(coarse.edges)


def _pooled(*, numeric=True, categories=True):
    """Three rows: a number, and shares of slots 0 to 3."""
    return PooledFeatures(
        np.array([[0.5], [1.5], [2.5]], np.float32)[:, : int(numeric)],
        np.array([0, 2, 2, 3]) if categories else np.zeros(4, np.int64),
        np.array([1, 3, 0], np.int32)[: 3 * categories],
        np.array([0.25, 0.75, 1.0], np.float32)[: 3 * categories],
        4 * categories,
    )


DENSE = [[0, 0.25, 0, 0.75, 0.5], [0, 0, 0, 0, 1.5], [1, 0, 0, 0, 2.5]]


def test_pooled_features_are_shares_and_then_numbers():
    both = _pooled()
    assert both.widths == (1, 4)
    assert both.as_matrix().toarray().tolist() == DENSE
    shares = _pooled(numeric=False).as_matrix()
    assert sparse.issparse(shares)
    assert shares.toarray().tolist() == [row[:4] for row in DENSE]
    numbers = _pooled(categories=False)
    assert numbers.as_matrix() is numbers.numeric
    assert _pooled(numeric=False, categories=False).as_matrix() is None
    assert empty_pooled(3).as_matrix() is None


def test_rows_of_pooled_features_are_taken_and_stacked():
    both = _pooled()
    rows = np.array([2, 0, 1, 0])
    taken = both.take(rows)
    assert taken.as_matrix().toarray().tolist() == [DENSE[k] for k in rows]
    stacked = concatenate_pooled([both, both.take(np.empty(0, np.int64)), taken])
    assert stacked.indptr.dtype == np.int64
    assert stacked.as_matrix().toarray().tolist() == DENSE + [DENSE[k] for k in rows]


def test_offsets_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="expected 4 offsets, got 3"):
        PooledFeatures(np.ones((3, 1)), np.zeros(3), np.empty(0), np.empty(0), 0)


def _level():
    """Graphs of 2, 0 and 1 coarse nodes; of 3, 0 and 2 input nodes."""
    x = _pooled()
    edges = np.array([[0, 1]], np.int32)
    return Level(
        2.0,
        np.array([0, 2, 2, 3]),
        np.array([0, 1, 1, 1]),
        edges,
        np.array([5.0], np.float32),
        x,
        empty_pooled(1),
        np.array([0, 1, 1, 0, 0], np.int32),
    )


INPUT_PTR = np.array([0, 3, 3, 5])


def _described(level):
    return {
        "q": level.q,
        "node_ptr": level.node_ptr.tolist(),
        "edge_ptr": level.edge_ptr.tolist(),
        "edges": level.edges.tolist(),
        "edge_weight": level.edge_weight.tolist(),
        "x": level.x.as_matrix().toarray().tolist(),
        "block": level.block.tolist(),
    }


def test_blocks_are_numbered_over_all_graphs():
    assert _level().numbered_blocks(INPUT_PTR).tolist() == [0, 1, 1, 2, 2]
    assert _level().block_sizes(INPUT_PTR).tolist() == [1, 2, 2]


def test_graphs_of_a_level_are_taken_and_joined():
    level, graphs = _level(), np.array([2, 0])
    nodes, _ = rows_of(INPUT_PTR, graphs)
    taken = level.take(graphs, nodes)
    expected = {
        "q": 2.0,
        "node_ptr": [0, 1, 3],
        "edge_ptr": [0, 0, 1],
        "edges": [[0, 1]],
        "edge_weight": [5.0],
        "x": [DENSE[2], DENSE[0], DENSE[1]],
        "block": [0, 0, 0, 1, 1],
    }
    assert _described(taken) == expected
    parts = [
        level.take(np.array([g]), rows_of(INPUT_PTR, np.array([g]))[0])
        for g in range(3)
    ]
    assert _described(concatenate_levels(parts)) == _described(level)


def test_views_by_hand():
    level = _level()
    first, empty, last = (
        LevelView(level, g, level.block[INPUT_PTR[g] : INPUT_PTR[g + 1]])
        for g in range(3)
    )
    assert first.q == 2.0
    assert [view.n_nodes for view in (first, empty, last)] == [2, 0, 1]
    assert first.edges.tolist() == [[0, 1]]
    assert first.edge_weight.tolist() == [5.0]
    assert first.edge_attr is None
    assert first.x.toarray().tolist() == DENSE[:2]
    assert empty.x.shape == (0, 5)
    assert last.edges.shape == (0, 2)
    assert last.block.tolist() == [0, 0]


def test_levels_are_split_into_equal_parts(small_mutag):
    hierarchies = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(
        small_mutag[0]
    )
    twice = hierarchies.take(np.tile(np.arange(len(hierarchies)), 2)).levels[0]
    for part in twice.split(2):
        for name in ("node_ptr", "edge_ptr", "edges", "edge_weight", "block"):
            expected = getattr(hierarchies.levels[0], name)
            np.testing.assert_array_equal(getattr(part, name), expected)
        for name in ("x", "edge_attr"):
            of_part, expected = (
                getattr(level, name).as_matrix()
                for level in (part, hierarchies.levels[0])
            )
            assert (of_part != expected).nnz == 0
