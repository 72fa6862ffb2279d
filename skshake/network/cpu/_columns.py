"""Columns of zeros, so that each row is whole blocks of WIDTH.

In: arrays of a network's own width. Out: arrays that kernels read, and back again.
Zeros stay zeros: a weight of 0 and a bias of 0 give 0, in batch normalisation too.
"""

from __future__ import annotations

import numpy as np

from skshake._simd import WIDTH


def padded_width(width: int) -> int:
    """The next multiple of WIDTH."""
    return -(-width // WIDTH) * WIDTH


def pad(array: np.ndarray, n_axes: int = 1) -> np.ndarray:
    """An array whose last axes, each ``width`` long, are filled up with zeros.

    It is the array itself where nothing is missing.
    """
    width = array.shape[-1]
    missing = padded_width(width) - width
    if missing == 0:
        return array
    kept = array.ndim - n_axes
    return np.pad(array, [(0, 0)] * kept + [(0, missing)] * n_axes)


def cut_off(array: np.ndarray, width: int) -> np.ndarray:
    """The first ``width`` entries of the last axis, contiguous in memory."""
    return np.ascontiguousarray(array[..., :width])


def pad_parts(array: np.ndarray, width: int) -> np.ndarray:
    """Rows of parts ``width`` long, each of which is filled up with zeros."""
    return pad(array.reshape(len(array), -1, width)).reshape(len(array), -1)


def cut_off_parts(array: np.ndarray, width: int) -> np.ndarray:
    """The same back again."""
    parts = array.reshape(len(array), -1, padded_width(width))
    return cut_off(parts, width).reshape(len(array), -1)
