"""Kernels of message passing: sums over the arcs of each node, and their gradients.

In: rows ``first`` to ``last`` of a batch, float32. Out: the same rows of an array.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel


@kernel(inline=True)
def relu(value):
    """max(value, 0), but NaN stays NaN, so that a training that explodes is noticed."""
    return value * np.float32(value > np.float32(0.0))


@kernel(inline=True)
def sum_messages(first, last, arcs, self_weight, h, e, out):
    """out[i] = self_weight h[i] + sum over arcs of weight relu(h[col] + e[edge]).

    Parameters
    ----------
    first, last : int, rows to write  # IN
    arcs : BatchArcs of numpy arrays  # IN
    self_weight : float32, 1 + epsilon of the layer  # IN
    h, e : float32 arrays (n_nodes, width), (n_edge_states, width)  # IN
    out : float32 array (n_nodes, width)  # OUT
    """
    rowptr, col, edge, weight = arcs.rowptr, arcs.col, arcs.edge, arcs.weight
    width = h.shape[1]
    for i in range(first, last):
        for c in range(width):
            out[i, c] = self_weight * h[i, c]
        for arc in range(rowptr[i], rowptr[i + 1]):
            j, k, w = col[arc], edge[arc], weight[arc]
            for c in range(width):
                out[i, c] += w * relu(h[j, c] + e[k, c])


@kernel(inline=True)
def sum_messages_backward(first, last, arcs, self_weight, h, e, grad, grad_h, grad_e):
    """Gradients of ``sum_messages``.

    The arc from j to i has a twin from i to j with the same edge state and weight, so
    the gradient of ``h[i]`` is a sum over the arcs of i too: no row is written by two
    threads, and nothing has to be atomic. If lanes share
    rows of ``e``, each of them has a ``grad_e`` of its own.

    Parameters
    ----------
    first, last, arcs, self_weight, h, e : as above  # IN
    grad : float32 array (n_nodes, width), gradient of ``out``, all rows  # IN
    grad_h : float32 array (n_nodes, width)  # OUT at the rows
    grad_e : float32 array (n_edge_states, width), added to  # IN and OUT

    Returns
    -------
    grad_self : float, gradient of ``self_weight``
    """
    rowptr, col, edge, weight = arcs.rowptr, arcs.col, arcs.edge, arcs.weight
    width = h.shape[1]
    # Column by column, which a processor adds many at once.
    own = np.zeros(width, np.float32)
    for i in range(first, last):
        for c in range(width):
            own[c] += grad[i, c] * h[i, c]
        for c in range(width):
            grad_h[i, c] = self_weight * grad[i, c]
        for arc in range(rowptr[i], rowptr[i + 1]):
            j, k, w = col[arc], edge[arc], weight[arc]
            for c in range(width):
                is_open = np.float32(h[i, c] + e[k, c] > 0.0)
                passed = w * grad[j, c] * is_open
                grad_h[i, c] += passed
                grad_e[k, c] += passed
    total = np.float32(0.0)
    for c in range(width):
        total += own[c]
    return total
