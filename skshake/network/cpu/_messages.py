"""Kernels of message passing: sums over the arcs of each node, and their gradients.

In: the rows of a tile, of whole graphs, float32; ``width`` is a multiple of WIDTH. Out:
as many rows of an array.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._simd import WIDTH, load, relu, store, where_positive


@kernel(inline=True)
def sum_messages(first, last, arcs, self_weight, h, e, out):
    """out[i] = self_weight h[i] + sum over arcs of weight relu(h[col] + e[edge]).

    Parameters
    ----------
    first, last : int, rows of the batch that the tile has, and all their neighbours
        # IN
    arcs : BatchArcs of numpy arrays, of the batch  # IN
    self_weight : float32, 1 + epsilon of the layer  # IN
    h, e : float32 arrays (last - first, width), (n_edge_states, width)  # IN
    out : float32 array (last - first, width)  # OUT
    """
    rowptr, col, edge, weight = arcs.rowptr, arcs.col, arcs.edge, arcs.weight
    for i in range(last - first):
        for v in range(h.shape[1] // WIDTH):
            total = load(h, i, v) * self_weight
            for arc in range(rowptr[first + i], rowptr[first + i + 1]):
                j, k = col[arc] - first, edge[arc]
                message = relu(load(h, j, v) + load(e, k, v))
                total = total + message * weight[arc]
            store(out, i, v, total)


@kernel(inline=True)
def sum_messages_backward(first, last, arcs, self_weight, h, e, grad, grad_h, grad_e):
    """Gradients of ``sum_messages``.

    The arc from j to i has a twin from i to j with the same edge state and weight, so
    the gradient of ``h[i]`` is a sum over the arcs of i too: no row is written by two
    threads, and nothing has to be atomic. If lanes share rows of ``e``, each of them
    has a ``grad_e`` of its own.

    Parameters
    ----------
    first, last, arcs, self_weight, h, e : as above  # IN
    grad : float32 array (last - first, width), gradient of ``out``  # IN
    grad_h : float32 array (last - first, width)  # OUT
    grad_e : float32 array (n_edge_states, width), added to  # IN and OUT

    Returns
    -------
    grad_self : float, gradient of ``self_weight``
    """
    rowptr, col, edge, weight = arcs.rowptr, arcs.col, arcs.edge, arcs.weight
    width = h.shape[1]
    # Column by column, which a processor adds many at once.
    own = np.zeros((1, width), np.float32)
    for i in range(last - first):
        for v in range(width // WIDTH):
            state, of_out = load(h, i, v), load(grad, i, v)
            store(own, 0, v, load(own, 0, v) + of_out * state)
            total = of_out * self_weight
            for arc in range(rowptr[first + i], rowptr[first + i + 1]):
                j, k = col[arc] - first, edge[arc]
                of_message = load(grad, j, v) * weight[arc]
                passed = where_positive(state + load(e, k, v), of_message)
                total = total + passed
                store(grad_e, k, v, load(grad_e, k, v) + passed)
            store(grad_h, i, v, total)
    grad_self = np.float32(0.0)
    for c in range(width):
        grad_self += own[0, c]
    return grad_self
