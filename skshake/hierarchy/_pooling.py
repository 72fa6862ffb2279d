"""Kernels that contract graphs: coarse edges, and pooled numbers and categories.

In: CSR arcs and the block of each node. Out: edges between blocks, and mean or sum of
features over the input nodes of a block or the input edges of a coarse edge.
"""

from __future__ import annotations

import numpy as np
from numba import njit

INSIDE = -1
# Up to so many values an insertion sort is the fastest.
FEW = 16


@njit(cache=True, nogil=True, inline="always")
def _insertion_sort(values, n):
    """Sort the first few values in place."""
    for i in range(1, n):
        value = values[i]
        j = i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@njit(cache=True, nogil=True)
def contract_edges(
    edge_ptr,
    edges,
    node_ptr,
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
    edge_ptr : int64 array of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN, ends within the graph
    node_ptr : int64 array of shape (n_graphs + 1,)  # IN
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
    The first two outputs are filled as far as ``coarse_edge_ptr[-1]``. Edges are put in
    order of their smaller block by counting; then each block joins its own edges.
    Linear in edges, but for sorting the neighbours of each block.
    """
    max_blocks = 0
    max_edges = 0
    for g in range(len(edge_ptr) - 1):
        max_blocks = max(max_blocks, block_ptr[g + 1] - block_ptr[g])
        max_edges = max(max_edges, edge_ptr[g + 1] - edge_ptr[g])
    start = np.empty(max_blocks + 1, np.int64)
    by_block = np.empty(max_edges, np.int64)
    larger_of = np.empty(max_edges, np.int32)
    edge_to = np.full(max_blocks, -1, np.int64)
    neighbours = np.empty(max_blocks, np.int32)
    n_coarse = 0
    coarse_edge_ptr[0] = 0
    for g in range(len(edge_ptr) - 1):
        offset = node_ptr[g]
        n_blocks = block_ptr[g + 1] - block_ptr[g]
        start[: n_blocks + 1] = 0
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            a, b = block[offset + edges[e, 0]], block[offset + edges[e, 1]]
            if a == b:
                coarse_of_edge[e] = INSIDE
            else:
                start[min(a, b) + 1] += 1
        for a in range(n_blocks):
            start[a + 1] += start[a]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            a, b = block[offset + edges[e, 0]], block[offset + edges[e, 1]]
            if a != b:
                place = start[min(a, b)]
                by_block[place] = e
                larger_of[place] = max(a, b)
                start[min(a, b)] += 1
        first = 0
        for a in range(n_blocks):
            # After the counting sort start[a] is where the edges of block a end.
            last = start[a]
            first_coarse = n_coarse
            n_neighbours = 0
            for k in range(first, last):
                b = larger_of[k]
                if edge_to[b] < first_coarse:
                    edge_to[b] = n_coarse + n_neighbours
                    neighbours[n_neighbours] = b
                    n_neighbours += 1
            if n_neighbours <= FEW:
                _insertion_sort(neighbours, n_neighbours)
            else:
                neighbours[:n_neighbours].sort()
            for k in range(n_neighbours):
                edge_to[neighbours[k]] = n_coarse
                coarse_edges[n_coarse, 0] = a
                coarse_edges[n_coarse, 1] = neighbours[k]
                coarse_weight[n_coarse] = 0.0
                n_coarse += 1
            for k in range(first, last):
                e, coarse = by_block[k], edge_to[larger_of[k]]
                coarse_of_edge[e] = coarse
                coarse_weight[coarse] += edge_weight[e] if len(edge_weight) else 1.0
            first = last
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
def pool_categories(
    codes, low, first, table, segment, n_segments, is_mean, indptr, slots, shares
):
    """Frequencies (or counts) of category slots in each segment, as CSR rows.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_columns)  # IN
    low, first, table : tables that give the slot of a code  # IN
        See ``SlotTables``. No dense one-hot row is ever made.
    segment : int64 array of shape (n_rows,)  # IN, INSIDE drops the row
    n_segments : int  # IN
    is_mean : bool  # IN, divide counts by the number of rows of the segment
    indptr : int64 array of shape (n_segments + 1,)  # OUT
    slots : int32 array of shape (n_rows * n_columns,)  # OUT, sorted in each row
    shares : float32 array of shape (n_rows * n_columns,)  # OUT

    Notes
    -----
    Both last outputs are filled as far as ``indptr[-1]``. Slots of a column come before
    those of the next, so sorting happens within one column of one segment.
    """
    n_rows, n_columns = codes.shape
    start = np.zeros(n_segments + 1, np.int64)
    for row in range(n_rows):
        if segment[row] != INSIDE:
            start[segment[row] + 1] += 1
    most_rows = 0
    for s in range(n_segments):
        most_rows = max(most_rows, start[s + 1])
        start[s + 1] += start[s]
    by_segment = np.empty(start[n_segments], np.int64)
    for row in range(n_rows):
        s = segment[row]
        if s != INSIDE:
            by_segment[start[s]] = row
            start[s] += 1
    found = np.empty(most_rows, np.int32)
    n_entries = 0
    indptr[0] = 0
    begin = 0
    for s in range(n_segments):
        end = start[s]
        weight = np.float32(1.0 / (end - begin)) if is_mean else np.float32(1.0)
        for c in range(n_columns):
            last = first[c + 1] - 1
            for k in range(begin, end):
                entry = first[c] + codes[by_segment[k], c] - low[c] + 1
                found[k - begin] = table[min(max(entry, first[c]), last)]
            n_found = end - begin
            if n_found <= FEW:
                _insertion_sort(found, n_found)
            else:
                found[:n_found].sort()
            k = 0
            while k < n_found:
                slot = found[k]
                run = k + 1
                while run < n_found and found[run] == slot:
                    run += 1
                slots[n_entries] = slot
                shares[n_entries] = weight * (run - k)
                n_entries += 1
                k = run
        begin = end
        indptr[s + 1] = n_entries
