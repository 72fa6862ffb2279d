"""Pooling and contraction against dense algebra."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from skshake import as_graphs
from skshake.hierarchy import Pooling, coarsen, learn_vocabulary, with_slots

# Blocks of the triangle with a tail: {0, 1}, {2, 3}, {4}.
BLOCK = np.array([0, 0, 1, 1, 2], np.int32)


def _pooling(graphs, pooling):
    return Pooling(
        pooling,
        pooling,
        learn_vocabulary(graphs.node_features.categories),
        learn_vocabulary(graphs.edge_features.categories),
    )


def _coarsen(graphs, block, pooling="mean"):
    pooling = _pooling(graphs, pooling)
    block = np.asarray(block, np.int32)
    return coarsen(with_slots(graphs, pooling), 1.0, block, pooling)


def test_a_small_contraction_by_hand(triangle_with_tail):
    x = np.array([[1.0], [3.0], [5.0], [7.0], [9.0]])
    edge_attr = np.array([[1.0], [2.0], [4.0], [8.0]])  # 01, 02, 12, 23
    graphs = as_graphs([(triangle_with_tail, x, edge_attr)])
    level = _coarsen(graphs, BLOCK)
    assert level.x.numeric.ravel().tolist() == [2.0, 6.0, 9.0]
    assert level.edges.tolist() == [[0, 1]]
    # Edges 02 and 12 join; 01 and 23 lie inside a block and vanish.
    assert level.edge_weight.tolist() == [2.0]
    assert level.edge_attr.numeric.ravel().tolist() == [3.0]
    total = _coarsen(graphs, BLOCK, "sum")
    assert total.x.numeric.ravel().tolist() == [4.0, 12.0, 9.0]
    assert total.edge_attr.numeric.ravel().tolist() == [6.0]


def test_categories_become_frequencies_or_counts(triangle_with_tail):
    codes = np.array([[7], [3], [7], [7], [5]])
    graphs = as_graphs([(triangle_with_tail, codes)])
    # Slots: unseen, 3, 5, 7.
    frequencies = _coarsen(graphs, BLOCK).x.as_matrix()
    assert sparse.issparse(frequencies)
    assert frequencies.toarray().tolist() == [
        [0, 0.5, 0, 0.5],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]
    counts = _coarsen(graphs, BLOCK, "sum").x.as_matrix()
    assert counts.toarray().tolist() == [[0, 1, 0, 1], [0, 0, 0, 2], [0, 0, 1, 0]]


def test_an_unseen_category_has_its_own_slot(triangle_with_tail):
    seen = as_graphs([(triangle_with_tail, np.array([[3], [3], [5], [5], [5]]))])
    new = as_graphs([(triangle_with_tail, np.array([[3], [99], [5], [-1], [5]]))])
    pooling = _pooling(seen, "mean")
    level = coarsen(with_slots(new, pooling), 1.0, BLOCK, pooling)
    assert level.x.as_matrix().toarray().tolist() == [
        [0.5, 0.5, 0],
        [0.5, 0, 0.5],
        [0, 0, 1],
    ]


@pytest.mark.parametrize("pooling", ["mean", "sum"])
def test_pooling_equals_dense_algebra(pooling, random_graphs, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    graphs = as_graphs(random_graphs)
    blocks = []
    for matrix, _, _ in random_graphs:
        labels = rng.integers(0, 3, len(matrix))
        _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        blocks.append(np.argsort(np.argsort(first))[inverse])
    level = _coarsen(graphs, np.concatenate(blocks), pooling)
    for g, (matrix, x, edge_attr) in enumerate(random_graphs):
        membership = np.eye(blocks[g].max() + 1)[blocks[g]]
        nodes = slice(level.node_ptr[g], level.node_ptr[g + 1])
        edges = slice(level.edge_ptr[g], level.edge_ptr[g + 1])
        size = membership.sum(axis=0)[:, None] if pooling == "mean" else 1
        np.testing.assert_allclose(
            level.x.numeric[nodes], membership.T @ x / size, atol=1e-5
        )
        coarse = np.triu(membership.T @ matrix @ membership, 1)
        assert level.edges[edges].tolist() == np.argwhere(coarse).tolist()
        np.testing.assert_allclose(
            level.edge_weight[edges], coarse[coarse > 0], rtol=1e-5
        )
        u, v = np.nonzero(np.triu(matrix))
        for k, (a, b) in enumerate(level.edges[edges]):
            joined = [
                row
                for row, i, j in zip(edge_attr, u, v, strict=True)
                if {blocks[g][i], blocks[g][j]} == {a, b}
            ]
            pooled = getattr(np, pooling)(joined, axis=0)
            np.testing.assert_allclose(
                level.edge_attr.numeric[edges][k], pooled, atol=1e-5
            )


def test_one_block_per_node_is_the_input_graph(random_graphs):
    graphs = as_graphs(random_graphs)
    block = np.concatenate([np.arange(len(matrix)) for matrix, _, _ in random_graphs])
    level = _coarsen(graphs, block)
    assert level.edges.tolist() == graphs.edges.tolist()
    assert (level.x.numeric == graphs.node_features.numeric).all()
    np.testing.assert_allclose(level.edge_weight, graphs.edge_weight, rtol=1e-6)


def test_contraction_agrees_with_networkx_quotient_graphs(mutag):
    graphs = mutag[0][:20]
    rng = np.random.default_rng(0)
    block = np.concatenate(
        [np.minimum(np.arange(n), rng.integers(1, n)) for n in np.diff(graphs.node_ptr)]
    )
    level = _coarsen(graphs, block)
    for g, graph in enumerate(graphs):
        nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1])
        parts = [
            set(np.flatnonzero(block[nodes] == b)) for b in np.unique(block[nodes])
        ]
        quotient = nx.quotient_graph(
            nx.Graph(graph.edges.tolist()), parts, relabel=True
        )
        edges = level.edges[level.edge_ptr[g] : level.edge_ptr[g + 1]]
        weight = level.edge_weight[level.edge_ptr[g] : level.edge_ptr[g + 1]]
        expected = {frozenset(e[:2]): e[2]["weight"] for e in quotient.edges(data=True)}
        got = {frozenset(e): w for e, w in zip(edges.tolist(), weight, strict=True)}
        assert got == expected


def test_pooled_sums_and_cut_weights_are_kept(mutag):
    graphs = mutag[0]
    rng = np.random.default_rng(0)
    block = np.concatenate(
        [np.minimum(np.arange(n), rng.integers(1, n)) for n in np.diff(graphs.node_ptr)]
    )
    level = _coarsen(graphs, block, "sum")
    per_slot = np.bincount(level.x.slots, level.x.shares)
    codes = graphs.node_features.categories[:, 0]
    assert per_slot[1:].tolist() == np.unique(codes, return_counts=True)[1].tolist()
    first = np.repeat(graphs.node_ptr[:-1], np.diff(graphs.edge_ptr))
    u, v = (graphs.edges + first[:, None]).T
    assert level.edge_weight.sum() == (block[u] != block[v]).sum()
