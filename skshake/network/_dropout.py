"""Dropout in plain torch: a hash of each value's number says whether it stays.

In: states, and a stream of :mod:`skshake.network._random`. Out: states. A mask follows
from the seed, the step, the place of the dropout and the number of the value alone, so
all engines drop the same values, on any device and in any number of threads.
"""

from __future__ import annotations

import torch
from torch import Tensor

# Hashes have 32 bits; the lower half of a stream is their first key.
LARGEST_HASH = 0xFFFFFFFF


def count_kept(keep: float) -> int:
    """Number of hashes, out of all of 32 bits, with which a value is kept."""
    return int(keep * LARGEST_HASH)


def drop(h: Tensor, rate: float, stream: Tensor | None) -> Tensor:
    """Set a fraction of values to 0, and scale the others so that the mean stays.

    Parameters
    ----------
    h : Tensor of shape (n_rows, width)
    rate : float
    stream : int64 Tensor of shape () or None
        See :func:`find_streams`; None drops nothing.

    Returns
    -------
    dropped : Tensor of shape (n_rows, width)
    """
    if stream is None or rate == 0.0:
        return h
    keep = 1.0 - rate
    with torch.no_grad():
        number = torch.arange(h.numel(), device=h.device)
        is_kept = hash_counter(number, stream) < count_kept(keep)
        mask = is_kept.view_as(h).to(h.dtype) / keep
    return h * mask


def hash_counter(x: Tensor, stream: Tensor) -> Tensor:
    """32 bits of a counter under two keys (finaliser of Ellis, lowbias32).

    What the kernels of the other engines compute in 32 bits; factors are signed, for
    products to stay within 64.
    """
    x = (x + (stream & LARGEST_HASH)) & LARGEST_HASH
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & LARGEST_HASH
    x = x ^ (x >> 15)
    x = (x + ((stream >> 32) & LARGEST_HASH)) & LARGEST_HASH
    x = (x * (0x846CA68B - (1 << 32))) & LARGEST_HASH
    return x ^ (x >> 16)
