"""Kernel: edge weights in the fingerprint of a graph, which seeds its random stream.

In: weights and 64-bit hashes of everything else. Out: one uint64 per graph that depends
on nothing but that graph, so that position, companions and chunks cannot change a draw.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import mix, next_state


@kernel
def hash_weights(ptr, weights, fingerprints):
    """Stir in edge weights; a graph whose weights are all 1 is an unweighted graph.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    weights : float64 array of shape (n_edges,)  # IN
    fingerprints : uint64 array of shape (n_graphs,)  # IN and OUT
    """
    bits = weights.view(np.uint64)
    for g in range(len(ptr) - 1):
        is_weighted = False
        for e in range(ptr[g], ptr[g + 1]):
            if weights[e] != 1.0:
                is_weighted = True
        if is_weighted:
            h = fingerprints[g]
            for e in range(ptr[g], ptr[g + 1]):
                h = mix(next_state(h + bits[e]))
            fingerprints[g] = h
