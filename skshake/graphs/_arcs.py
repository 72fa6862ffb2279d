"""Kernels between arcs as users give them, undirected edges, and CSR arcs.

In: arcs (source, target) of many graphs, numbered within their graph. Out: each
undirected edge once with source < target, sorted; and the symmetric CSR arrays that
random walks and message passing read.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel

NO_EDGE = -1


@kernel
def merge_arcs(node_ptr, arc_ptr, source, target, edges, edge_ptr, edge_of_row):
    """Find the undirected edges among arcs; self-loops belong to none.

    Parameters
    ----------
    node_ptr, arc_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    source, target : int64 arrays of shape (n_rows,)  # IN
        Ends within the graph.
    edges : int32 array of shape (n_rows, 2)  # OUT, filled as far as edge_ptr[-1]
    edge_ptr : int64 array of shape (n_graphs + 1,)  # OUT
    edge_of_row : int64 array of shape (n_rows,)  # OUT, NO_EDGE for a self-loop

    Returns
    -------
    row : int, -1, or the first row that ends outside its graph

    Notes
    -----
    Two stable counting sorts per graph (by larger, then by smaller end): linear time,
    and the result does not depend on the order or direction of the arcs.
    """
    max_nodes = 0
    max_rows = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
        max_rows = max(max_rows, arc_ptr[g + 1] - arc_ptr[g])
    start = np.empty(max_nodes + 1, np.int64)
    by_larger = np.empty(max_rows, np.int64)
    by_both = np.empty(max_rows, np.int64)
    n_edges = 0
    edge_ptr[0] = 0
    for g in range(len(node_ptr) - 1):
        n = node_ptr[g + 1] - node_ptr[g]
        first, last = arc_ptr[g], arc_ptr[g + 1]
        start[: n + 1] = 0
        for row in range(first, last):
            smaller, larger = source[row], target[row]
            if smaller > larger:
                smaller, larger = larger, smaller
            if smaller < 0 or larger >= n:
                return row
            if smaller < larger:
                start[larger + 1] += 1
        for v in range(n):
            start[v + 1] += start[v]
        for row in range(first, last):
            if source[row] == target[row]:
                edge_of_row[row] = NO_EDGE
                continue
            larger = max(source[row], target[row])
            by_larger[start[larger]] = row
            start[larger] += 1
        n_rows = start[n - 1] if n else 0
        start[: n + 1] = 0
        for k in range(n_rows):
            row = by_larger[k]
            start[min(source[row], target[row]) + 1] += 1
        for v in range(n):
            start[v + 1] += start[v]
        for k in range(n_rows):
            row = by_larger[k]
            smaller = min(source[row], target[row])
            by_both[start[smaller]] = row
            start[smaller] += 1
        u, v = -1, -1
        for k in range(n_rows):
            row = by_both[k]
            smaller = min(source[row], target[row])
            larger = max(source[row], target[row])
            if smaller != u or larger != v:
                u, v = smaller, larger
                edges[n_edges, 0] = u
                edges[n_edges, 1] = v
                n_edges += 1
            edge_of_row[row] = n_edges - 1
        edge_ptr[g + 1] = n_edges
    return -1


@kernel
def has_repeats(edge_of_row, is_forward, n_edges):
    """Whether an edge has more than one row of a direction.

    Parameters
    ----------
    edge_of_row : int64 array of shape (n_rows,)  # IN
    is_forward : bool array of shape (n_rows,)  # IN, source < target
    n_edges : int  # IN

    Returns
    -------
    has_repeats : bool
    """
    is_seen = np.zeros((n_edges, 2), np.bool_)
    for row in range(len(edge_of_row)):
        edge, direction = edge_of_row[row], int(is_forward[row])
        if edge != NO_EDGE:
            if is_seen[edge, direction]:
                return True
            is_seen[edge, direction] = True
    return False


@kernel
def average_directions(edge_of_row, is_forward, values, repeats_add, n_edges):
    """Average the two directions of each edge, after joining repeats of a direction.

    Parameters
    ----------
    edge_of_row : int64 array of shape (n_rows,)  # IN
    is_forward : bool array of shape (n_rows,)  # IN, source < target
    values : float array of shape (n_rows, n_columns)  # IN
    repeats_add : bool  # IN, repeats of one direction add up (weights) or are averaged
    n_edges : int  # IN

    Returns
    -------
    averaged : float64 array of shape (n_edges, n_columns)
    """
    count = np.zeros((n_edges, 2), np.int64)
    for row in range(len(edge_of_row)):
        if edge_of_row[row] != NO_EDGE:
            count[edge_of_row[row], int(is_forward[row])] += 1
    averaged = np.empty((n_edges, values.shape[1]))
    total = np.empty((n_edges, 2))
    # Column by column: sums of all at once would take twice the memory of the values.
    for c in range(values.shape[1]):
        total[:] = 0.0
        for row in range(len(edge_of_row)):
            if edge_of_row[row] != NO_EDGE:
                total[edge_of_row[row], int(is_forward[row])] += values[row, c]
        for edge in range(n_edges):
            found, n_directions = 0.0, 0
            for direction in range(2):
                if count[edge, direction]:
                    n_directions += 1
                    share = 1.0 if repeats_add else 1.0 / count[edge, direction]
                    found += total[edge, direction] * share
            averaged[edge, c] = found / n_directions
    return averaged


@kernel
def agree_on_categories(edge_of_row, codes, merged):
    """Copy the codes of each edge; stop at the first row that contradicts another.

    Parameters
    ----------
    edge_of_row : int64 array of shape (n_rows,)  # IN
    codes : int32 array of shape (n_rows, n_columns)  # IN
    merged : int32 array of shape (n_edges, n_columns)  # OUT

    Returns
    -------
    row : int, -1 when all rows of each edge agree
    """
    is_set = np.zeros(len(merged), np.bool_)
    for row in range(len(edge_of_row)):
        edge = edge_of_row[row]
        if edge == NO_EDGE:
            continue
        for c in range(codes.shape[1]):
            if not is_set[edge]:
                merged[edge, c] = codes[row, c]
            elif merged[edge, c] != codes[row, c]:
                return row
        is_set[edge] = True
    return -1


@kernel
def sum_degrees(node_ptr, edge_ptr, edges, edge_weight, degrees):
    """Weighted degree of each node.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN
    edge_weight : float64 array of shape (n_edges,), or empty if all are 1  # IN
    degrees : float64 array of shape (n_nodes,)  # OUT
    """
    degrees[:] = 0.0
    for g in range(len(node_ptr) - 1):
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            weight = edge_weight[e] if len(edge_weight) else 1.0
            degrees[node_ptr[g] + edges[e, 0]] += weight
            degrees[node_ptr[g] + edges[e, 1]] += weight


@kernel
def arcs_of_edges(node_ptr, edge_ptr, edges, indptr, indices, edge_of_arc):
    """Symmetric CSR arrays of sorted edges; each row comes out sorted by neighbour.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN
    indptr : int64 array of shape (n_nodes + 1,)  # OUT
    indices : int32 array of shape (2 n_edges,)  # OUT, neighbour within its graph
    edge_of_arc : int32 array of shape (2 n_edges,)  # OUT, edge within its graph
        Empty if it is not wanted.
    """
    numbers_edges = len(edge_of_arc) > 0
    indptr[:] = 0
    for g in range(len(node_ptr) - 1):
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            indptr[node_ptr[g] + edges[e, 0] + 1] += 1
            indptr[node_ptr[g] + edges[e, 1] + 1] += 1
    for v in range(len(indptr) - 1):
        indptr[v + 1] += indptr[v]
    # Each row is filled from its start; smaller neighbours come first because edges
    # are sorted by their smaller end. Afterwards indptr has moved one row on.
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            u, v = edges[e, 0], edges[e, 1]
            arc = indptr[offset + u]
            indices[arc] = v
            if numbers_edges:
                edge_of_arc[arc] = e - edge_ptr[g]
            indptr[offset + u] += 1
            arc = indptr[offset + v]
            indices[arc] = u
            if numbers_edges:
                edge_of_arc[arc] = e - edge_ptr[g]
            indptr[offset + v] += 1
    for v in range(len(indptr) - 1, 0, -1):
        indptr[v] = indptr[v - 1]
    indptr[0] = 0
