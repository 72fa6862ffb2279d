"""Kernels that contract graphs: coarse edges, and pooled numbers and categories.

In: CSR arcs and the block of each node. Out: edges between blocks, and mean or sum of
features over the input nodes of a block or the input edges of a coarse edge.
"""

from __future__ import annotations

import numpy as np
from numba import njit

INSIDE = -1


@njit(cache=True, nogil=True)
def contract_edges(
    node_ptr,
    edge_ptr,
    indptr,
    indices,
    edge_of_arc,
    block,
    block_ptr,
    edge_weight,
    coarse_edges,
    coarse_weight,
    coarse_edge_ptr,
    coarse_of_edge,
):
    """Join the edges between each two blocks; edges inside a block vanish.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    indptr : int64 array of shape (n_nodes + 1,)  # IN
    indices, edge_of_arc : int32 arrays of shape (n_arcs,)  # IN
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_ptr : int64 array of shape (n_graphs + 1,)  # IN
    edge_weight : float64 array of shape (n_edges,), or empty if all are 1  # IN
    coarse_edges : int32 array of shape (n_edges, 2)  # OUT, sorted, first < second
    coarse_weight : float64 array of shape (n_edges,)  # OUT, sum of input weights
    coarse_edge_ptr : int64 array of shape (n_graphs + 1,)  # OUT
    coarse_of_edge : int64 array of shape (n_edges,)  # OUT
        Coarse edge of each input edge over the whole collection, or INSIDE.

    Notes
    -----
    Both pairs of outputs are filled as far as ``coarse_edge_ptr[-1]``. Linear in arcs,
    but for sorting the neighbours of each block.
    """
    max_nodes = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    start = np.empty(max_nodes + 1, np.int64)
    by_block = np.empty(max_nodes, np.int32)
    edge_to = np.full(max_nodes, -1, np.int64)
    n_coarse = 0
    coarse_edge_ptr[0] = 0
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        n = node_ptr[g + 1] - offset
        n_blocks = block_ptr[g + 1] - block_ptr[g]
        start[: n_blocks + 1] = 0
        for v in range(n):
            start[block[offset + v] + 1] += 1
        for b in range(n_blocks):
            start[b + 1] += start[b]
        for v in range(n):
            b = block[offset + v]
            by_block[start[b]] = v
            start[b] += 1
        first_node = 0
        for a in range(n_blocks):
            # After the counting sort start[a] is where block a ends.
            last_node = start[a]
            first_edge = n_coarse
            for k in range(first_node, last_node):
                v = by_block[k]
                for arc in range(indptr[offset + v], indptr[offset + v + 1]):
                    b = block[offset + indices[arc]]
                    if b > a and edge_to[b] < first_edge:
                        edge_to[b] = n_coarse
                        coarse_edges[n_coarse, 0] = a
                        coarse_edges[n_coarse, 1] = b
                        n_coarse += 1
            coarse_edges[first_edge:n_coarse, 1].sort()
            for e in range(first_edge, n_coarse):
                coarse_weight[e] = 0.0
                edge_to[coarse_edges[e, 1]] = e
            for k in range(first_node, last_node):
                v = by_block[k]
                for arc in range(indptr[offset + v], indptr[offset + v + 1]):
                    b = block[offset + indices[arc]]
                    edge = edge_ptr[g] + edge_of_arc[arc]
                    if b > a:
                        coarse = edge_to[b]
                        coarse_of_edge[edge] = coarse
                        weight = edge_weight[edge] if len(edge_weight) else 1.0
                        coarse_weight[coarse] += weight
                    elif b == a:
                        coarse_of_edge[edge] = INSIDE
            first_node = last_node
        coarse_edge_ptr[g + 1] = n_coarse


@njit(cache=True, nogil=True)
def pool_numbers(values, segment, n_segments, is_mean):
    """Mean or sum of the rows of each segment, in double precision.

    Parameters
    ----------
    values : float32 array of shape (n_rows, n_columns)  # IN
    segment : int64 array of shape (n_rows,)  # IN, INSIDE drops the row
    n_segments : int  # IN
    is_mean : bool  # IN

    Returns
    -------
    pooled : float64 array of shape (n_segments, n_columns)
    """
    n_columns = values.shape[1]
    pooled = np.zeros((n_segments, n_columns))
    count = np.zeros(n_segments, np.int64)
    for row in range(len(values)):
        s = segment[row]
        if s != INSIDE:
            count[s] += 1
            for c in range(n_columns):
                pooled[s, c] += values[row, c]
    if is_mean:
        for s in range(n_segments):
            if count[s] > 1:
                for c in range(n_columns):
                    pooled[s, c] /= count[s]
    return pooled


@njit(cache=True, nogil=True)
def pool_slots(slots, segment, n_segments, n_slots, is_mean, indptr, indices, values):
    """Frequencies (or counts) of category slots in each segment, as CSR rows.

    Parameters
    ----------
    slots : int32 array of shape (n_rows, n_columns)  # IN
        One slot per categorical column; no dense one-hot row is ever made.
    segment : int64 array of shape (n_rows,)  # IN, INSIDE drops the row
    n_segments, n_slots : int  # IN
    is_mean : bool  # IN, divide counts by the number of rows of the segment
    indptr : int64 array of shape (n_segments + 1,)  # OUT
    indices : int32 array of shape (n_rows * n_columns,)  # OUT, sorted in each row
    values : float32 array of shape (n_rows * n_columns,)  # OUT

    Notes
    -----
    Both last outputs are filled as far as ``indptr[-1]``.
    """
    n_rows, n_columns = slots.shape
    start = np.zeros(n_segments + 1, np.int64)
    for row in range(n_rows):
        if segment[row] != INSIDE:
            start[segment[row] + 1] += 1
    for s in range(n_segments):
        start[s + 1] += start[s]
    by_segment = np.empty(start[n_segments], np.int64)
    for row in range(n_rows):
        s = segment[row]
        if s != INSIDE:
            by_segment[start[s]] = row
            start[s] += 1
    position = np.full(n_slots, -1, np.int64)
    n_entries = 0
    indptr[0] = 0
    first = 0
    for s in range(n_segments):
        last = start[s]
        begin = n_entries
        for k in range(first, last):
            for c in range(n_columns):
                slot = slots[by_segment[k], c]
                if position[slot] < begin:
                    position[slot] = n_entries
                    indices[n_entries] = slot
                    n_entries += 1
        if n_entries - begin > 1:
            indices[begin:n_entries].sort()
        for entry in range(begin, n_entries):
            position[indices[entry]] = entry
            values[entry] = 0.0
        for k in range(first, last):
            for c in range(n_columns):
                values[position[slots[by_segment[k], c]]] += 1.0
        if is_mean:
            for entry in range(begin, n_entries):
                values[entry] /= last - first
        first = last
        indptr[s + 1] = n_entries
