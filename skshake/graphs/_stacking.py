"""From records of single graphs to one array per field, with every check on the way.

In: one GraphRecord per graph. Out: ends, features and weights over all graphs. Every
error names the graph, the field, what was expected and what came.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    LARGE,
    TEXT_CODE,
    CastError,
    CategoricalRule,
    Features,
    build_features,
    code_strings,
    is_categorical,
)
from skshake.graphs._ids import array_of, join_integers
from skshake.graphs._ragged import offsets, owner_of
from skshake.graphs._readers import NO_ARCS, Columns, GraphRecord, as_array, join

# Weights between which float32 rounds without losing them.
LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e30


@contextmanager
def naming_graph(ptr: np.ndarray) -> Iterator[None]:
    """Put the graph that owns the row into the message of a CastError."""
    try:
        yield
    except CastError as error:
        i = int(owner_of(ptr)[error.row])
        raise ValueError(f"Graph {i}: {error}") from error


def _first_graph(is_bad: np.ndarray, ptr: np.ndarray) -> int:
    """Number of the graph that owns the first bad row."""
    return int(owner_of(ptr)[np.flatnonzero(is_bad)[0]])


def _shape(values: Any) -> tuple[int, ...]:
    """Shape of anything array-like, without copying arrays and tensors."""
    try:
        shape = values.shape
    except AttributeError:
        return as_array(values).shape
    return as_array(values).shape if sparse.issparse(values) else tuple(shape)


def stack_ends(records: list[GraphRecord]) -> tuple[np.ndarray, np.ndarray]:
    """Ends (2, n_rows) of the arcs of all graphs, and the number of rows of each."""
    parts = [record.edge_index for record in records]
    shapes = [_shape(part) for part in parts]
    for i, shape in enumerate(shapes):
        if 0 in shape:
            parts[i], shapes[i] = NO_ARCS, NO_ARCS.shape
        elif len(shape) != 2 or shape[0] != 2:
            hint = "; transpose it" if len(shape) == 2 and shape[1] == 2 else ""
            raise ValueError(
                f"Graph {i}: edge_index: expected shape (2, n_arcs), got {shape}{hint}"
            )
    ends = _try_join(parts, axis=1)
    if ends is None or ends.dtype.kind not in "iu":
        stranger = _find_stranger(parts, "iu")
        if stranger is not None:
            raise TypeError(
                f"Graph {stranger}: edge_index: expected integers, got dtype "
                f"{as_array(parts[stranger]).dtype}"
            )
        # Signed and unsigned integers have no common type but floats.
        ends = join([as_array(part).astype(np.int64) for part in parts], axis=1)
    return ends, np.array([shape[1] for shape in shapes], np.int64)


def _try_join(parts: list[Any], axis: int = 0) -> np.ndarray | None:
    """Parts in one array, None if their types have nothing in common."""
    try:
        return join(parts, axis)
    except TypeError:
        return None


def _find_stranger(parts: list[Any], kinds: str) -> int | None:
    """First part whose type is none of the given kinds."""
    for k, part in enumerate(parts):
        if as_array(part).dtype.kind not in kinds:
            return k
    return None


def _common_width(parts: list[Any], counts: np.ndarray) -> int | None:
    """Number of columns if all graphs have equally many, in matrices of their rows."""
    try:
        shapes = [part.shape for part in parts]
    except AttributeError:
        return None
    one_of_each_kind = {type(part): part for part in parts}.values()
    if {len(shape) for shape in shapes} != {2} or any(
        map(sparse.issparse, one_of_each_kind)
    ):
        return None
    widths = {shape[1] for shape in shapes}
    if len(widths) > 1 or [shape[0] for shape in shapes] != counts.tolist():
        return None
    return int(widths.pop())


def _pick_parts(
    field: str, values: list[Any], counts: np.ndarray
) -> tuple[list[Any], list[int], int]:
    """Matrices of the graphs that have rows, those graphs, and the number of columns.

    Flat features become one column. Raises the errors that name the graph.
    """
    parts: list[Any] = []
    owners: list[int] = []
    widths: list[int] = []
    for i, (part, n_rows) in enumerate(zip(values, counts.tolist(), strict=True)):
        if part is None and n_rows:
            other = next(j for j, part in enumerate(values) if part is not None)
            raise ValueError(
                f"Graph {i} has no {field}, but graph {other} has; all graphs must "
                "agree"
            )
        try:
            shape = () if part is None else _shape(part)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Graph {i}: {field}: {error}") from error
        if n_rows == 0 and (part is None or 0 in shape):
            continue
        if len(shape) not in (1, 2) or shape[0] != n_rows:
            raise ValueError(
                f"Graph {i}: {field}: expected shape ({n_rows}, n_features), got "
                f"{shape}"
            )
        width = shape[1] if len(shape) == 2 else 1
        if widths and width != widths[0]:
            raise ValueError(
                f"Graph {i} has {width} columns of {field}, but graph {owners[0]} has "
                f"{widths[0]}; all graphs must agree"
            )
        parts.append(as_array(part).reshape(-1, width))
        owners.append(i)
        widths.append(width)
    return parts, owners, widths[0] if widths else 0


def _refuse_strangers(field: str, parts: list[Any], owners: Sequence[int]) -> None:
    """Refuse what is neither number nor string, and both together."""
    kind = as_array(parts[0]).dtype.kind
    k = _find_stranger(parts, next((k for k in ("US", "V") if kind in k), "biuf"))
    if k is not None:
        raise TypeError(
            f"Graph {owners[k]}: {field} holds {as_array(parts[k]).dtype} values; "
            "expected numbers or strings, of one kind in all graphs (or leave the "
            "field out)"
        )


def _check_values(field: str, stacked: np.ndarray, ptr: np.ndarray) -> None:
    """Refuse NaN and infinity."""
    if stacked.dtype.kind == "f" and not np.isfinite(stacked).all():
        is_bad = ~np.isfinite(stacked)
        raise ValueError(
            f"Graph {_first_graph(is_bad.any(axis=1), ptr)}: {field} holds "
            f"{stacked[is_bad][0]}; expected finite numbers (impute or remove them)"
        )


def _code_texts(parts: list[Any]) -> list[Any]:
    """Parts with strings as codes, if some are codes already."""
    if not any(getattr(part, "dtype", None) == TEXT_CODE for part in parts):
        return parts
    is_text = [as_array(part).dtype.kind in "US" for part in parts]
    return [
        code_strings(as_array(part)).view(TEXT_CODE) if is_str else part
        for part, is_str in zip(parts, is_text, strict=True)
    ]


def _stack_field(
    field: str, columns: list[Columns], counts: np.ndarray
) -> np.ndarray | None:
    """One array of a field over all graphs; graphs without rows need not have it."""
    parts = [named.get(field) for named in columns]
    owners: Sequence[int] = range(len(parts))
    width = _common_width(parts, counts)
    if width is None:
        parts, owners, width = _pick_parts(field, parts, counts)
    if not parts:
        return None
    parts = _code_texts(parts)
    stacked = _try_join(parts)
    if stacked is None or stacked.dtype.kind not in "biuf":
        _refuse_strangers(field, parts, owners)
    assert stacked is not None
    if stacked.dtype.kind == "f" and _find_stranger(parts, "iub") is None:
        stacked = join_integers([as_array(part) for part in parts])
    stacked = stacked.reshape(-1, width)
    _check_values(field, stacked, offsets(counts))
    return stacked


def _is_object_array(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind == "O"


def _split_objects(columns: Columns) -> Columns:
    """Object arrays as one field per column, each of numbers or of strings."""
    if not any(map(_is_object_array, columns.values())):
        return columns
    split: Columns = {}
    for field, values in columns.items():
        if not _is_object_array(values) or values.ndim not in (1, 2):
            split[field] = values
            continue
        table = values if values.ndim == 2 else values[:, None]
        for k, column in enumerate(table.T):
            name = field if table.shape[1] == 1 else f"{field}[{k}]"
            is_text = {isinstance(value, (str, bytes)) for value in column}
            # Not numpy's common type, which would turn numbers into strings.
            split[name] = array_of(column.tolist()) if len(is_text) < 2 else column
    return split


def _warn_of_rounding(field: str, values: np.ndarray, ptr: np.ndarray) -> None:
    """Warn of columns whose numbers differ, but not any more when they are cast."""
    if not len(values) or values.dtype.itemsize < 8:
        return
    if values.dtype.kind in "iu":
        numbers = values.astype(np.float64)
        is_one = np.array(
            [
                np.abs(of_float).max() >= 2.0**53
                and len(np.unique(of_float)) < len(np.unique(exact))
                for of_float, exact in zip(numbers.T, values.T, strict=True)
            ],
            bool,
        )
        came = "different integers that are one in float64"
    else:
        low, high = values.min(axis=0), values.max(axis=0)
        with np.errstate(over="ignore"):
            is_one = low.astype(FLOAT) == high.astype(FLOAT)
        # Not what rounding alone left of equal numbers.
        is_one &= (high - low > 1e-11 * np.abs(high)) & (np.abs(high) < LARGE)
        came = "different numbers that are one in float32"
    if is_one.any():
        differs = (values[:, is_one] != values[:1, is_one]).any(axis=1)
        i = _first_graph(differs, ptr)
        warnings.warn(
            f"Graph {i}: {field} holds {came}; subtract what they have in common",
            UserWarning,
            stacklevel=4,
        )


def stack_features(
    columns: list[Columns], counts: np.ndarray, rule: CategoricalRule
) -> Features:
    """Features over all graphs, each field numeric or categorical by the rule."""
    columns = [_split_objects(named) for named in columns]
    stacked, texts = [], []
    for field in sorted({field for named in columns for field in named}):
        values = _stack_field(field, columns, counts)
        if values is not None:
            is_category = is_categorical(field, values.dtype, rule)
            if values.dtype == object:
                values = values.astype(np.float64)
            if values.dtype.kind in "USV":
                is_coded = values.dtype.kind == "V"
                values = values.view(CATEGORY) if is_coded else code_strings(values)
                texts.append(field)
            elif not is_category:
                _warn_of_rounding(field, values, offsets(counts))
            stacked.append((field, values, is_category))
    with naming_graph(offsets(counts)):
        return build_features(stacked, int(counts.sum()), texts)


def stack_weights(given: list[Any], arc_ptr: np.ndarray) -> np.ndarray | None:
    """Weights of all rows from those of each graph; None if every graph has none."""
    if all(part is None for part in given):
        return None
    parts = []
    for i, part in enumerate(given):
        n_rows = int(arc_ptr[i + 1] - arc_ptr[i])
        if part is None:
            parts.append(np.ones(n_rows))
            continue
        weight = as_array(part)
        if n_rows and weight.dtype.kind not in "biuf":
            raise TypeError(
                f"Graph {i}: edge weight: expected numbers, got dtype {weight.dtype}"
            )
        if weight.size != n_rows:
            raise ValueError(
                f"Graph {i}: edge weight: expected {n_rows} values, got {weight.size}"
            )
        parts.append(weight.reshape(n_rows).astype(np.float64))
    weights = np.concatenate(parts)
    is_bad = ~((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT))
    if is_bad.any():
        raise ValueError(
            f"Graph {_first_graph(is_bad, arc_ptr)}: edge weight {weights[is_bad][0]}; "
            f"expected positive numbers from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        )
    return weights
