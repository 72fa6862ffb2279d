"""Kernels: the degree of a node, and the choice of a neighbour by the weights of arcs.

In: arcs of a node and their running sum of weights. Out: its degree, or a neighbour.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel


@kernel
def find_neighbour(indices, cumulative, first, last, at):
    """Neighbour whose share of the node's degree holds ``at`` in [0, degree).

    Without weights the share of the k-th arc is [k, k + 1); with weights a bisection
    of the running sum finds it, and finds the same arc when all weights are 1.
    """
    if len(cumulative) == 0:
        return indices[min(first + np.int64(at), last - 1)]
    low, high = first, last - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > at:
            high = middle
        else:
            low = middle + 1
    return indices[low]


@kernel
def degree_of(cumulative, first, last):
    """Weighted degree of the node with these arcs."""
    if len(cumulative) and last > first:
        return cumulative[last - 1]
    return np.float64(last - first)
