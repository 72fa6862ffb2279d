"""Kernels that pool the rows of each graph: mean, maximum and scaled sum.

In: rows of some graphs, whose width is a multiple of WIDTH. Out: one row per graph, and
back. The plain torch twin is ``mean_max_sum`` of :mod:`skshake.network._readouts`.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._simd import WIDTH, load, maximum, repeat, store, where_equal, zeros


@kernel(inline=True)
def pool_graphs(first_graph, last_graph, node_ptr, h, start, out):
    """Mean, maximum and scaled sum of each graph's rows.

    Parameters
    ----------
    first_graph, last_graph : int  # IN
    node_ptr : int64 array (n_graphs + 1,)  # IN
    h : float32 array (n_rows, width), rows of these graphs alone  # IN
    start : int, vector of ``out`` at which the mean begins  # IN
    out : float32 array (n_graphs, n_columns)  # OUT at 3 width columns
    """
    n_vectors, before = h.shape[1] // WIDTH, node_ptr[first_graph]
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g] - before, node_ptr[g + 1] - before
        n_nodes = max(last - first, 1)
        for v in range(n_vectors):
            total = zeros()
            most = load(h, first, v) if first < last else zeros()
            for i in range(first, last):
                row = load(h, i, v)
                total, most = total + row, maximum(most, row)
            place = start + v
            store(out, g, place, total / repeat(n_nodes))
            store(out, g, place + n_vectors, most)
            store(out, g, place + 2 * n_vectors, total / repeat(np.sqrt(n_nodes)))


@kernel(inline=True)
def pool_graphs_backward(
    first_graph, last_graph, node_ptr, h, start, out, grad, grad_h
):
    """Add gradients of ``pool_graphs``; equal maxima share theirs.

    Parameters
    ----------
    first_graph, last_graph, node_ptr, h, start, out : as above  # IN
    grad : float32 array (n_graphs, n_columns), gradient of ``out``  # IN
    grad_h : float32 array (n_rows, width)  # IN and OUT
    """
    n_vectors, before = h.shape[1] // WIDTH, node_ptr[first_graph]
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g] - before, node_ptr[g + 1] - before
        n_nodes = max(last - first, 1)
        for v in range(n_vectors):
            place = start + v
            most, n_equal = load(out, g, place + n_vectors), zeros()
            for i in range(first, last):
                n_equal = n_equal + where_equal(load(h, i, v), most, repeat(1.0))
            root = repeat(np.sqrt(n_nodes))
            even = load(grad, g, place) / repeat(n_nodes)
            even = even + load(grad, g, place + 2 * n_vectors) / root
            # No row equals a maximum of NaN.
            n_equal = maximum(n_equal, repeat(1.0))
            share = load(grad, g, place + n_vectors) / n_equal
            for i in range(first, last):
                of_row = even + where_equal(load(h, i, v), most, share)
                store(grad_h, i, v, load(grad_h, i, v) + of_row)
