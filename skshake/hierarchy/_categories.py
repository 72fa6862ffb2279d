"""Vocabulary: the categories seen in ``fit`` and the slots that they get.

In: integer codes. Out: slots 0 to n_slots - 1, columns one after the other; the first
slot of each column is for categories that were not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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

    def encode(self, codes: np.ndarray) -> np.ndarray:
        """Slots int32 (n_rows, n_columns) of codes."""
        slots = np.empty(codes.shape, np.int32)
        for c, known in enumerate(self.categories):
            place = np.searchsorted(known, codes[:, c])
            is_known = place < len(known)
            is_known[is_known] = known[place[is_known]] == codes[is_known, c]
            slots[:, c] = self.unseen_slots[c] + np.where(is_known, place + 1, 0)
        return slots


def learn_vocabulary(codes: np.ndarray) -> Vocabulary:
    """Vocabulary of the codes (n_rows, n_columns) of training graphs."""
    return Vocabulary(tuple(np.unique(column) for column in codes.T))
