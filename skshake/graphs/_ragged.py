"""Slices of flat arrays that belong to some graphs: index arithmetic, no loops.

In: offsets of all graphs and the numbers of the wanted ones. Out: rows to gather.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def offsets(counts: np.ndarray | Iterable[int]) -> np.ndarray:
    """Offsets (n + 1,) of consecutive slices of the given lengths."""
    counts = np.asarray(counts, dtype=np.int64)
    ptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=ptr[1:])
    return ptr


def rows_of(ptr: np.ndarray, graphs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the given graphs in order, and their new offsets."""
    new_ptr = offsets(ptr[graphs + 1] - ptr[graphs])
    shift = np.repeat(ptr[graphs] - new_ptr[:-1], np.diff(new_ptr))
    return shift + np.arange(new_ptr[-1]), new_ptr


def owner_of(ptr: np.ndarray) -> np.ndarray:
    """Number of the graph that owns each row."""
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))


def as_graph_numbers(key: Any, n_graphs: int) -> np.ndarray:
    """Turn a slice, an integer array or a boolean mask into graph numbers."""
    if isinstance(key, slice):
        return np.arange(n_graphs)[key]
    numbers = np.asarray(key)
    if numbers.size == 0 and numbers.dtype.kind != "b":
        return np.empty(0, np.int64)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iub":
        raise TypeError(
            "expected an integer, a slice, a 1-D integer array or a boolean mask, got "
            f"an array of dtype {numbers.dtype} and shape {numbers.shape}"
        )
    if numbers.dtype.kind == "b":
        if len(numbers) != n_graphs:
            raise IndexError(
                f"expected a mask of length {n_graphs}, got {len(numbers)}"
            )
        return np.flatnonzero(numbers)
    numbers = numbers.astype(np.int64)
    out_of_range = (numbers < -n_graphs) | (numbers >= n_graphs)
    if out_of_range.any():
        raise IndexError(
            f"graph {numbers[out_of_range][0]} is out of range for {n_graphs} graphs"
        )
    return np.where(numbers < 0, numbers + n_graphs, numbers)
