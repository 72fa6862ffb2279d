"""Kernels that contract graphs: numbers of blocks, and the edges between them.

In: edges of graphs and the block of each node. Out: one edge for each two
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
    ``ptr[-1]``; edges are sorted in what follows. ``of_edge`` int64 (n_input_edges,):
    the coarse edge of each input edge over the whole collection, or INSIDE; empty if
    nobody asks for it.
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
def _sort_by_smaller_block(edges, block, n_blocks, start, sorted_edges, of_edge):
    """Edges of one graph by the smaller of the two blocks that they join, by counting.

    Edges inside a block need no branch, which the processor could not predict: they are
    written to the last row, which is free if there is such an edge, and not counted.

    Parameters
    ----------
    edges : int32 array of shape (n_edges, 2)  # IN
    block : int32 array of shape (n,)  # IN
    n_blocks : int  # IN
    start : int64 array of at least n_blocks + 1 entries  # OUT, where block b ends
    sorted_edges : int32 array of shape (n_edges, 2)  # OUT, larger block and edge
    of_edge : int64 array of shape (n_edges,)  # OUT, all INSIDE; or empty
    """
    start[: n_blocks + 1] = 0
    for e in range(len(edges)):
        a, b = block[edges[e, 0]], block[edges[e, 1]]
        start[min(a, b) + 1] += a != b
    for b in range(n_blocks):
        start[b + 1] += start[b]
    for e in range(len(edges)):
        a, b = block[edges[e, 0]], block[edges[e, 1]]
        smaller = min(a, b)
        place = start[smaller]
        start[smaller] = place + (a != b)
        row = place if a != b else len(edges) - 1
        sorted_edges[row, 0] = max(a, b)
        sorted_edges[row, 1] = e
    of_edge[:] = INSIDE


@kernel
def contract_edges(node_ptr, edge_ptr, edges, edge_weight, block, block_ptr, coarse):
    """Join the edges between each two blocks; edges inside a block vanish.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN, ends within the graph
    edge_weight : float64 array of shape (n_edges,), or empty if all are 1  # IN
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_ptr : int64 array of shape (n_graphs + 1,)  # IN
    coarse : CoarseEdges  # OUT

    Notes
    -----
    Linear in edges, but for sorting the neighbours of each block; scratch memory of the
    size of the largest graph's nodes, since edges are sorted where coarse edges will
    be. Blocks are visited in order, and each edge from its smaller block a.
    ``edge_to[b]`` is the edge between a and b if it is at least ``first_coarse``, the
    first edge of a; smaller values are left from blocks before.
    """
    ends, coarse_weight, coarse_ptr, of_edge = coarse
    is_weighted, tells_edges = len(edge_weight) > 0, len(of_edge) > 0
    max_nodes = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    start = np.empty(max_nodes + 1, np.int64)
    edge_to = np.empty(max_nodes, np.int32)
    neighbours = np.empty(max_nodes, np.int32)
    weights = np.empty(max_nodes, np.float64)
    n_coarse = 0
    coarse_ptr[0] = 0
    for g in range(len(node_ptr) - 1):
        first_edge, n_edges = edge_ptr[g], edge_ptr[g + 1] - edge_ptr[g]
        n_blocks, base = block_ptr[g + 1] - block_ptr[g], n_coarse
        found = ends[base : base + n_edges]
        _sort_by_smaller_block(
            edges[first_edge : first_edge + n_edges],
            block[node_ptr[g] : node_ptr[g + 1]],
            n_blocks,
            start,
            found,
            of_edge[first_edge : first_edge + n_edges] if tells_edges else of_edge,
        )
        edge_to[:n_blocks] = -1
        first = 0
        for a in range(n_blocks):
            last = start[a]
            first_coarse = n_coarse - base
            n_neighbours = 0
            for k in range(first, last):
                b = found[k, 0]
                if edge_to[b] < first_coarse:
                    edge_to[b] = first_coarse + n_neighbours
                    neighbours[n_neighbours] = b
                    weights[n_neighbours] = 0.0
                    n_neighbours += 1
                place = edge_to[b] - first_coarse
                if is_weighted:
                    weights[place] += edge_weight[first_edge + found[k, 1]]
                else:
                    weights[place] += 1.0
            # Edges of a are numbered again, in the order of the blocks that they lead
            # to; so far they were in the order of appearance.
            if n_neighbours > 1:
                sort_first(neighbours, n_neighbours)
            for k in range(n_neighbours):
                b = neighbours[k]
                coarse_weight[n_coarse + k] = weights[edge_to[b] - first_coarse]
                edge_to[b] = first_coarse + k
            if tells_edges:
                for k in range(first, last):
                    edge = first_edge + found[k, 1]
                    of_edge[edge] = base + edge_to[found[k, 0]]
            # Over edges of a and of blocks before, which nobody needs any more.
            for k in range(n_neighbours):
                ends[n_coarse, 0] = a
                ends[n_coarse, 1] = neighbours[k]
                n_coarse += 1
            first = last
        coarse_ptr[g + 1] = n_coarse
