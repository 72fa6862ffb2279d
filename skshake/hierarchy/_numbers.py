"""Numeric columns, on a scale on which they can be pooled and learnt.

In: numbers as users gave them, of training graphs. Out: the scale of a column's
logarithm and its centre, and the same columns with both applied, in float32.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from skshake.graphs import FLOAT, Features, GraphCollection, loses_digits
from skshake.hierarchy._coarsening import Pooling

# A column has a heavy tail if its largest number is so many times the median (of
# absolute numbers without zeros): standardised, most of its numbers would be as good as
# equal. It is 5 times the median in normal distributions, in exponential ones 20 times.
HEAVY_TAIL = 200.0
# Absolute numbers above this quantile are spaced by their logarithm, those below it,
# down to zero, as they are.
SMALL = 0.05

LogRule = str | bool | Iterable[str]


def _owners(features: Features) -> list[str]:
    """Name of the field of each numeric column."""
    numbers = [field for field in features.fields if not field.is_categorical]
    return [field.name for field in numbers for _ in range(field.width)]


def check_log_rule(rule: LogRule, *parts: Features) -> LogRule:
    """The rule for ``log_features``, lists as tuples; refuses what is none.

    Raises
    ------
    ValueError
        If a name belongs to no attribute that holds numbers.
    """
    if isinstance(rule, (bool, np.bool_)):
        return bool(rule)
    if isinstance(rule, str) and rule == "auto":
        return rule
    names = () if isinstance(rule, str) else tuple(rule)
    known = sorted({name for part in parts for name in _owners(part)})
    if isinstance(rule, str) or not set(names) <= set(known):
        raise ValueError(
            "log_features: expected 'auto', True, False or a list of attributes that "
            f"hold numbers, of {known}, got {rule!r}"
        )
    return names


def _log_scale(column: np.ndarray, heavy_tail: float) -> float:
    """Scale of the logarithm of a column, 0 for one without a heavy tail."""
    sizes = np.abs(column[column != 0].astype(np.float64))
    if not len(sizes) or sizes.max() <= heavy_tail * np.median(sizes):
        return 0.0
    return float(np.quantile(sizes, SMALL))


def learn_log_scales(features: Features, rule: LogRule) -> tuple[float, ...]:
    """Scale of the logarithm of each numeric column, 0 for columns that stay as is.

    Parameters
    ----------
    features : Features
        Of all training graphs.
    rule : "auto", bool or tuple of str
        Columns to choose: those with a heavy tail, all, none, or those of some fields.

    Returns
    -------
    scales : tuple of float
        Empty if all columns stay.
    """
    scales = []
    for name, column in zip(_owners(features), features.numeric.T, strict=True):
        if isinstance(rule, str):
            heavy_tail = HEAVY_TAIL
        else:
            is_chosen = rule if isinstance(rule, bool) else name in rule
            heavy_tail = 0.0 if is_chosen else np.inf
        scales.append(_log_scale(column, heavy_tail))
    return tuple(scales) if any(scales) else ()


def take_logarithms(features: Features, scales: tuple[float, ...]) -> Features:
    r"""Columns x with a scale s as :math:`\operatorname{arsinh}(x / s)`.

    That is about :math:`\log(2 x / s)` for large x and x / s for small ones, of which
    zero and negative numbers have one too.
    """
    if not scales:
        return features
    numeric = features.numeric.copy()
    for c in np.flatnonzero(scales):
        values = features.numeric[:, c].astype(np.float64)
        # Rounded here, so that no digits are left for a centre to keep.
        numeric[:, c] = np.arcsinh(values / scales[c]).astype(FLOAT)
    return replace(features, numeric=numeric)


def learn_centre(
    features: Features, log_scales: tuple[float, ...]
) -> tuple[float, ...]:
    """Mean of each column that float32 would round, 0 for others; empty without any."""
    numeric = take_logarithms(features, log_scales).numeric
    if numeric.dtype == FLOAT or not len(numeric):
        return ()
    is_rounded = (numeric != numeric.astype(FLOAT)).any(axis=0)
    return tuple(np.where(is_rounded, numeric.mean(axis=0), 0.0).tolist())


def describe_rounded(
    features: Features, log_scales: tuple[float, ...], centre: tuple[float, ...]
) -> list[str]:
    """What to say of columns that lose digits though their mean is taken off."""
    if not centre:
        return []
    exact = take_logarithms(features, log_scales).numeric - np.array(centre)
    is_lost = loses_digits(exact, exact.astype(FLOAT))
    owners = zip(_owners(features), is_lost, strict=True)
    return [
        f"{name}: different numbers are one in float32, though the mean is taken off; "
        "give numbers of a smaller range, such as differences"
        for name in sorted({name for name, lost in owners if lost})
    ]


def _scale(
    features: Features, log_scales: tuple[float, ...], centre: tuple[float, ...]
) -> Features:
    features = take_logarithms(features, log_scales)
    if features.numeric.dtype == FLOAT and not centre:
        return features
    numeric = features.numeric.astype(np.float64)
    if centre:
        numeric -= np.array(centre)
    return replace(features, numeric=numeric.astype(FLOAT))


def scale_numbers(graphs: GraphCollection, pooling: Pooling) -> GraphCollection:
    """The graphs with numbers in float32, by the learnt scales and centres."""
    nodes, edges = graphs.node_features, graphs.edge_features
    scaled_nodes = _scale(nodes, pooling.node_log_scales, pooling.node_centre)
    scaled_edges = _scale(edges, pooling.edge_log_scales, pooling.edge_centre)
    if scaled_nodes is nodes and scaled_edges is edges:
        return graphs
    return replace(graphs, node_features=scaled_nodes, edge_features=scaled_edges)
