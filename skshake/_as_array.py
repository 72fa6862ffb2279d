"""Plain arrays of whatever users hold values in: tensors, lists, tables, masked arrays.

In: values as they came. Out: numpy arrays that hold just these values, or an error that
does not know yet whose values they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

# Arrays that are joined before they are cast.
JOINED_AT_ONCE = 512
SCALARS = {int, float, str, bool, np.float64, np.int64}


def is_from(thing: Any, module: str, name: str) -> bool:
    """Whether an object is of a class of a module, which is not imported for it."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(thing, getattr(loaded, name, ()))


def as_array(values: Any) -> np.ndarray:
    """Numpy array of anything array-like, torch tensors included.

    Raises
    ------
    ValueError
        If values would be lost: those of a sparse array, a mask, or a ragged list.
    """
    if type(values) in SCALARS:
        return np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        mask = np.ma.flatten_mask(mask) if mask.dtype.names else mask
        n_masked = np.count_nonzero(mask)
        if n_masked:
            raise ValueError(
                f"expected values everywhere, got an array of which {n_masked} are "
                "masked; use filled(), or leave out what is masked"
            )
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if hasattr(values, "detach"):
        return _of_tensor(values)
    if isinstance(values, (list, tuple)):
        return _of_list(values)
    if sparse.issparse(values):
        raise ValueError(
            "expected a dense array, got a scipy sparse one; use toarray()"
        )
    return np.asarray(values)


def _of_tensor(tensor: Any) -> np.ndarray:
    """Array of a torch tensor; types that numpy lacks become float32."""
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        raise ValueError(
            f"expected a dense tensor, got one of layout {layout}; use to_dense()"
        )
    if getattr(tensor, "is_meta", False):
        raise ValueError(
            "expected values, got a tensor on the device 'meta', which holds none"
        )
    if getattr(tensor, "is_quantized", False):
        tensor = tensor.dequantize()
    tensor = tensor.detach().cpu()
    if tensor.is_floating_point() and tensor.element_size() < 4:
        # bfloat16 and float8 are unknown to numpy; float32 holds them exactly.
        tensor = tensor.float()
    try:
        array: np.ndarray = tensor.numpy(force=True)
    except (TypeError, RuntimeError) as error:
        raise ValueError(
            f"expected numbers, got a tensor of dtype {tensor.dtype}"
        ) from error
    return array


def _of_list(values: Sequence[Any]) -> np.ndarray:
    """Array of (nested) lists, of objects where strings and numbers are mixed."""
    if any(
        issubclass(cls, np.ma.MaskedArray) or hasattr(cls, "detach")
        for cls in set(map(type, values))
    ):
        # Numpy would drop the masks, and fails for some tensors.
        values = [as_array(value) for value in values]
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError("expected rows of one length, got a ragged list") from error
    if array.dtype.kind in "US":
        objects = np.asarray(values, object)
        # Numpy's common type of numbers and strings would turn numbers into strings.
        if not all(isinstance(value, (str, bytes)) for value in objects.flat):
            return objects
    return array


def _arrays_of(parts: list[Any]) -> list[np.ndarray]:
    """Arrays of arrays or tensors."""
    try:
        # Tensors on the CPU share their memory; this is the fastest way to join them.
        return [part.numpy() for part in parts]
    except (AttributeError, RuntimeError, TypeError):
        return [as_array(part) for part in parts]


def join_arrays(parts: list[Any], axis: int = 0) -> np.ndarray:
    """Concatenate arrays or tensors into one array."""
    return np.concatenate(_arrays_of(parts), axis)


def join_rows(parts: list[Any]) -> np.ndarray:
    """Concatenate rows; integers of 64 bits that fit into 32 come in int32."""
    arrays = _arrays_of(parts)
    if arrays[0].dtype != np.int64 or arrays[0].ndim != 2:
        return np.concatenate(arrays)
    shape = sum(map(len, arrays)), arrays[0].shape[1]
    joined, end = np.empty(shape, np.int32), 0
    # So many at once stay in the cache, where all of them would be written to memory
    # only to be read once.
    for first in range(0, len(arrays), JOINED_AT_ONCE):
        rows = np.concatenate(arrays[first : first + JOINED_AT_ONCE])
        start, end = end, end + len(rows)
        fits = rows.dtype == np.int64 and rows.shape[1:] == shape[1:]
        if fits:
            joined[start:end] = rows
            fits = bool((joined[start:end] == rows).all())
        if not fits:
            return np.concatenate(arrays)
    return joined


def is_table(values: Any) -> bool:
    """Whether columns have names: a structured array, or a pandas or polars frame."""
    if isinstance(values, np.ndarray):
        return values.dtype.names is not None
    if hasattr(type(values), "detach"):
        # A tensor that is asked for what it lacks makes an error first.
        return False
    return hasattr(values, "columns") and hasattr(values, "to_numpy")


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT, or missing in another way of pandas."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return type(value).__name__ == "NAType"
