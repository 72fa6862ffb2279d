"""Node or edge features of many graphs: numeric and categorical columns side by side.

In: arrays as users have them. Out: one float32 and one int32 array, either of which
may have no columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

FLOAT = np.float32
# From here on, numbers that float32 would round are kept in float64, element by
# element: what is kept of a graph must not depend on its companions.
LARGE = 2.0**16
# Rows by which lost digits are judged.
SAMPLED_ROWS = 10_000
CATEGORY = np.int32


def copy_read_only(record: Any, *names: str) -> None:
    """Replace read-only arrays of a frozen record, such as memory maps, by copies.

    For read-only arrays numba compiles every kernel once more, which takes far longer
    than copying what a kernel is about to read.
    """
    for name in names:
        array = getattr(record, name)
        if array is not None and not array.flags.writeable:
            object.__setattr__(record, name, array.copy())


class Field(NamedTuple):
    """An attribute of nodes or edges, with its number of columns.

    ``is_text`` says that its categories are codes of strings.
    """

    name: str
    is_categorical: bool
    width: int
    is_text: bool = False


class CastError(ValueError):
    """A value that is no category, or no number, as it should be.

    ``row`` says where it stands, ``field`` in what.
    """

    def __init__(self, message: str, row: int, field: str | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.field = field


@dataclass(frozen=True, eq=False)
class Features:
    """Numeric and categorical columns with one row per node (or edge).

    Parameters
    ----------
    numeric : ndarray of shape (n_rows, n_numeric), float32
        float64 if there are large numbers that float32 cannot hold, until they are
        centred.
    categories : ndarray of shape (n_rows, n_categorical), int32
        Codes as the user gave them; an encoder learnt in ``fit`` turns them into slots.
    fields : tuple of Field
        Attributes in their order; each takes the next numeric or categorical columns.
    """

    numeric: np.ndarray
    categories: np.ndarray
    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        copy_read_only(self, "numeric", "categories")
        if len(self.numeric) != len(self.categories):
            raise ValueError(
                f"expected as many numeric as categorical rows, got "
                f"{len(self.numeric)} and {len(self.categories)}"
            )
        widths = [0, 0]
        for field in self.fields:
            widths[field.is_categorical] += field.width
        if tuple(widths) != self.widths:
            raise ValueError(f"expected columns for {self.fields}, got {self.widths}")

    def __len__(self) -> int:
        return len(self.numeric)

    @property
    def n_columns(self) -> int:
        """Number of columns of both kinds."""
        return self.numeric.shape[1] + self.categories.shape[1]

    @property
    def widths(self) -> tuple[int, int]:
        """Numbers of numeric and of categorical columns."""
        return self.numeric.shape[1], self.categories.shape[1]

    def take(self, rows: np.ndarray | slice) -> Features:
        """Features of some rows."""
        return Features(self.numeric[rows], self.categories[rows], self.fields)

    def columns(self) -> dict[str, np.ndarray]:
        """Columns of each field by its name, in order."""
        columns, used = {}, [0, 0]
        for name, is_categorical, width, _ in self.fields:
            source = self.categories if is_categorical else self.numeric
            start = used[is_categorical]
            columns[name] = source[:, start : start + width]
            used[is_categorical] += width
        return columns

    def as_array(self) -> np.ndarray | None:
        """All columns in order, as one array; None without columns."""
        columns = list(self.columns().values())
        if len(columns) < 2:
            return columns[0] if columns else None
        return np.hstack(columns)


def build_features(
    columns: Iterable[tuple[str, np.ndarray, bool]],
    n_rows: int,
    texts: Collection[str] = (),
) -> Features:
    """Features of named columns, each with whether it is categorical.

    ``texts`` names those that are codes of strings.

    Raises
    ------
    CastError
        If a category is no integer of 32 bits, or a number beyond float32.
    """
    numeric, categories, fields = [], [], []
    for name, values, is_category in columns:
        try:
            if is_category:
                categories.append(as_categories(values))
            else:
                numeric.append(as_numeric(values))
        except CastError as error:
            raise CastError(f"{name}: {error}", error.row, name) from error
        fields.append(Field(name, is_category, values.shape[1], name in texts))
    return Features(
        side_by_side(numeric, n_rows, np.result_type(FLOAT, *numeric)),
        side_by_side(categories, n_rows, CATEGORY),
        tuple(fields),
    )


def side_by_side(parts: list[np.ndarray], n_rows: int, dtype: Any) -> np.ndarray:
    """Columns of several arrays as one contiguous array."""
    if len(parts) == 1:
        return np.ascontiguousarray(parts[0], dtype)
    return np.hstack([np.empty((n_rows, 0), dtype), *parts])


def empty_features(n_rows: int) -> Features:
    """Features without columns."""
    return Features(np.empty((n_rows, 0), FLOAT), np.empty((n_rows, 0), CATEGORY), ())


def concatenate_features(parts: Sequence[Features]) -> Features:
    """Stack features of the same fields."""
    return Features(
        np.concatenate([part.numeric for part in parts]),
        np.concatenate([part.categories for part in parts]),
        parts[0].fields,
    )


CategoricalRule = str | bool | Iterable[str]
# Codes of strings while graphs are read, so that they are not taken for numbers.
TEXT_CODE = np.dtype([("code of a string", CATEGORY)])


def check_rule(rule: CategoricalRule) -> CategoricalRule:
    """The rule for ``categorical_features``, lists as tuples; refuses what is none."""
    if isinstance(rule, (bool, np.bool_)):
        return bool(rule)
    if isinstance(rule, str) and rule == "from_dtype":
        return rule
    names = None
    if not isinstance(rule, str) and isinstance(rule, Iterable):
        names = tuple(rule)
    if names is None or not all(isinstance(name, str) for name in names):
        raise ValueError(
            "categorical_features: expected 'from_dtype', True, False or a list of "
            f"attributes, got {rule!r}"
        )
    return names


def check_names(rule: CategoricalRule, *parts: Features) -> None:
    """Refuse names in a rule that no attribute has, where all may be seen."""
    if isinstance(rule, (str, bool)) or not all(len(part) for part in parts):
        return
    known = {field.name for part in parts for field in part.fields}
    known |= {name.partition("[")[0] for name in known}
    for name in rule:
        if name not in known:
            raise ValueError(
                f"categorical_features: no attribute is called {name!r}; the graphs "
                f"have {sorted(known)}"
            )


def is_categorical(field: str, dtype: np.dtype, rule: CategoricalRule) -> bool:
    """Whether columns are categories under the user's rule; strings always are."""
    if dtype.kind in "US" or dtype == TEXT_CODE:
        return True
    if isinstance(rule, str):
        # Objects are integers that no type of 64 bits holds all of.
        return dtype.kind in "iubO"
    if isinstance(rule, Iterable):
        # A column of an array of objects goes by the name of the array too.
        return field in rule or field.partition("[")[0] in rule
    return bool(rule)


def code_strings(values: np.ndarray) -> np.ndarray:
    """Strings as 32-bit codes that depend on each string alone.

    So graphs that are read later, without their companions, get the same codes.

    Raises
    ------
    ValueError
        If two strings share a code (one pair in four thousand million).
    """
    texts, index = np.unique(values, return_inverse=True)
    if values.dtype.kind == "S":
        texts = np.char.decode(texts, "latin-1")
    codes = np.array([crc32(text.encode("utf-8", "surrogatepass")) for text in texts])
    codes = codes.astype(np.uint32).view(CATEGORY)
    if len(np.unique(codes)) < len(texts):
        order = np.argsort(codes, kind="stable")
        k = int(np.flatnonzero(np.diff(codes[order]) == 0)[0])
        pair = texts[order[k : k + 2]].tolist()
        raise ValueError(f"the strings {pair} have the same code; rename one of them")
    return codes[index].reshape(values.shape)


def as_numeric(values: np.ndarray) -> np.ndarray:
    """Cast columns to float32; a value beyond its range is an error.

    If float32 would round large numbers, these are kept and the columns are float64.
    """
    with np.errstate(over="ignore"):
        numeric = values.astype(FLOAT, copy=False)
    if values.dtype != FLOAT and not np.isfinite(numeric).all():
        row, column = np.argwhere(~np.isfinite(numeric))[0]
        raise CastError(
            f"{values[row, column]} exceeds the range of float32; rescale the feature",
            int(row),
        )
    if values.dtype == FLOAT or not numeric.size:
        return numeric
    if numeric.min() > -LARGE and numeric.max() < LARGE:
        return numeric
    exact = values.astype(np.float64, copy=False)
    is_rounded = (np.abs(numeric) >= LARGE) & (numeric != exact)
    return np.where(is_rounded, exact, numeric) if is_rounded.any() else numeric


def as_categories(values: np.ndarray) -> np.ndarray:
    """Cast columns to int32 codes; fractions and codes beyond int32 are errors."""
    with np.errstate(invalid="ignore"):
        codes = values.astype(CATEGORY, copy=False)
    if codes is not values and not (codes == values).all():
        row, column = np.argwhere(codes != values)[0]
        raise CastError(
            "a category must be an integer that fits into 32 bits, got "
            f"{values[row, column]}",
            int(row),
        )
    return codes


def loses_digits(exact: np.ndarray, cast: np.ndarray) -> np.ndarray:
    """Whether half of the different numbers of each column became others' equals.

    Parameters
    ----------
    exact : float64 array of shape (n_rows, n_columns)
    cast : float32 array of the same shape

    Returns
    -------
    is_lost : bool array of shape (n_columns,)
        By a sample of rows. What rounding alone made differ in float64 counts as equal.
    """
    rows = np.linspace(0, len(exact), min(len(exact), SAMPLED_ROWS), endpoint=False)
    is_lost = np.zeros(exact.shape[1], bool)
    for c in range(exact.shape[1]):
        before = np.unique(exact[rows.astype(np.int64), c])
        n_before = 1 + int((np.diff(before) > 1e-11 * np.abs(before[1:])).sum())
        n_after = len(np.unique(cast[rows.astype(np.int64), c]))
        is_lost[c] = n_after <= n_before / 2
    return is_lost
