"""Vocabulary: the categories seen in ``fit`` and the slots that they get.

In: integer codes. Out: slots 0 to n_slots - 1, columns one after the other; the first
slot of each column is for categories that were not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skshake._jit import kernel

# Codes of a column are looked up in a dense table if they span at most this many.
WIDEST_TABLE = 1 << 20


class SlotTables(NamedTuple):
    """Slot of each code, by column: ``table[first[c] + code - low[c] + 1]``.

    The first and the last entry of a column's table are its slot for unseen codes, to
    which codes out of range are clipped. ``low`` and ``first`` int64 (n_columns + 1,),
    ``table`` int32.
    """

    low: np.ndarray
    first: np.ndarray
    table: np.ndarray


def _make_tables(columns: list[np.ndarray], slots: list[np.ndarray]) -> SlotTables:
    """Tables of known codes and their slots; ``slots[c][0]`` is for unseen codes."""
    low, tables = [], []
    for known, slot in zip(columns, slots, strict=True):
        smallest = int(known[0]) if len(known) else 0
        n_codes = int(known[-1]) - smallest + 1 if len(known) else 0
        table = np.full(n_codes + 2, slot[0], np.int32)
        table[known.astype(np.int64) - smallest + 1] = slot[1:]
        low.append(smallest)
        tables.append(table)
    first = np.cumsum([0, *map(len, tables)])
    return SlotTables(
        np.array([*low, 0], np.int64),
        first.astype(np.int64),
        np.concatenate([*tables, np.empty(0, np.int32)]),
    )


@kernel
def find_slots(codes, tables, slots):
    """Slot of each code.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_columns)  # IN
    tables : SlotTables  # IN
    slots : int32 array of shape (n_rows, n_columns)  # OUT
    """
    low, first, table = tables
    shift = np.empty(codes.shape[1], np.int64)
    for c in range(codes.shape[1]):
        shift[c] = first[c] - low[c] + 1
    for row in range(len(codes)):
        for c in range(codes.shape[1]):
            entry = codes[row, c] + shift[c]
            # Three times as fast as min and max.
            if entry < first[c]:
                entry = first[c]
            if entry >= first[c + 1]:
                entry = first[c + 1] - 1
            slots[row, c] = table[entry]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Categories of each column, learnt from training graphs.

    Parameters
    ----------
    categories : tuple of int32 arrays
        Sorted codes of each column.
    """

    categories: tuple[np.ndarray, ...]

    @property
    def n_slots(self) -> int:
        """Slots of all columns, one per category and one per column for unseen ones."""
        return sum(len(codes) + 1 for codes in self.categories)

    @property
    def unseen_slots(self) -> np.ndarray:
        """The slot of each column for categories that were not seen."""
        sizes = [len(codes) + 1 for codes in self.categories]
        return np.cumsum([0, *sizes])[:-1]

    @cached_property
    def _is_wide(self) -> list[bool]:
        return [
            len(known) > 0 and int(known[-1]) - int(known[0]) >= WIDEST_TABLE
            for known in self.categories
        ]

    @cached_property
    def _tables(self) -> SlotTables:
        # The codes of a wide column are replaced by their rank before the look-up.
        columns = [
            np.arange(len(known)) if is_wide else known
            for known, is_wide in zip(self.categories, self._is_wide, strict=True)
        ]
        slots = [
            unseen + np.arange(len(known) + 1)
            for known, unseen in zip(self.categories, self.unseen_slots, strict=True)
        ]
        return _make_tables(columns, slots)

    def __getstate__(self) -> dict:
        return {"categories": self.categories}

    def slots_of(self, codes: np.ndarray) -> np.ndarray:
        """Slot of each code (n_rows, n_columns), int32."""
        for c in np.flatnonzero(self._is_wide):
            known = self.categories[c]
            rank = np.minimum(np.searchsorted(known, codes[:, c]), len(known) - 1)
            codes = codes.copy()
            codes[:, c] = np.where(known[rank] == codes[:, c], rank, -1)
        slots = np.empty(codes.shape, np.int32)
        find_slots(codes, self._tables, slots)
        return slots


@kernel
def _find_bounds(codes, bounds):
    """Smallest and largest code of each column into ``bounds`` (2, n_columns)."""
    for c in range(codes.shape[1]):
        bounds[0, c] = bounds[1, c] = codes[0, c]
    for row in range(1, len(codes)):
        for c in range(codes.shape[1]):
            bounds[0, c] = min(bounds[0, c], codes[row, c])
            bounds[1, c] = max(bounds[1, c], codes[row, c])


@kernel
def _mark(codes, column, low, is_seen):
    """Mark the codes of a column in ``is_seen``, which begins at code ``low``."""
    for row in range(len(codes)):
        is_seen[codes[row, column] - low] = True


def learn_vocabulary(codes: np.ndarray) -> Vocabulary:
    """Vocabulary of the codes (n_rows, n_columns) of training graphs."""
    if not len(codes):
        return Vocabulary(tuple(np.empty((codes.shape[1], 0), np.int32)))
    categories = []
    bounds = np.empty((2, codes.shape[1]), np.int64)
    _find_bounds(codes, bounds)
    for c, (low, high) in enumerate(bounds.T.tolist()):
        if high - low >= WIDEST_TABLE:
            categories.append(np.unique(codes[:, c]))
            continue
        is_seen = np.zeros(high - low + 1, np.bool_)
        _mark(codes, c, low, is_seen)
        categories.append((np.flatnonzero(is_seen) + low).astype(np.int32))
    return Vocabulary(tuple(categories))
