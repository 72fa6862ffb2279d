"""Dropout's random numbers on the CPU: a hash of each value's number.

In: a stream (:func:`skshake.network._random.find_streams`). Out: which values stay.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._dropout import LARGEST_HASH


@kernel(inline=True)
def hash_counter(x, key, second_key):
    """32 random bits of a counter under two keys (finaliser of Ellis, lowbias32).

    In 32 bits, so that a processor hashes many counters at once.
    """
    x = np.uint32(x + key)
    x = np.uint32(x ^ np.uint32(x >> np.uint32(16)))
    x = np.uint32(x * np.uint32(0x7FEB352D))
    x = np.uint32(x ^ np.uint32(x >> np.uint32(15)))
    x = np.uint32(np.uint32(x + second_key) * np.uint32(0x846CA68B))
    return np.uint32(x ^ np.uint32(x >> np.uint32(16)))


@kernel
def fill_mask(keep, stream, mask):
    """1 / keep where dropout keeps a value, 0 elsewhere.

    Parameters
    ----------
    keep : float, fraction that is kept  # IN
    stream : uint64  # IN
    mask : float32 array (n_values,), numbered by row, then by column  # OUT
    """
    limit = np.uint32(keep * LARGEST_HASH)
    factor = np.float32(1.0 / keep)
    key, second_key = np.uint32(stream), np.uint32(stream >> np.uint64(32))
    for i in range(len(mask)):
        bits = hash_counter(np.uint32(i), key, second_key)
        mask[i] = factor * np.float32(bits < limit)
