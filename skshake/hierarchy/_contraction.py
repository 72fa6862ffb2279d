"""Kernels that contract graphs: numbers of blocks, and the edges between them.

In: the structure of graphs and the block of each node. Out: one edge for each two
blocks that edges join, and which input edges it stands for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake.hierarchy._sorting import sort_first

# Instead of a coarse edge: an input edge that lies inside a block.
INSIDE = -1


class CoarseEdges(NamedTuple):
    """What a contraction writes: edges between blocks, of all graphs.

    ``ends`` int32 (n_edges, 2), numbered within the graph, sorted, first < second;
    ``weight`` float32 (n_edges,), sums of input weights; ``ptr`` int64 (n_graphs + 1,).
    The first two are as long as there are input edges, and filled as far as
    ``ptr[-1]``. ``of_edge`` int64 (n_input_edges,): the coarse edge of each input edge
    over the whole collection, or INSIDE; empty if nobody asks for it.
    """

    ends: np.ndarray
    weight: np.ndarray
    ptr: np.ndarray
    of_edge: np.ndarray


@kernel
def count_blocks(node_ptr, block, block_ptr):
    """Offsets of the blocks of each graph.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)  # IN
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_ptr : int64 array of shape (n_graphs + 1,)  # OUT
    """
    block_ptr[0] = 0
    for g in range(len(node_ptr) - 1):
        n_blocks = 0
        for v in range(node_ptr[g], node_ptr[g + 1]):
            n_blocks = max(n_blocks, block[v] + 1)
        block_ptr[g + 1] = block_ptr[g] + n_blocks


@kernel
def number_blocks(node_ptr, block, block_ptr, block_of_node):
    """Number the blocks of all graphs one after the other.

    Parameters
    ----------
    node_ptr, block_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_of_node : int64 array of shape (n_nodes,)  # OUT
    """
    for g in range(len(node_ptr) - 1):
        for v in range(node_ptr[g], node_ptr[g + 1]):
            block_of_node[v] = block_ptr[g] + block[v]


@kernel(inline=True)
def _sort_by_block(block, n_blocks, start, by_block):
    """Nodes of one graph by their block, by counting; ``start[b]`` is where b ends.

    Parameters
    ----------
    block : int32 array of shape (n,)  # IN
    n_blocks : int  # IN
    start : int32 array of at least n_blocks + 1 entries  # OUT
    by_block : int32 array of at least n entries  # OUT
    """
    start[: n_blocks + 1] = 0
    for v in range(len(block)):
        start[block[v] + 1] += 1
    for b in range(n_blocks):
        start[b + 1] += start[b]
    for v in range(len(block)):
        b = block[v]
        by_block[start[b]] = v
        start[b] += 1


@kernel
def contract_edges(graphs, block, block_ptr, coarse):
    """Join the edges between each two blocks; edges inside a block vanish.

    Parameters
    ----------
    graphs : Structure  # IN
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_ptr : int64 array of shape (n_graphs + 1,)  # IN
    coarse : CoarseEdges  # OUT

    Notes
    -----
    Linear in arcs, but for sorting the neighbours of each block; scratch memory of the
    size of the largest graph's nodes. Blocks are visited in order, and each edge from
    its smaller block a. ``edge_to[b]`` is the edge between a and b if it is at least
    ``first_coarse``, the first edge of a; smaller values are left from blocks before.
    """
    node_ptr, edge_ptr, indptr, indices, edge_of_arc, edge_weight = graphs
    ends, coarse_weight, coarse_ptr, of_edge = coarse
    max_nodes = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    start = np.empty(max_nodes + 1, np.int32)
    by_block = np.empty(max_nodes, np.int32)
    edge_to = np.empty(max_nodes, np.int32)
    neighbours = np.empty(max_nodes, np.int32)
    weights = np.empty(max_nodes, np.float64)
    n_coarse = 0
    coarse_ptr[0] = 0
    for g in range(len(node_ptr) - 1):
        offset, end = node_ptr[g], node_ptr[g + 1]
        n_blocks = block_ptr[g + 1] - block_ptr[g]
        _sort_by_block(block[offset:end], n_blocks, start, by_block)
        edge_to[:n_blocks] = -1
        base = n_coarse
        first = 0
        for a in range(n_blocks):
            last = start[a]
            first_coarse = n_coarse - base
            n_neighbours = 0
            for k in range(first, last):
                v = offset + by_block[k]
                for arc in range(indptr[v], indptr[v + 1]):
                    b = block[offset + indices[arc]]
                    if b <= a:
                        continue
                    if edge_to[b] < first_coarse:
                        edge_to[b] = first_coarse + n_neighbours
                        neighbours[n_neighbours] = b
                        weights[n_neighbours] = 0.0
                        n_neighbours += 1
                    place = edge_to[b] - first_coarse
                    if len(edge_weight):
                        weights[place] += edge_weight[edge_ptr[g] + edge_of_arc[arc]]
                    else:
                        weights[place] += 1.0
            # Edges of a are numbered again, in the order of the blocks that they lead
            # to; so far they were in the order of appearance.
            sort_first(neighbours, n_neighbours)
            for k in range(n_neighbours):
                b = neighbours[k]
                ends[n_coarse, 0] = a
                ends[n_coarse, 1] = b
                coarse_weight[n_coarse] = weights[edge_to[b] - first_coarse]
                edge_to[b] = n_coarse - base
                n_coarse += 1
            if len(of_edge):
                for k in range(first, last):
                    v = offset + by_block[k]
                    for arc in range(indptr[v], indptr[v + 1]):
                        b = block[offset + indices[arc]]
                        if b > a:
                            edge = edge_ptr[g] + edge_of_arc[arc]
                            of_edge[edge] = base + edge_to[b]
                        elif b == a:
                            of_edge[edge_ptr[g] + edge_of_arc[arc]] = INSIDE
            first = last
        coarse_ptr[g + 1] = n_coarse
