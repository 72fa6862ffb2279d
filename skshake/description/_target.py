"""Targets as they are: classes, labels or numbers, and which are missing.

In: a target of any form. Out: facts, what a user should look at, and what equal graphs
say of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from skshake._as_array import is_missing
from skshake._cards import Fact, count, format_number, format_range

# Lines for classes or columns; others are summed up.
N_SHOWN = 12
# Fewer graphs of a class than these are hardly learnt; a class this many times as
# frequent as another makes accuracy say little.
FEW_GRAPHS, IMBALANCE = 10, 9.0


@dataclass(frozen=True, eq=False)
class TargetView:
    """A target, taken apart.

    Parameters
    ----------
    form : {"classes", "labels", "numbers"}
    columns : ndarray of shape (n_graphs, n_columns)
        Codes of classes, zeros and ones, or numbers; NaN where missing.
    classes : tuple of str
        Names of the classes; empty for labels and numbers.
    names : tuple of str
        Names of the columns.
    """

    form: str
    columns: np.ndarray
    classes: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def is_known(self) -> np.ndarray:
        """Where there is a value, bool of the shape of ``columns``."""
        is_known: np.ndarray = ~np.isnan(self.columns)
        return is_known


def view_target(y: Any, n_graphs: int) -> TargetView:
    """Take a target apart.

    Parameters
    ----------
    y : array-like of shape (n_graphs,) or (n_graphs, n_columns)
    n_graphs : int

    Raises
    ------
    ValueError
        If y has another length, or several columns that are no numbers.
    """
    given = getattr(y, "columns", None)
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or len(values) != n_graphs:
        raise ValueError(
            f"y: expected one row for each of {n_graphs} graphs, got shape "
            f"{values.shape}"
        )
    if values.ndim == 2:
        return _view_columns(values, given)
    lacks = np.array([is_missing(value) for value in values.tolist()], bool)
    known = values[~lacks]
    if values.dtype.kind in "fiuO" and _are_numbers(known):
        columns = np.full((n_graphs, 1), np.nan)
        columns[~lacks, 0] = known.astype(np.float64)
        return TargetView("numbers", columns, (), ("y",))
    labels, codes = np.unique(known, return_inverse=True)
    columns = np.full((n_graphs, 1), np.nan)
    columns[~lacks, 0] = codes
    return TargetView("classes", columns, tuple(map(str, labels.tolist())), ("y",))


def _are_numbers(known: np.ndarray) -> bool:
    """Whether scikit-learn would take values for those of a regression."""
    try:
        numbers = known.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return len(numbers) > 0 and type_of_target(numbers) == "continuous"


def _view_columns(values: np.ndarray, given: Any) -> TargetView:
    names = range(values.shape[1]) if given is None else given
    try:
        columns = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"y: expected numbers in {values.shape[1]} columns, got dtype "
            f"{values.dtype}"
        ) from error
    known = columns[~np.isnan(columns)]
    form = "labels" if np.isin(known, (0, 1)).all() else "numbers"
    return TargetView(form, columns, (), tuple(map(str, names)))


def target_facts(target: TargetView) -> Iterator[Fact]:
    """What is to be predicted, and how often it occurs."""
    n_graphs, n_columns = target.columns.shape
    n_missing = int((~target.is_known).any(axis=1).sum())
    if target.form == "classes":
        n_classes = len(target.classes)
        yield Fact("kind", "1 class" if n_classes == 1 else f"{n_classes:,} classes")
        numbers = _class_counts(target)
        for k in np.argsort(-numbers, kind="stable")[:N_SHOWN].tolist():
            part = numbers[k] / max(numbers.sum(), 1)
            yield Fact(
                target.classes[k], f"{count(int(numbers[k]), 'graph')}, {part:.1%}"
            )
        if len(numbers) > N_SHOWN:
            yield Fact("...", f"and {len(numbers) - N_SHOWN} more")
        if n_missing:
            yield Fact("missing", count(n_missing, "graph"))
        return
    kinds = {"labels": "label", "numbers": "number"}
    yield Fact("kind", f"{count(n_columns, kinds[target.form])} per graph")
    for name, column in [*zip(target.names, target.columns.T, strict=True)][:N_SHOWN]:
        known = column[~np.isnan(column)]
        lacking = (
            f"; {count(n_graphs - len(known), 'graph')} without"
            if len(known) < n_graphs
            else ""
        )
        if target.form == "labels":
            yield Fact(name, f"{int(known.sum()):,} of {len(known):,} are 1{lacking}")
        else:
            spread = format_number(float(known.std())) if len(known) else "none"
            yield Fact(
                name, f"{format_range(known)}; standard deviation {spread}{lacking}"
            )
    if n_columns > N_SHOWN:
        yield Fact("...", f"and {n_columns - N_SHOWN} more")


def _class_counts(target: TargetView) -> np.ndarray:
    codes = target.columns[target.is_known[:, 0], 0].astype(np.int64)
    return np.bincount(codes, minlength=len(target.classes))


def target_notices(target: TargetView) -> Iterator[str]:
    """What makes a target hard to learn, or to fit at all."""
    if target.form == "classes":
        yield from _class_notices(target)
    elif target.form == "labels":
        for name, column in zip(target.names, target.columns.T, strict=True):
            known = column[~np.isnan(column)]
            if len(np.unique(known)) < 2:
                yield f"column {name} of y holds one value alone: nothing can be learnt"
            elif min(known.sum(), (1 - known).sum()) < FEW_GRAPHS:
                yield (
                    f"column {name} of y has fewer than {FEW_GRAPHS} graphs with one "
                    "of its labels"
                )
    else:
        for name, column in zip(target.names, target.columns.T, strict=True):
            if not np.nanstd(column) > 0:
                yield f"column {name} of y is constant: nothing can be learnt"
    n_missing = int((~target.is_known[:, 0]).sum())
    if target.columns.shape[1] == 1 and n_missing:
        yield (
            f"{count(n_missing, 'graph')} without a label: fit refuses them in a "
            "single column of y; leave them out"
        )


def _class_notices(target: TargetView) -> Iterator[str]:
    numbers = _class_counts(target)
    if len(numbers) < 2:
        yield "y holds one class alone: nothing can be learnt"
        return
    rare = [
        f"{target.classes[k]} ({numbers[k]})"
        for k in np.flatnonzero(numbers < FEW_GRAPHS).tolist()
    ]
    if rare:
        shown = ", ".join(rare[:N_SHOWN]) + (" and more" if len(rare) > N_SHOWN else "")
        yield f"classes with fewer than {FEW_GRAPHS} graphs are hardly learnt: {shown}"
    largest, smallest = int(numbers.argmax()), int(numbers.argmin())
    if numbers[largest] >= IMBALANCE * numbers[smallest]:
        yield (
            f"classes are imbalanced: {numbers[largest] / numbers.sum():.0%} of the "
            f"graphs are {target.classes[largest]}, which an accuracy of as much says "
            "nothing about; judge by ROC-AUC or average precision"
        )


def conflict_notices(target: TargetView, equal: np.ndarray) -> Iterator[str]:
    """What is said of equal graphs that differ in their target.

    Parameters
    ----------
    target : TargetView
    equal : int array of shape (n_graphs,)
        Number of each graph's class of equal graphs.
    """
    for name, column in zip(target.names, target.columns.T, strict=True):
        known = ~np.isnan(column)
        values, number = column[known], equal[known]
        order = np.argsort(number, kind="stable")
        values, number = values[order], number[order]
        first = np.flatnonzero(np.diff(number, prepend=-1))
        if not len(first):
            continue
        low, high = (f.reduceat(values, first) for f in (np.minimum, np.maximum))
        n_equal = np.diff(first, append=len(number))
        is_split = high > low
        if not is_split.any():
            continue
        where = "" if len(target.names) == 1 else f" in column {name}"
        what = "numbers" if target.form == "numbers" else "labels"
        message = (
            f"{count(int(n_equal[is_split].sum()), 'graph')} have equals with other "
            f"{what}{where}"
        )
        if target.form != "numbers":
            pairs = np.unique(np.stack([number, values]), axis=1, return_counts=True)
            starts = np.flatnonzero(np.diff(pairs[0][0], prepend=-1))
            best = np.maximum.reduceat(pairs[1], starts).sum() / len(values)
            message += f": no model can be right about more than {best:.1%} of all"
        yield message
