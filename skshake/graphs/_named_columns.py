"""Columns with names: what structured arrays and tables say beside their values.

In: the values of one attribute. Out: one array per column, by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake._as_array import as_array, is_table
from skshake.graphs._errors import InvalidGraphError, Naming

# Arrays, or torch tensors: those of all graphs are joined before they are converted.
Columns = dict[str, Any]
# Arrays whose own name says nothing beside the names of their columns.
ARRAYS = ("x", "edge_attr")


def without_objects(field: str, values: Any) -> Any:
    """An object array of numbers or of rows, as parquet files give, as a plain one."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        with Naming(field):
            return as_array(values.tolist())
    return values


def named_columns(name: str, values: Any) -> Columns:
    """Columns of an array by name, those of a table (or a record's fields) each.

    Columns of "x" and "edge_attr" keep their own names, as attributes of networkx
    nodes do; those of any other array are called "array.column".
    """
    if not is_table(values):
        return {name: values}
    prefix = "" if name in ARRAYS else f"{name}."
    if isinstance(values, np.ndarray):
        with Naming(name):
            values = as_array(values)
        parts = [(field, values[field]) for field in values.dtype.names]
    else:
        labels = list(values.columns)
        if not any(isinstance(label, str) for label in labels):
            # A frame that numbers its columns is a plain array.
            return {name: values.to_numpy()}
        parts = [(str(label), values[label].to_numpy()) for label in labels]
    columns: Columns = {}
    for field, part in parts:
        nested = named_columns(f"{prefix}{field}", part)
        if columns.keys() & nested.keys():
            raise InvalidGraphError(
                f"{name}: expected columns of different names, got {field!r} twice",
                field=name,
            )
        columns |= nested
    return columns
