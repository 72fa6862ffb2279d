"""Kernels that contract graphs: coarse edges, and pooled numbers and categories.

In: CSR arcs and the block of each node. Out: edges between blocks, and mean or sum of
features over the input nodes of a block or the input edges of a coarse edge.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel

INSIDE = -1


@kernel
def _sort(values, n):
    """Sort the first n values in place: insertion with shrinking gaps (Shell, Knuth).

    Most rows are short, for which nothing is faster; numba's own quicksort would take
    half a second to compile.
    """
    gap = 1
    while 9 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value = values[i]
            j = i - gap
            while j >= 0 and values[j] > value:
                values[j + gap] = values[j]
                j -= gap
            values[j + gap] = value
        gap //= 3


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


@kernel
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
    indices : int32 array of shape (n_arcs,)  # IN, within the graph
    edge_of_arc : int32 array of shape (n_arcs,)  # IN, within the graph
        Empty if there are neither edge weights nor features to pool.
    block : int32 array of shape (n_nodes,)  # IN, numbered within the graph
    block_ptr : int64 array of shape (n_graphs + 1,)  # IN
    edge_weight : float64 array of shape (n_edges,), or empty if all are 1  # IN
    coarse_edges : int32 array of shape (n_edges, 2)  # OUT, sorted, first < second
    coarse_weight : float32 array of shape (n_edges,)  # OUT, sum of input weights
    coarse_edge_ptr : int64 array of shape (n_graphs + 1,)  # OUT
    coarse_of_edge : int64 array of shape (n_edges,)  # OUT
        Coarse edge of each input edge over the whole collection, or INSIDE; empty if
        there are no features to pool.

    Notes
    -----
    The first two outputs are filled as far as ``coarse_edge_ptr[-1]``. Linear in arcs,
    but for sorting the neighbours of each block; scratch memory of the size of the
    largest graph's nodes.
    """
    max_nodes = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    start = np.empty(max_nodes + 1, np.int32)
    by_block = np.empty(max_nodes, np.int32)
    # Coarse edge to each block, numbered within the graph, and for which block it is.
    edge_to = np.empty(max_nodes, np.int32)
    neighbours = np.empty(max_nodes, np.int32)
    weights = np.empty(max_nodes, np.float64)
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
        edge_to[:n_blocks] = -1
        base = n_coarse
        first = 0
        for a in range(n_blocks):
            # After the counting sort start[a] is where block a ends.
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
            _sort(neighbours, n_neighbours)
            for k in range(n_neighbours):
                b = neighbours[k]
                coarse_edges[n_coarse, 0] = a
                coarse_edges[n_coarse, 1] = b
                coarse_weight[n_coarse] = weights[edge_to[b] - first_coarse]
                edge_to[b] = n_coarse - base
                n_coarse += 1
            if len(coarse_of_edge):
                for k in range(first, last):
                    v = offset + by_block[k]
                    for arc in range(indptr[v], indptr[v + 1]):
                        b = block[offset + indices[arc]]
                        if b > a:
                            edge = edge_ptr[g] + edge_of_arc[arc]
                            coarse_of_edge[edge] = base + edge_to[b]
                        elif b == a:
                            coarse_of_edge[edge_ptr[g] + edge_of_arc[arc]] = INSIDE
            first = last
        coarse_edge_ptr[g + 1] = n_coarse


@kernel
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


@kernel
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
            if n_found == 1:
                slots[n_entries] = found[0]
                shares[n_entries] = 1.0
                n_entries += 1
                continue
            _sort(found, n_found)
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
