"""Features of new graphs against the fields that were fitted.

In: features and the fitted fields. Out: features with those fields, or an error.
"""

from __future__ import annotations

import numpy as np

from skshake.graphs._features import Features, Field, build_features


def _kind_of(field: Field) -> str:
    if field.is_text:
        return "text"
    return "categorical" if field.is_categorical else "numeric"


def _describe(fields: tuple[Field, ...]) -> str:
    """Fields in words."""
    return (
        ", ".join(
            f"{field.width} {_kind_of(field)} column(s) of {field.name!r}"
            for field in fields
        )
        or "no features"
    )


def match_features(
    what: str, features: Features, fields: tuple[Field, ...]
) -> Features:
    """Features with the fitted fields; whole numbers stand in for floats.

    The name of a lone field does not matter. Graphs without rows have no features to
    disagree about.
    """
    if features.fields == fields:
        return features
    if not len(features):
        none = [(f.name, np.empty((0, f.width)), f.is_categorical) for f in fields]
        return build_features(none, 0, [f.name for f in fields if f.is_text])
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
        raise ValueError(
            f"the {what} features were fitted as {_describe(fields)}, but are "
            f"{_describe(features.fields)}; integer arrays are categorical unless "
            "categorical_features=False"
        )
    return build_features(
        [
            (field.name, columns[name], field.is_categorical)
            for name, field in zip(names, fields, strict=True)
        ],
        len(features),
        [field.name for field in fields if field.is_text],
    )
