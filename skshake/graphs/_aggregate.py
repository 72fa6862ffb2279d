"""Rows that mean one edge, joined as the user says: sums, means, most frequent.

In: values of rows and the group of each. Out: one value per group; what order the rows
had leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import CATEGORY, Features

OF_NUMBERS = ("sum", "mean", "min", "max")
MOST_FREQUENT, COUNT = "most_frequent", "count"
Rules: TypeAlias = Mapping[str, str]
"""How rows are joined, by the name of an attribute; "mean" where none is named."""


class Aggregates(NamedTuple):
    """How rows of one edge are joined, and which columns are counted by category."""

    rules: dict[str, str]
    counted: dict[str, list[Any] | None]


def check_aggregate(
    aggregate: Mapping[str, Any] | None, edge_attrs: Sequence[str], weight: str | None
) -> Aggregates:
    """The parameter ``aggregate``."""
    if aggregate is not None and not isinstance(aggregate, Mapping):
        raise TypeError(
            "aggregate: expected a dictionary of columns and how to join their values, "
            f"got {aggregate!r}"
        )
    found = Aggregates({}, {})
    for name, how in (aggregate or {}).items():
        if name not in edge_attrs and name != weight:
            raise InvalidGraphError(
                f"aggregate: {name!r} is none of edge_attrs {list(edge_attrs)} and not "
                f"the weight {weight!r}"
            )
        is_list = isinstance(how, Iterable) and not isinstance(how, (str, bytes))
        if is_list or how == COUNT:
            found.counted[name] = list(how) if is_list else None
        elif how in (*OF_NUMBERS, MOST_FREQUENT):
            found.rules[name] = how
        else:
            raise InvalidGraphError(
                f"aggregate: {name!r}: expected one of "
                f"{[*OF_NUMBERS, MOST_FREQUENT, COUNT]} or a list of categories, got "
                f"{how!r}"
            )
    if weight in found.counted or found.rules.get(weight or "") == MOST_FREQUENT:
        raise InvalidGraphError(
            f"aggregate: {weight!r} holds weights; expected one of {[*OF_NUMBERS]}"
        )
    return found


def combine(
    group: np.ndarray, values: np.ndarray, how: str, n_groups: int
) -> np.ndarray:
    """One row per group, 0 for a group without rows.

    Parameters
    ----------
    group : int64 array of shape (n_rows,)
    values : array of shape (n_rows, n_columns)
    how : {"sum", "mean", "min", "max"}
    n_groups : int

    Returns
    -------
    combined : float64 array of shape (n_groups, n_columns)
    """
    combined = np.zeros((n_groups, values.shape[1]))
    if how in ("min", "max"):
        extreme, start = (np.minimum, np.inf) if how == "min" else (np.maximum, -np.inf)
        is_met = np.bincount(group, minlength=n_groups) > 0
        combined[is_met] = start
        extreme.at(combined, group, values)
        return combined
    for k, column in enumerate(values.T):
        combined[:, k] = np.bincount(group, column, n_groups)
    if how == "mean":
        combined /= np.maximum(np.bincount(group, minlength=n_groups), 1)[:, None]
    return combined


def most_frequent(group: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """The category that most rows of each group have; the smallest code of equals."""
    found = np.zeros((n_groups, codes.shape[1]), CATEGORY)
    for k, column in enumerate(codes.T):
        pairs, counts = np.unique(
            np.stack([group, column.astype(np.int64)]), axis=1, return_counts=True
        )
        # Written last, and so kept, is what comes most often.
        order = np.lexsort((-pairs[1], counts))
        found[pairs[0][order], k] = pairs[1][order]
    return found


def check_rules(rules: Rules, features: Features) -> None:
    """Refuse ways to join that a column's values do not have."""
    for field in features.fields:
        how = rules.get(field.name)
        if how is not None and (how == MOST_FREQUENT) != field.is_categorical:
            kind = "categories" if field.is_categorical else "numbers"
            expected = (
                f"{MOST_FREQUENT!r} or {COUNT!r}"
                if field.is_categorical
                else ", ".join(map(repr, OF_NUMBERS))
            )
            raise InvalidGraphError(
                f"aggregate: {field.name!r} holds {kind}; expected {expected}, got "
                f"{how!r}",
                field=field.name,
            )
