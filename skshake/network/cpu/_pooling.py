"""Kernels that pool the rows of each graph: mean, maximum and scaled sum.

In: rows of some graphs. Out: one row per graph, and back. The plain torch twin is
``mean_max_sum`` of :mod:`skshake.network._readouts`.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel


@kernel(inline=True)
def pool_graphs(first_graph, last_graph, node_ptr, h, column, out):
    """Mean, maximum and scaled sum of each graph's rows.

    Parameters
    ----------
    first_graph, last_graph : int  # IN
    node_ptr : int64 array (n_graphs + 1,)  # IN
    h : float32 array (n_rows, width)  # IN
    column : int, of ``out`` at which the mean begins  # IN
    out : float32 array (n_graphs, n_columns)  # OUT at 3 width columns
    """
    width = h.shape[1]
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g], node_ptr[g + 1]
        mean = out[g, column : column + width]
        most = out[g, column + width : column + 2 * width]
        total = out[g, column + 2 * width : column + 3 * width]
        for c in range(width):
            mean[c] = 0.0
            most[c] = h[first, c] if first < last else np.float32(0.0)
        for i in range(first, last):
            for c in range(width):
                mean[c] += h[i, c]
                most[c] = max(most[c], h[i, c])
        n_nodes = max(last - first, 1)
        for c in range(width):
            total[c] = mean[c] / np.float32(np.sqrt(n_nodes))
            mean[c] /= np.float32(n_nodes)


@kernel(inline=True)
def pool_graphs_backward(
    first_graph, last_graph, node_ptr, h, column, out, grad, grad_h
):
    """Add gradients of ``pool_graphs``; equal maxima share theirs.

    Parameters
    ----------
    first_graph, last_graph, node_ptr, h, column, out : as above  # IN
    grad : float32 array (n_graphs, n_columns), gradient of ``out``  # IN
    grad_h : float32 array (n_rows, width)  # IN and OUT
    """
    width = h.shape[1]
    even, share = np.empty(width, np.float32), np.empty(width, np.float32)
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g], node_ptr[g + 1]
        if first == last:
            continue
        n_nodes = last - first
        most = out[g, column + width : column + 2 * width]
        share[:] = 0.0
        for i in range(first, last):
            for c in range(width):
                share[c] += np.float32(h[i, c] == most[c])
        for c in range(width):
            even[c] = grad[g, column + c] / np.float32(n_nodes)
            even[c] += grad[g, column + 2 * width + c] / np.float32(np.sqrt(n_nodes))
            # No row equals a maximum of NaN.
            share[c] = grad[g, column + width + c] / max(share[c], np.float32(1.0))
        for i in range(first, last):
            for c in range(width):
                is_most = np.float32(h[i, c] == most[c])
                grad_h[i, c] += even[c] + is_most * share[c]
