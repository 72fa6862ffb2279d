"""Doubts about columns: categories that are rather numbers, or identifiers.

In: fields, and the codes of their columns. Out: what to say of those that are hardly
categories, with the argument that settles it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from skshake.graphs import Field
from skshake.hierarchy._categories import WIDEST_TABLE, Vocabulary

# Numbers or identifiers rather than categories: at least so many, of which nearly all
# rows hold rare ones. Of categories, however many, some are common.
MANY_CATEGORIES = 30
RARE, SHARE_RARE = 5, 0.95
# Variance that chance gives the square root of a count, whatever the count.
NOISE = 0.25
# Numbers are about as common as the next ones: of the variance of all, so much between
# neighbours (in any other order all of it, but for chance).
SMOOTH = 0.25
# At least so many values of a sample that were not seen, and that share of it.
MANY_UNSEEN, SHARE_UNSEEN, SAMPLED_ROWS = 20, 0.9, 1_000


class CategoryWarning(UserWarning):
    """Values that are read as categories are rather numbers, or identifiers."""


class Doubt(NamedTuple):
    """A column that is hardly one of categories: its field, and what was seen."""

    field: Field
    seen: str


def _columns_of(fields: Iterable[Field]) -> Iterator[tuple[Field, str]]:
    """Field of each categorical column, and what to call the column."""
    for field in fields:
        for k in range(field.width if field.is_categorical else 0):
            column = f"{field.name}[:, {k}]" if field.width > 1 else field.name
            yield field, column


def _count(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """How often each known code of a column occurs."""
    low, high = int(known[0]), int(known[-1])
    if high - low >= WIDEST_TABLE:
        return np.unique(codes, return_counts=True)[1]
    # A sample may lack the largest.
    counts = np.bincount(codes.astype(np.int64) - low, minlength=high - low + 1)
    return counts[known.astype(np.int64) - low]


def _is_unlearnable(counts: np.ndarray) -> bool:
    """Whether nearly every row of a column has a category of its own."""
    return bool(counts[counts <= RARE].sum() >= SHARE_RARE * counts.sum())


def _is_ordered(counts: np.ndarray) -> bool:
    """Whether codes are common where their neighbours are, and rare at the start.

    Rare at the start, as codes given out by frequency, or at first sight, are smooth
    too.
    """
    if (counts > RARE).sum() < MANY_CATEGORIES:
        return False
    roots = np.sqrt(counts)
    of_all = roots.var() - NOISE
    of_neighbours = np.square(np.diff(roots)).mean() / 2 - NOISE
    starts_low = 2 * counts[: len(counts) // 10].max() < counts.max()
    return bool(of_all > 2 * NOISE and of_neighbours < SMOOTH * of_all and starts_low)


def doubt_categories(
    fields: Iterable[Field],
    vocabulary: Vocabulary,
    codes: np.ndarray,
    *,
    is_guessed: bool,
) -> list[Doubt]:
    """Columns whose values hardly come again, or are spread as numbers are.

    Parameters
    ----------
    fields : iterable of Field
    vocabulary : Vocabulary
        Of all rows.
    codes : int32 array of shape (n_rows, n_columns)
    is_guessed : bool
        Whether nobody said that these are categories. Only then is their order asked
        about.
    """
    columns = zip(_columns_of(fields), vocabulary.categories, codes.T, strict=True)
    found = []
    for (field, name), known, column in columns:
        if len(known) < MANY_CATEGORIES:
            continue
        counts = _count(column, known)
        if _is_unlearnable(counts):
            what = "categories, of which too few come again to be learnt"
        elif is_guessed and not field.is_text and _is_ordered(counts):
            what = "integers that are about as common as the next ones, as numbers are"
        else:
            continue
        found.append(
            Doubt(field, f"{name}: {len(codes)} rows hold {len(known)} {what}")
        )
    return found


def doubt_unseen(
    fields: Iterable[Field], vocabulary: Vocabulary, codes: np.ndarray
) -> list[Doubt]:
    """Columns whose codes were hardly seen in ``fit``, by a sample."""
    rows = np.linspace(0, len(codes), min(len(codes), SAMPLED_ROWS), endpoint=False)
    sample, found = codes[rows.astype(np.int64)], []
    is_unseen = vocabulary.slots_of(sample) == vocabulary.unseen_slots
    counts = is_unseen.sum(axis=0).tolist()
    for (field, name), n_unseen in zip(_columns_of(fields), counts, strict=True):
        if n_unseen >= max(MANY_UNSEEN, SHARE_UNSEEN * len(sample)):
            seen = (
                f"{name}: {n_unseen / len(sample):.0%} of the values are categories "
                "that fit has not seen"
            )
            found.append(Doubt(field, seen))
    return found


def describe_doubts(doubts: Sequence[Doubt], fields: Sequence[Field]) -> list[str]:
    """What to say of each doubt, with the argument that settles all of them.

    Parameters
    ----------
    doubts : sequence of Doubt
    fields : sequence of Field
        All of nodes and of edges.
    """
    doubted = [doubt.field.name for doubt in doubts]
    rest = sorted(
        {
            field.name
            for field in fields
            if field.is_categorical and not field.is_text and field.name not in doubted
        }
    )
    messages = []
    for field, seen in doubts:
        advice = f"if they are numbers, categorical_features={rest or False} says so"
        if field.is_text:
            advice = "leave identifiers out"
        elif doubted.count(field.name) < field.width:
            advice = "if they are numbers, give them as floats, in a column by itself"
        messages.append(f"{seen}; {advice}")
    return messages
