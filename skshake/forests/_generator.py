"""The generator of the kernels: SplitMix64, and the choice of a neighbour by it.

In: a 64-bit state. Out: uniforms and neighbours. The caller adds
:data:`skshake.graphs.GOLDEN` to the state before each draw.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.graphs import mix

_SHIFT = np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@kernel
def unit(state):
    """Uniform in [0, 1) with 53 bits from the SplitMix64 state."""
    return np.float64(mix(state) >> _SHIFT) * _TO_UNIT


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
