"""Kernels of the contraction on a small graph, against a naive twin."""

import numpy as np
import pytest

from skshake import as_graphs
from skshake.hierarchy._contraction import (
    INSIDE,
    CoarseEdges,
    contract_edges,
    count_blocks,
    number_blocks,
)

NODE_PTR = np.array([0, 4, 4, 6])
BLOCK = np.array([0, 1, 0, 2, 0, 0], np.int32)


def test_blocks_are_counted_and_numbered_by_hand():
    ptr, of_node = np.empty(4, np.int64), np.empty(6, np.int64)
    count_blocks(NODE_PTR, BLOCK, ptr)
    assert ptr.tolist() == [0, 3, 3, 4]
    number_blocks(NODE_PTR, BLOCK, ptr, of_node)
    assert of_node.tolist() == [0, 1, 0, 2, 3, 3]


def contract_naively(graphs, block, block_ptr):
    """Edges between blocks by a dictionary, graph by graph."""
    ends, weights, ptr, of_edge = [], [], [0], []
    for g, graph in enumerate(graphs):
        of_node = block[graphs.node_ptr[g] : graphs.node_ptr[g + 1]]
        found = {}
        pairs = [tuple(sorted(of_node[edge].tolist())) for edge in graph.edges]
        for pair, weight in zip(pairs, graph.edge_weight, strict=True):
            if pair[0] != pair[1]:
                found[pair] = found.get(pair, 0.0) + weight
        order = sorted(found)
        of_edge += [
            len(ends) + order.index(pair) if pair in found else INSIDE for pair in pairs
        ]
        ends += order
        weights += [found[pair] for pair in order]
        ptr.append(len(ends))
    return np.array(ends).reshape(-1, 2), np.array(weights), ptr, of_edge


@pytest.mark.parametrize("is_weighted", [True, False])
def test_edges_are_those_of_a_dictionary(
    is_weighted, random_graphs, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    matrices = [m if is_weighted else (m > 0) * 1.0 for m, _, _ in random_graphs]
    # Features, for which edges are numbered.
    graphs = as_graphs(
        [(m, x, e) for m, (_, x, e) in zip(matrices, random_graphs, strict=True)]
    )
    blocks = []
    for n in np.diff(graphs.node_ptr):
        drawn = rng.integers(0, 4, n)
        blocks.append(np.unique(drawn, return_inverse=True)[1])
    block = np.concatenate(blocks).astype(np.int32)
    block_ptr = np.empty_like(graphs.node_ptr)
    count_blocks(graphs.node_ptr, block, block_ptr)
    coarse = CoarseEdges(
        np.empty((graphs.n_edges, 2), np.int32),
        np.empty(graphs.n_edges, np.float32),
        np.empty_like(graphs.edge_ptr),
        np.empty(graphs.n_edges, np.int64),
    )
    structure = graphs.structure
    contract_edges(
        structure.node_ptr,
        structure.edge_ptr,
        graphs.edges,
        structure.edge_weight,
        block,
        block_ptr,
        coarse,
    )
    ends, weights, ptr, of_edge = contract_naively(graphs, block, block_ptr)
    assert coarse.ptr.tolist() == ptr
    assert coarse.ends[: ptr[-1]].tolist() == ends.tolist()
    np.testing.assert_allclose(coarse.weight[: ptr[-1]], weights, rtol=1e-6)
    assert coarse.of_edge.tolist() == of_edge


def test_graphs_without_coarse_edges_disturb_no_others():
    # Nothing; all inside one block; no edges; parallel edges, and one inside, last.
    node_ptr, edge_ptr = np.array([0, 0, 3, 5, 9]), np.array([0, 0, 3, 3, 7])
    edges = [[0, 1], [0, 2], [1, 2], [0, 1], [0, 3], [1, 2], [2, 3]]
    block = np.array([0, 0, 0, 0, 1, 0, 1, 0, 0], np.int32)
    block_ptr = np.array([0, 0, 1, 3, 5])
    for weight, total in ((np.empty(0), 2.0), (np.arange(7.0), 8.0)):
        for n_told in (0, 7):
            coarse = CoarseEdges(
                np.full((7, 2), 99, np.int32),
                np.full(7, 99, np.float32),
                np.full(5, 99),
                np.full(n_told, 99),
            )
            contract_edges(
                node_ptr,
                edge_ptr,
                np.array(edges, np.int32),
                weight,
                block,
                block_ptr,
                coarse,
            )
            assert coarse.ptr.tolist() == [0, 0, 0, 0, 1]
            assert coarse.ends[:1].tolist() == [[0, 1]]
            assert coarse.weight[:1].tolist() == [total]
            # Edges 0-1 and 1-2 join the blocks; 0-3 and 2-3 are inside.
            expected = [INSIDE, INSIDE, INSIDE, 0, INSIDE, 0, INSIDE]
            assert coarse.of_edge.tolist() == expected[:n_told]
