"""Features of new graphs against the fields that were fitted.

In: features and the fitted fields. Out: features with those fields, or an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skshake.graphs._directions import add_empty_sums
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import Features, Field, build_features

# Fields that a message lists one by one.
MOST_LISTED = 5
HINT = "; integer arrays are categorical unless categorical_features=False"


def _type_of(field: Field) -> str:
    if field.is_text:
        return "text"
    return "categorical" if field.is_categorical else "numeric"


def _describe(fields: Sequence[Field], n_same: int) -> str:
    """Fields in words; ``n_same`` others agree and are not among them."""
    if not fields:
        return f"{n_same} other field(s)" if n_same else "no features"
    listed = [
        f"{field.width} {_type_of(field)} column(s) of {field.name!r}"
        for field in fields[:MOST_LISTED]
    ]
    if len(fields) > MOST_LISTED:
        listed.append(f"{len(fields) - MOST_LISTED} more")
    return ", ".join(listed)


class Difference(NamedTuple):
    """How fields differ from those that are expected: only what does."""

    came: str
    expected: str
    hints: str
    field: str


def difference(came: Sequence[Field], expected: Sequence[Field]) -> Difference:
    """What differs between two sets of fields, in words."""
    known, found = ({f.name: f for f in fields} for fields in (expected, came))
    same = {name for name in known if found.get(name) == known[name]}
    others = [f for f in came if f.name not in same]
    wanted = [f for f in expected if f.name not in same]
    hints = ""
    for what, names in (
        ("missing", [f.name for f in wanted if f.name not in found]),
        ("not known", [f.name for f in others if f.name not in known]),
    ):
        # Beside fields that agree, or each other, a name may be a slip.
        if names and (same or (wanted and others)):
            more = f" and {len(names) - MOST_LISTED} more"
            listed = ", ".join(map(repr, names[:MOST_LISTED]))
            hints += f"; {what}: {listed}{more if len(names) > MOST_LISTED else ''}"
    if {_type_of(f) for f in wanted} != {_type_of(f) for f in others}:
        hints += HINT
    return Difference(
        _describe(others, len(same)),
        _describe(wanted, len(same)),
        hints,
        (wanted or others)[0].name if wanted or others else "",
    )


def match_features(
    what: str, features: Features, fields: tuple[Field, ...]
) -> Features:
    """Features with the fitted fields; whole numbers stand in for floats.

    The name of a lone field does not matter. Graphs without rows have no features to
    disagree about.

    Raises
    ------
    InvalidGraphError
        If fields differ; the message names those that do, but no graph, since all
        graphs of a collection have the same.
    """
    if features.fields == fields:
        return features
    if not len(features):
        none = [(f.name, np.empty((0, f.width)), f.is_categorical) for f in fields]
        return build_features(none, 0, [f.name for f in fields if f.is_text])
    if what == "node":
        features = add_empty_sums(features, fields)
    columns, found = features.columns(), {f.name: f for f in features.fields}
    is_lone = len(fields) == len(columns) == 1
    names = list(columns) if is_lone else [field.name for field in fields]
    fits = set(names) == set(columns) and all(
        found[name].width == field.width
        and found[name].is_text == field.is_text
        and (found[name].is_categorical or not field.is_categorical)
        for name, field in zip(names, fields, strict=True)
    )
    if not fits:
        # Whole numbers that stand in for floats are no difference.
        fitted = {field.name: field for field in fields}
        came = [
            field._replace(is_categorical=False)
            if field.is_categorical
            and not field.is_text
            and field.name in fitted
            and not fitted[field.name].is_categorical
            else field
            for field in features.fields
        ]
        found_to_differ = difference(came, fields)
        raise InvalidGraphError(
            f"the {what} features were fitted as {found_to_differ.expected}, but are "
            f"{found_to_differ.came}{found_to_differ.hints}",
            field=found_to_differ.field,
        )
    return build_features(
        [
            (field.name, columns[name], field.is_categorical)
            for name, field in zip(names, fields, strict=True)
        ],
        len(features),
        [field.name for field in fields if field.is_text],
    )
