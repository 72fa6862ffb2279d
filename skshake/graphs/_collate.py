"""From records of single graphs to one array per field, with every check on the way.

In: one GraphRecord per graph. Out: ends, features and weights over all graphs. Every
error names the graph, the field, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skshake._as_array import as_array, join_arrays, join_rows
from skshake._warnings import warn_user
from skshake.graphs._errors import InvalidGraphError, Naming
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
    loses_digits,
)
from skshake.graphs._ids import array_of, join_integers
from skshake.graphs._named_columns import Columns
from skshake.graphs._ragged import offsets, owner_of
from skshake.graphs._records import NO_ARCS, GraphRecord

# Weights between which float32 rounds without losing them.
LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e30
# Largest number of a node that can be read at all.
MOST_NUMBER = np.iinfo(np.int64).max


class Collated(NamedTuple):
    """Directed rows of all graphs, as :func:`from_arcs` takes them."""

    n_nodes: np.ndarray
    n_arcs: np.ndarray
    ends: np.ndarray
    node_features: Features
    arc_features: Features
    weights: np.ndarray | None


def collate(records: list[GraphRecord], rule: CategoricalRule) -> Collated:
    """Records of all graphs as flat arrays, with every check but that of ends."""
    n_nodes = np.array([record.n_nodes for record in records], np.int64)
    ends, n_arcs = collate_ends(records)
    nodes = [record.node_columns for record in records]
    edges = [record.edge_columns for record in records]
    return Collated(
        n_nodes,
        n_arcs,
        ends,
        collate_features(nodes, n_nodes, rule),
        collate_features(edges, n_arcs, rule),
        collate_weights([record.edge_weight for record in records], offsets(n_arcs)),
    )


@contextmanager
def naming_graph(ptr: np.ndarray) -> Iterator[None]:
    """Put the graph that owns the row into the message of a CastError."""
    try:
        yield
    except CastError as error:
        i = int(owner_of(ptr)[error.row])
        raise InvalidGraphError(str(error), i, error.field) from error


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


def _arrays(field: str, parts: list[Any], owners: Sequence[int]) -> list[np.ndarray]:
    """Arrays of the parts; the error of one that is none names its graph."""
    arrays = []
    for i, part in zip(owners, parts, strict=True):
        with Naming(field, i):
            arrays.append(as_array(part))
    return arrays


def collate_ends(records: list[GraphRecord]) -> tuple[np.ndarray, np.ndarray]:
    """Ends (2, n_rows) of the arcs of all graphs, and the number of rows of each."""
    parts = [record.edge_index for record in records]
    shapes = []
    for i, part in enumerate(parts):
        shape = getattr(part, "shape", None)
        if not isinstance(shape, tuple):
            with Naming("edge_index", i):
                shape = as_array(part).shape
        shape = tuple(shape)
        if 0 in shape:
            parts[i], shape = NO_ARCS, NO_ARCS.shape
        elif len(shape) != 2 or shape[0] != 2:
            hint = "; transpose it" if len(shape) == 2 and shape[1] == 2 else ""
            raise InvalidGraphError(
                f"edge_index: expected shape (2, n_arcs), got {shape}{hint}",
                i,
                "edge_index",
            )
        shapes.append(shape)
    ends = _try_join(parts, partial(join_arrays, axis=1))
    if ends is None or ends.dtype.kind != "i":
        # Signed and unsigned integers have no common type but floats.
        ends = np.concatenate(_signed_ends(parts), axis=1)
    return ends, np.array([shape[1] for shape in shapes], np.int64)


def _signed_ends(parts: list[Any]) -> list[np.ndarray]:
    """Parts of edge_index as int64; refuses what is no integer."""
    arrays = _arrays("edge_index", parts, range(len(parts)))
    for i, array in enumerate(arrays):
        problem = None
        if array.dtype.kind not in "iu":
            problem = f"integers, got dtype {array.dtype}"
        elif array.size and array.max() > MOST_NUMBER:
            problem = f"numbers of nodes, got {array.max()}"
        if problem is not None:
            raise InvalidGraphError(f"edge_index: expected {problem}", i, "edge_index")
    return [array.astype(np.int64) for array in arrays]


def _try_join(
    parts: list[Any], join: Callable[[list[Any]], np.ndarray]
) -> np.ndarray | None:
    """Parts in one array, None if that cannot be: each has to be looked at."""
    try:
        return join(parts)
    except (TypeError, ValueError):
        return None


def _common_width(parts: list[Any], counts: np.ndarray) -> int | None:
    """Number of columns if all graphs have equally many, in matrices of their rows."""
    try:
        shapes = [part.shape for part in parts]
    except (AttributeError, RuntimeError):
        return None
    one_of_each_type = {type(part): part for part in parts}.values()
    if {len(shape) for shape in shapes} != {2} or any(
        map(sparse.issparse, one_of_each_type)
    ):
        return None
    widths = {shape[1] for shape in shapes}
    if len(widths) > 1 or 0 in widths:
        return None
    if [shape[0] for shape in shapes] != counts.tolist():
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
    shapes: list[tuple[int, ...] | None] = []
    for i, part in enumerate(values):
        with Naming(field, i):
            shapes.append(None if part is None else _shape(part))
    for i, n_rows in enumerate(counts.tolist()):
        # Features of zero width, or of no rows, say nothing.
        if shapes[i] == (n_rows, 0) or (n_rows == 0 and 0 in (shapes[i] or ())):
            shapes[i] = None
    if all(shape is None for shape in shapes):
        return [], [], 0
    for i, (shape, n_rows) in enumerate(zip(shapes, counts.tolist(), strict=True)):
        part = values[i]
        if shape is None and n_rows:
            other = next(j for j, shape in enumerate(shapes) if shape is not None)
            raise InvalidGraphError(
                f"has no {field}, but graph {other} has; all graphs must agree",
                i,
                field,
            )
        if shape is None:
            continue
        if len(shape) not in (1, 2) or shape[0] != n_rows:
            raise InvalidGraphError(
                f"{field}: expected shape ({n_rows}, n_features), got {shape}", i, field
            )
        width = shape[1] if len(shape) == 2 else 1
        if widths and width != widths[0]:
            raise InvalidGraphError(
                f"has {width} columns of {field}, but graph {owners[0]} has "
                f"{widths[0]}; all graphs must agree",
                i,
                field,
            )
        with Naming(field, i):
            parts.append(as_array(part).reshape(-1, width))
        owners.append(i)
        widths.append(width)
    return parts, owners, widths[0] if widths else 0


def _content_of(array: np.ndarray) -> str:
    """Whether an array holds numbers, strings, or something else."""
    if array.dtype.kind in "US" or array.dtype == TEXT_CODE:
        return "strings"
    return "numbers" if array.dtype.kind in "biuf" else "something else"


def _refuse_strangers(
    field: str, arrays: list[np.ndarray], owners: Sequence[int]
) -> None:
    """Refuse what is neither number nor string, and both together."""
    contents = [_content_of(array) for array in arrays]
    for i, content, array in zip(owners, contents, arrays, strict=True):
        came = f"{field} holds {array.dtype} values"
        if array.dtype == object:
            types = sorted({type(value).__name__ for value in array.flat})
            came = f"{field} holds objects ({', '.join(types)})"
        if content == "something else":
            raise InvalidGraphError(
                f"{came}; expected numbers or strings (or leave the field out)",
                i,
                field,
            )
        if content != contents[0]:
            raise InvalidGraphError(
                f"{came}, which are {content}, but graph {owners[0]} has "
                f"{contents[0]}; expected one kind in all graphs (or leave the field "
                "out)",
                i,
                field,
            )


def _check_values(field: str, collated: np.ndarray, ptr: np.ndarray) -> None:
    """Refuse NaN and infinity."""
    if collated.dtype.kind == "f" and not np.isfinite(collated).all():
        is_bad = ~np.isfinite(collated)
        raise InvalidGraphError(
            f"{field} holds {collated[is_bad][0]}; expected finite numbers (impute or "
            "remove them)",
            _first_graph(is_bad.any(axis=1), ptr),
            field,
        )


def _code_texts(field: str, parts: list[Any], owners: Sequence[int]) -> list[Any]:
    """Parts with strings as codes, if some are codes already."""
    if not any(issubclass(cls, np.ndarray) for cls in set(map(type, parts))):
        return parts
    if not any(getattr(part, "dtype", None) == TEXT_CODE for part in parts):
        return parts
    return [
        code_strings(array).view(TEXT_CODE) if array.dtype.kind in "US" else part
        for part, array in zip(parts, _arrays(field, parts, owners), strict=True)
    ]


def _collate_field(
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
    parts = _code_texts(field, parts, owners)
    collated = _try_join(parts, join_rows)
    if collated is None or collated.dtype.kind not in "biuf":
        arrays = _arrays(field, parts, owners)
        _refuse_strangers(field, arrays, owners)
        collated = np.concatenate(arrays) if collated is None else collated
    if collated.dtype == np.float64:
        collated = _as_integers(parts, collated)
    collated = collated.reshape(-1, width)
    _check_values(field, collated, offsets(counts))
    return collated


def _as_integers(parts: list[Any], joined: np.ndarray) -> np.ndarray:
    """The parts as they came if all are integers, which numpy would make floats.

    It does so where signed and unsigned ones of 64 bits meet.
    """
    if "float" in str(getattr(parts[0], "dtype", "float")):
        return joined
    types = {str(dtype) for dtype in {getattr(part, "dtype", None) for part in parts}}
    if {"uint64"} < types:
        arrays = [as_array(part) for part in parts]
        if {array.dtype.kind for array in arrays} <= set("iub"):
            return join_integers(arrays)
    return joined


def _is_plain(values: Any) -> bool:
    """Whether all columns are of one type, numbers or strings."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind != "O"
    return hasattr(values, "detach") or values is None


def _are_plain(columns: list[Columns]) -> bool:
    """Whether that holds for all graphs, in one look at their types if it can."""
    values = [array for named in columns for array in named.values()]
    if all(hasattr(cls, "detach") for cls in set(map(type, values))):
        return True
    return all(map(_is_plain, values))


def _split_objects(columns: Columns, i: int) -> Columns:
    """Object arrays as one field per column, each of numbers or of strings."""
    split: Columns = {}
    for field, values in columns.items():
        if not _is_plain(values) and not sparse.issparse(values):
            with Naming(field, i):
                values = as_array(values)
        if _is_plain(values) or sparse.issparse(values) or values.ndim not in (1, 2):
            split[field] = values
            continue
        table = values if values.ndim == 2 else values[:, None]
        for k, column in enumerate(table.T):
            name = field if table.shape[1] == 1 else f"{field}[{k}]"
            is_text = {isinstance(value, (str, bytes)) for value in column}
            # Not numpy's common type, which would turn numbers into strings.
            with Naming(name, i):
                split[name] = array_of(column.tolist()) if len(is_text) < 2 else column
    return split


def _warn_of_rounding(field: str, values: np.ndarray, ptr: np.ndarray) -> None:
    """Warn of columns of which many numbers are one when they are cast."""
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
        small = np.where(np.abs(values) < LARGE, values, 0.0)
        is_one = loses_digits(small, small.astype(FLOAT))
        came = "different numbers that are one in float32"
    if is_one.any():
        differs = (values[:, is_one] != values[:1, is_one]).any(axis=1)
        i = _first_graph(differs, ptr)
        warn_user(f"Graph {i}: {field} holds {came}; subtract what they have in common")


def collate_features(
    columns: list[Columns], counts: np.ndarray, rule: CategoricalRule
) -> Features:
    """Features over all graphs, each field numeric or categorical by the rule."""
    if not _are_plain(columns):
        columns = [_split_objects(named, i) for i, named in enumerate(columns)]
    columns_of_fields, texts = [], []
    for field in sorted({field for named in columns for field in named}):
        values = _collate_field(field, columns, counts)
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
            columns_of_fields.append((field, values, is_category))
    with naming_graph(offsets(counts)):
        return build_features(columns_of_fields, int(counts.sum()), texts)


def collate_weights(given: list[Any], arc_ptr: np.ndarray) -> np.ndarray | None:
    """Weights of all rows from those of each graph; None if every graph has none."""
    if all(part is None for part in given):
        return None
    parts = []
    for i, part in enumerate(given):
        n_rows = int(arc_ptr[i + 1] - arc_ptr[i])
        if part is None:
            parts.append(np.ones(n_rows))
            continue
        with Naming("edge_weight", i, "edge weight"):
            weight = as_array(part)
        if n_rows and weight.dtype.kind not in "biuf":
            raise InvalidGraphError(
                f"edge weight: expected numbers, got dtype {weight.dtype}",
                i,
                "edge_weight",
            )
        if weight.size != n_rows or (n_rows and max(weight.shape, default=1) != n_rows):
            shape = weight.shape if weight.ndim > 1 else weight.size
            raise InvalidGraphError(
                f"edge weight: expected {n_rows} values, got {shape}",
                i,
                "edge_weight",
            )
        parts.append(weight.reshape(n_rows).astype(np.float64))
    weights = np.concatenate(parts)
    is_bad = ~((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT))
    if is_bad.any():
        raise InvalidGraphError(
            f"edge weight {weights[is_bad][0]}; expected positive numbers from "
            f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}",
            _first_graph(is_bad, arc_ptr),
            "edge_weight",
        )
    return weights
