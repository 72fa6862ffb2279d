"""Node or edge features of many graphs: numeric and categorical columns side by side.

In: arrays as users have them. Out: one float32 and one int32 array, either of which
may have no columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FLOAT = np.float32
CATEGORY = np.int32


@dataclass(frozen=True, eq=False)
class Features:
    """Numeric and categorical columns with one row per node (or edge).

    Parameters
    ----------
    numeric : ndarray of shape (n_rows, n_numeric), float32
    categories : ndarray of shape (n_rows, n_categorical), int32
        Codes as the user gave them; an encoder learnt in ``fit`` turns them into slots.
    """

    numeric: np.ndarray
    categories: np.ndarray

    def __post_init__(self) -> None:
        if len(self.numeric) != len(self.categories):
            raise ValueError(
                f"expected as many numeric as categorical rows, got "
                f"{len(self.numeric)} and {len(self.categories)}"
            )

    def __len__(self) -> int:
        return len(self.numeric)

    @property
    def n_columns(self) -> int:
        """Number of columns of both kinds."""
        return self.numeric.shape[1] + self.categories.shape[1]

    @property
    def kind(self) -> tuple[int, int]:
        """Numbers of numeric and of categorical columns."""
        return self.numeric.shape[1], self.categories.shape[1]

    def take(self, rows: np.ndarray | slice) -> Features:
        """Features of some rows."""
        return Features(self.numeric[rows], self.categories[rows])

    def as_array(self) -> np.ndarray | None:
        """One kind as it is; both as float32, codes first; None without columns."""
        if not self.n_columns:
            return None
        if not self.categories.shape[1]:
            return self.numeric
        if not self.numeric.shape[1]:
            return self.categories
        return np.hstack([self.categories.astype(FLOAT), self.numeric])


def side_by_side(parts: list[np.ndarray], n_rows: int, dtype: type) -> np.ndarray:
    """Columns of several arrays as one contiguous array."""
    if len(parts) == 1:
        return np.ascontiguousarray(parts[0], dtype)
    return np.hstack([np.empty((n_rows, 0), dtype), *parts])


def empty_features(n_rows: int) -> Features:
    """Features without columns."""
    return Features(np.empty((n_rows, 0), FLOAT), np.empty((n_rows, 0), CATEGORY))


def concatenate_features(parts: Sequence[Features]) -> Features:
    """Stack features of the same kind."""
    return Features(
        np.concatenate([part.numeric for part in parts]),
        np.concatenate([part.categories for part in parts]),
    )


def is_categorical(dtype: np.dtype, categorical_features: str | bool) -> bool:
    """Whether columns of this dtype are categories under the user's rule."""
    if categorical_features == "from_dtype":
        return dtype.kind in "iub"
    return bool(categorical_features)


def as_numeric(values: np.ndarray) -> np.ndarray:
    """Cast columns to float32; a value beyond its range is an error."""
    with np.errstate(over="ignore"):
        numeric = values.astype(FLOAT, copy=False)
    if values.dtype != FLOAT and not np.isfinite(numeric).all():
        raise ValueError("a value exceeds the range of float32; rescale the feature")
    return numeric


def as_categories(values: np.ndarray) -> np.ndarray:
    """Cast columns to int32 codes; fractions and codes beyond int32 are errors."""
    with np.errstate(invalid="ignore"):
        codes = values.astype(CATEGORY, copy=False)
    if codes is not values and not (codes == values).all():
        raise ValueError(
            f"a category must be an integer that fits into 32 bits, got "
            f"{values[codes != values][0]}"
        )
    return codes
