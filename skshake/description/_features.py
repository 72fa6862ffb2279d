"""Features as they are: kinds, ranges, and what is odd about a column.

In: features of nodes or edges. Out: facts, and what a user should look at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skshake._cards import Fact, count, format_number, format_range
from skshake.graphs import Features, Field
from skshake.hierarchy import describe_doubts, doubt_categories, learn_vocabulary

# Columns of a field that get a line each; others are summed up.
N_SHOWN = 6
# Numbers that are rather categories: whole, and at most so many different ones among
# so many rows.
FEW_NUMBERS, MANY_ROWS = 12, 100
# Times that the heaviest edge weighs the lightest.
WIDE = 1000.0
# A fraction that rounds to all.
ALMOST_ALL = 0.995


def _name_column(field: Field, k: int) -> str:
    return f"{field.name}[:, {k}]" if field.width > 1 else field.name


def feature_facts(what: str, features: Features) -> Iterator[Fact]:
    """One fact per column, for wide fields of the first ones and of all together."""
    if not features.fields:
        instead = "; degrees take their place" if what == "node" else ""
        yield Fact("features", f"none{instead}")
    for field, columns in zip(
        features.fields, features.columns().values(), strict=True
    ):
        for k in range(min(field.width, N_SHOWN)):
            value = _describe_column(field, columns[:, k])
            yield Fact(_name_column(field, k), value)
        if field.width > N_SHOWN:
            yield Fact("...", f"{field.name} has {field.width} columns in all")


def _describe_column(field: Field, values: np.ndarray) -> str:
    """Kind and range of a column."""
    if not len(values):
        return "no rows"
    if not field.is_categorical:
        return f"numeric, {format_range(values)}"
    codes, n_rows = np.unique(values, return_counts=True)
    kind = "text" if field.is_text else "categorical"
    if len(codes) == 1:
        return f"{kind}, constant"
    which = "the most frequent" if field.is_text else str(codes[n_rows.argmax()])
    largest = n_rows.max() / len(values)
    part = f"{largest:.0%}" if largest < ALMOST_ALL else "nearly all"
    return f"{kind}, {len(codes):,} values, {which} in {part} of the rows"


def feature_notices(nodes: Features, edges: Features) -> Iterator[str]:
    """What is odd: constant columns, numbers as categories, categories as numbers."""
    for what, features in (("node", nodes), ("edge", edges)):
        yield from _constant_notices(what, features)
    fields = [*nodes.fields, *edges.fields]
    doubts = [
        doubt
        for features in (nodes, edges)
        for doubt in doubt_categories(
            features.fields,
            learn_vocabulary(features.categories),
            features.categories,
            is_guessed=True,
        )
    ]
    yield from describe_doubts(doubts, fields)
    for what, features in (("node", nodes), ("edge", edges)):
        yield from _whole_notices(what, features)


def _constant_notices(what: str, features: Features) -> Iterator[str]:
    if len(features) < 2:
        return
    constant = [
        _name_column(field, k)
        for field, columns in zip(
            features.fields, features.columns().values(), strict=True
        )
        for k in np.flatnonzero((columns == columns[0]).all(axis=0)).tolist()
    ]
    if constant:
        shown = ", ".join(constant[:N_SHOWN])
        more = f" and {len(constant) - N_SHOWN} more" if len(constant) > N_SHOWN else ""
        yield (
            f"{count(len(constant), 'column')} of {what} features "
            f"{'is' if len(constant) == 1 else 'are'} constant and can be left out: "
            f"{shown}{more}"
        )


def _whole_notices(what: str, features: Features) -> Iterator[str]:
    """Columns of floats that are a few whole numbers, not just 0 and 1."""
    found = []
    for field, columns in zip(
        features.fields, features.columns().values(), strict=True
    ):
        # "channel=card" counts a category already.
        if field.is_categorical or len(columns) < MANY_ROWS or "=" in field.name:
            continue
        for k in range(field.width):
            column = columns[:, k]
            # Most columns are told apart by their first rows.
            if (column[:MANY_ROWS] % 1).any() or (column % 1).any():
                continue
            n_values = len(np.unique(column))
            if 2 < n_values <= FEW_NUMBERS:
                found.append((_name_column(field, k), n_values))
    if found:
        shown = ", ".join(f"{name} ({n} values)" for name, n in found[:N_SHOWN])
        more = f" and {len(found) - N_SHOWN} more" if len(found) > N_SHOWN else ""
        yield (
            f"{what} features hold floats that are a few whole numbers: {shown}{more}; "
            "if they are categories, give them as integers"
        )


def weight_facts(weights: np.ndarray | None) -> Iterator[Fact]:
    """Edge weights, where there are any."""
    if weights is not None and len(weights):
        yield Fact("weights", format_range(weights))
        ratio = _ratio(weights)
        if ratio >= WIDE:
            yield Fact("", f"the largest is {format_number(ratio)} times the smallest")


def weight_notices(weights: np.ndarray | None) -> Iterator[str]:
    """What becomes of weights that lie far apart, as amounts of money do."""
    ratio = _ratio(weights)
    if ratio >= WIDE:
        yield (
            f"the heaviest edge weighs {format_number(ratio)} times as much "
            "as the lightest, and heavy edges are merged first; where weights are "
            "amounts, give them as features of edges instead, or logarithms as weights"
        )


def _ratio(weights: np.ndarray | None) -> float:
    """The largest weight by the smallest; 1 where there are none."""
    if weights is None or not len(weights):
        return 1.0
    return float(weights.max() / weights.min())
