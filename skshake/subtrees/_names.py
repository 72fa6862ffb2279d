"""Names of columns of features, as users read them in a table.

In: the fields of nodes and edges. Out: "x0" for the first column of an array, and
"node_charge" or "edge_order" for attributes with names of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from skshake.graphs import Field

# What arrays of features are called by `as_graphs`, and here.
ARRAYS = {"node": ("x", "x"), "edge": ("edge_attr", "edge")}


class Names(NamedTuple):
    """Names of the columns of each kind."""

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]


def _names_of_field(what: str, field: Field) -> list[str]:
    """A name for each column of a field of nodes or edges."""
    array, prefix = ARRAYS[what]
    if field.name == array:
        return [f"{prefix}{k}" for k in range(field.width)]
    if field.name.startswith(f"{array}["):
        # A column of an array of objects is a field by itself: "x[3]".
        return [f"{prefix}{field.name[len(array) + 1 : -1]}"]
    has_prefix = field.name.startswith(f"{what}_")
    name = field.name if has_prefix else f"{what}_{field.name}"
    return [name] if field.width == 1 else [f"{name}{k}" for k in range(field.width)]


def name_columns(what: str, fields: Iterable[Field]) -> Names:
    """Names of the columns of "node" or "edge" features, all different."""
    numeric: list[str] = []
    categorical: list[str] = []
    for field in fields:
        for name in _names_of_field(what, field):
            while name in numeric or name in categorical:
                name += "'"
            (categorical if field.is_categorical else numeric).append(name)
    return Names(tuple(numeric), tuple(categorical))
