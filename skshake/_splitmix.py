"""SplitMix64 (Steele, Lea & Flood 2014): random numbers and hashes of 64 bits.

In: a state or a value, uint64. Out: the next state, uniforms, hashes. A kernel holds
the state of each graph's stream as a plain integer, which costs nothing to make; one
draw is ``state = next_state(state)`` and then what is wanted of that state.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel

# What is added to the state between draws.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Of 64 bits the upper 53 are the digits of a float64: shift, and unit of the last one.
_SHIFT, _TO_UNIT = np.uint64(11), 2.0**-53


@kernel
def next_state(state):
    """State of the next draw."""
    return state + GOLDEN


@kernel
def nth_state(state, n):
    """State of the n-th draw from here, which needs none of those before."""
    return state + np.uint64(n) * GOLDEN


@kernel
def mix(z):
    """The finaliser: uint64 to uint64, one to one, each bit depending on all."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def unit(state):
    """Uniform in [0, 1) with 53 bits from a state."""
    return np.float64(mix(state) >> _SHIFT) * _TO_UNIT


@kernel
def hash_rows(ptr, values, hashes):
    """Stir the rows of each segment (of a graph, say) into its hash.

    Parameters
    ----------
    ptr : int64 array of shape (n_segments + 1,)  # IN
    values : uint32 array of shape (n_rows, n_columns)  # IN
    hashes : uint64 array of shape (n_segments,)  # IN and OUT

    Notes
    -----
    Each value is folded in by one multiplication and a shift, which can be undone, so
    that no difference is lost on the way; the finaliser spreads it at the end.
    """
    factor, shift = np.uint64(0xD6E8FEB86659FD93), np.uint64(29)
    n_columns = values.shape[1]
    flat = values.ravel()
    for s in range(len(ptr) - 1):
        h = mix(next_state(hashes[s] + np.uint64(ptr[s + 1] - ptr[s])))
        for k in range(ptr[s] * n_columns, ptr[s + 1] * n_columns):
            h = (h ^ np.uint64(flat[k])) * factor
            h ^= h >> shift
        hashes[s] = mix(h)
