"""Padding of rows with zeros to a multiple of WIDTH, which kernels read as vectors.

In: arrays of a network's own width. Out: arrays that kernels read, and back again.
Zeros stay zeros: a weight of 0 and a bias of 0 give 0, and so does batch normalisation,
whose eps is positive.
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
    n_rows, n_parts = len(array), array.shape[1] // width
    padded = pad(array.reshape(n_rows, n_parts, width))
    return padded.reshape(n_rows, n_parts * padded.shape[2])


def cut_off_parts(array: np.ndarray, width: int) -> np.ndarray:
    """The same back again."""
    n_rows, n_parts = len(array), array.shape[1] // padded_width(width)
    parts = array.reshape(n_rows, n_parts, padded_width(width))
    return cut_off(parts, width).reshape(n_rows, n_parts * width)
