"""Naive twins of kernels: loops over a graph that is small enough to check by hand."""

import numpy as np

from skshake.network._csr import BatchArcs

# A triangle 0, 1, 2 with a tail 2 - 3; node 4 is isolated. Edges 01, 02, 12, 23.
TRIANGLE_WITH_TAIL = BatchArcs(
    np.array([0, 2, 4, 7, 8, 8]),
    np.array([1, 2, 0, 2, 0, 1, 3, 2]),
    np.array([0, 1, 0, 2, 1, 2, 3, 3]),
    np.array([1.0, 2.0, 1.0, 3.0, 2.0, 3.0, 4.0, 4.0], np.float32),
)


def arcs_of(arcs):
    """Row, neighbour, edge and weight of each arc."""
    for i in range(len(arcs.rowptr) - 1):
        for arc in range(arcs.rowptr[i], arcs.rowptr[i + 1]):
            yield i, arcs.col[arc], arcs.edge[arc], arcs.weight[arc]


def sum_messages(arcs, self_weight, h, e):
    """self_weight h[i] + sum over arcs of weight relu(h[j] + e[k])."""
    out = self_weight * h
    for i, j, k, weight in arcs_of(arcs):
        out[i] += weight * np.maximum(h[j] + e[k], 0)
    return out


def sum_messages_backward(arcs, self_weight, h, e, grad):
    """Gradients of ``h``, ``e`` and ``self_weight``."""
    grad_h, grad_e = self_weight * grad, np.zeros_like(e)
    for i, j, k, weight in arcs_of(arcs):
        passed = weight * grad[i] * (h[j] + e[k] > 0)
        grad_h[j] += passed
        grad_e[k] += passed
    return grad_h, grad_e, (grad * h).sum()
