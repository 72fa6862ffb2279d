"""One column of a table as a list: how scikit-learn hands graphs over as columns.

In: what a user gives as X. Out: a list of its items, or what came, unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from skshake.graphs._errors import InvalidGraphError


def items_of_column(X: Any, what: str) -> Any:
    """Items of a table of one column; anything that is no table comes back.

    A table is a data frame (of pandas or polars), a column of one, a dictionary of
    columns, or an array of objects in two dimensions.

    Raises
    ------
    InvalidGraphError
        If a table has no column or several.
    """
    if isinstance(X, Mapping):
        if "edge_index" in X:
            return X
        column = _only(X, f"a dictionary with the keys {[*X]}", what)
        is_column = isinstance(column, Iterable) or hasattr(column, "__getitem__")
        if isinstance(column, (str, bytes)) or not is_column:
            raise InvalidGraphError(
                f"expected a list of {what}, or one column of them, got a dictionary "
                f"in which {next(iter(X))!r} is of type {type(column).__name__}"
            )
        return _items(column)
    if hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "__getitem__"):
        # Columns of pyarrow are data, not names.
        columns = list(getattr(X, "column_names", None) or X.columns)
        came = f"a {type(X).__name__} with the columns {columns}"
        if len(set(columns)) < len(columns):
            raise InvalidGraphError(
                f"expected a list of {what}, or one column of them, got {came}"
            )
        return _items(_only({name: X[name] for name in columns}, came, what))
    if hasattr(X, "iloc"):
        return _items(X)
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim != 1:
        if X.ndim != 2 or X.shape[1] != 1:
            raise InvalidGraphError(
                f"expected a list of {what}, or one column of them, got an array of "
                f"objects of shape {X.shape}"
            )
        return list(X[:, 0])
    return X


def _only(columns: Mapping, came: str, what: str) -> Any:
    """The column of a table that has but one."""
    if len(columns) != 1:
        hint = (
            "; graphs_from_edgelist reads tables of edges" if what == "graphs" else ""
        )
        raise InvalidGraphError(
            f"expected a list of {what}, or one column of them, got {came}{hint}"
        )
    return next(iter(columns.values()))


def _items(column: Any) -> Any:
    """List of a column's items."""
    if hasattr(column, "iloc"):
        # Not iteration, which is by label in some subclasses.
        return list(column.array)
    for method in ("to_list", "to_pylist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return column
