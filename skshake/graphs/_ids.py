"""Ids of graphs and nodes as numbers from 0, without two of them becoming one.

In: columns of ids in any types. Out: the distinct ids, sorted, and the number of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np

from skshake.graphs._errors import InvalidGraphError

LARGEST_INTEGERS = (np.int64, np.uint64)


def number_ids(
    what: str, columns: Sequence[np.ndarray]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Number the ids of several columns together.

    Parameters
    ----------
    what : str
        What the ids name, for messages.
    columns : sequence of ndarray of shape (n_rows,)
        Complete columns: nothing is missing.

    Returns
    -------
    ids : ndarray of shape (n_ids,)
        Distinct ids, sorted.
    numbers : list of int64 ndarray of shape (n_rows,)
        Place of each row's id among them.

    Raises
    ------
    InvalidGraphError
        If text and numbers come together, ids cannot be sorted, or floats are so large
        that they stand for several integers.
    """
    import pandas as pd

    exact = [_as_exact(what, column) for column in columns]
    filled = [column for column in exact if len(column)] or exact[:1]
    types = set().union(*map(_types_of_ids, filled))
    if len(types) > 1:
        raise InvalidGraphError(
            f"names of {what}: expected either text or numbers, got "
            f"{' and '.join(sorted(types))}"
        )
    joined = _join(filled)
    try:
        numbers, ids = pd.factorize(joined, sort=True)
    except TypeError as error:
        raise InvalidGraphError(
            f"names of {what}: expected values that can be sorted; {error}"
        ) from error
    cuts = np.cumsum([len(column) for column in columns])[:-1]
    return np.asarray(ids), np.split(numbers.astype(np.int64), cuts)


def array_of(values: Iterable[Any]) -> np.ndarray:
    """Numpy's array of some values, but of whole numbers in a type that holds all.

    Numpy makes floats of integers of 64 bits where some are signed and some are not.
    """
    listed = list(values)
    found = np.array(listed)
    if found.dtype.kind in "fO" and all(isinstance(v, Integral) for v in listed):
        return integers([int(value) for value in listed])
    return found


def join_integers(parts: Sequence[np.ndarray], axis: int = 0) -> np.ndarray:
    """Signed and unsigned integers in one array, of which numpy would make floats.

    Numbers of no common type of 64 bits come as an array of objects.
    """
    joined = np.concatenate(parts, axis)
    if joined.dtype.kind in "iub":
        return joined
    exact = np.concatenate([part.astype(object) for part in parts], axis)
    return integers(exact.ravel().tolist()).reshape(exact.shape)


def integers(values: list[int]) -> np.ndarray:
    """Whole numbers of Python in a type that holds all of them."""
    low, high = min(values, default=0), max(values, default=0)
    for dtype in LARGEST_INTEGERS:
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return np.array(values, dtype)
    return np.array(values, object)


def _as_exact(what: str, column: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, whatever type they came in; text as text."""
    if column.dtype.kind == "f":
        return _of_floats(what, column)
    if column.dtype.kind == "T":
        return column.astype(str)
    if column.dtype.kind != "O":
        return column
    values = column.tolist()
    if all(isinstance(value, str) for value in values):
        return column.astype(str)
    if all(_is_whole(value) for value in values):
        for value in values:
            if isinstance(value, (float, np.floating)):
                _of_floats(what, np.asarray(value))
        return integers([int(value) for value in values])
    return column


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number of any type."""
    if isinstance(value, (float, np.floating, Decimal)):
        return value == value // 1
    return isinstance(value, (Integral, np.bool_))


def _of_floats(what: str, column: np.ndarray) -> np.ndarray:
    """Floats as integers if all are whole; refused where they tell none apart."""
    largest = 2.0 ** (np.finfo(column.dtype).nmant + 1)
    is_large = ~(np.abs(column) < largest)
    if is_large.any():
        raise InvalidGraphError(
            f"names of {what}: {column[is_large][0]!s} is a float ({column.dtype}) in "
            "which several integers are one; read the ids as integers or text"
        )
    is_whole = bool((column == np.floor(column)).all())
    return column.astype(np.int64) if is_whole else column


def _types_of_ids(column: np.ndarray) -> set[str]:
    """Types of ids, in words; those of two types are never equal."""
    types = {"U": "text", "S": "bytes", "M": "dates", "m": "durations"}
    if column.dtype.kind != "O":
        return {types.get(column.dtype.kind, "numbers")}
    return {
        "text"
        if isinstance(value, str)
        else "numbers"
        if isinstance(value, (Integral, float, np.floating, np.bool_, Decimal))
        else type(value).__name__
        for value in column.tolist()
    }


def _join(columns: list[np.ndarray]) -> np.ndarray:
    """Columns of one type of ids in one array that merges nothing."""
    codes = {column.dtype.kind for column in columns}
    if codes <= set("iub"):
        return join_integers(columns)
    if len(codes) == 1:
        return np.concatenate(columns)
    # Integers beside fractions and the like, which Python compares exactly.
    values = [value for column in columns for value in column.tolist()]
    return np.fromiter(values, object, len(values))
