"""A 64-bit fingerprint of each graph's content, which seeds its random stream.

In: the flat arrays of a collection. Out: one uint64 per graph that depends on nothing
but that graph, so that position, companions and chunking cannot change a draw.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel

# What SplitMix64 adds to its state between draws.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def mix(z):
    """Finaliser of SplitMix64 (Steele, Lea & Flood 2014): uint64 to uint64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def hash_rows(ptr, values, fingerprints):
    """Stir the rows of each graph into its fingerprint.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    values : uint32 array of shape (n_rows, n_columns)  # IN
    fingerprints : uint64 array of shape (n_graphs,)  # IN and OUT

    Notes
    -----
    Each value is folded in by one multiplication and a shift, which can be undone, so
    that no difference is lost on the way; the finaliser spreads it at the end.
    """
    factor, shift = np.uint64(0xD6E8FEB86659FD93), np.uint64(29)
    n_columns = values.shape[1]
    flat = values.ravel()
    for g in range(len(ptr) - 1):
        h = mix(fingerprints[g] + np.uint64(ptr[g + 1] - ptr[g]) + GOLDEN)
        for k in range(ptr[g] * n_columns, ptr[g + 1] * n_columns):
            h = (h ^ np.uint64(flat[k])) * factor
            h ^= h >> shift
        fingerprints[g] = mix(h)


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
                h = mix(h + bits[e] + GOLDEN)
            fingerprints[g] = h
