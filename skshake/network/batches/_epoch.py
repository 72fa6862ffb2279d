"""Which graphs make up the batches of an epoch, and windows of them made at once.

In: a random generator. Out: arrays of graph numbers, one per step, and windows.
"""

from __future__ import annotations

import numpy as np

from skshake.network.batches._device import DeviceHierarchies
from skshake.network.batches._window import Window

# Share of positives in class-balanced batches.
POSITIVE_SHARE = 0.25
# Batches of a window, at most.
MOST_BATCHES = 4_096


def shuffled_batches(
    rng: np.random.Generator, targets: np.ndarray, batch_size: int
) -> list[np.ndarray]:
    """Every graph once, in batches of nearly equal size; see ``balanced_batches``."""
    n_graphs = len(targets)
    n_batches = -(-n_graphs // batch_size)
    return np.array_split(rng.permutation(n_graphs), n_batches)


def balanced_batches(
    rng: np.random.Generator, targets: np.ndarray, batch_size: int
) -> list[np.ndarray]:
    """Every negative once, and positives over and over to a quarter of each batch.

    Parameters
    ----------
    rng : Generator
    targets : float array of shape (n_graphs, n_tasks)
        Graphs with a 1 in any column are positive.
    batch_size : int

    Returns
    -------
    batches : list of int arrays
        Those of ``shuffled_batches`` if positives are as frequent anyway.
    """
    is_positive = (targets == 1).any(axis=1)
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    n_positive = max(1, round(POSITIVE_SHARE * batch_size))
    n_batches = -(-len(negatives) // max(1, batch_size - n_positive))
    n_drawn = n_batches * n_positive
    if not len(positives) or not len(negatives) or n_drawn <= len(positives):
        return shuffled_batches(rng, targets, batch_size)
    rounds = -(-n_drawn // len(positives))
    drawn = np.concatenate([rng.permutation(positives) for _ in range(rounds)])
    return [
        rng.permutation(np.concatenate(parts))
        for parts in zip(
            np.array_split(drawn[:n_drawn], n_batches),
            np.array_split(rng.permutation(negatives), n_batches),
            strict=True,
        )
    ]


class Windows:
    """Makes many batches at once.

    Parameters
    ----------
    data : DeviceHierarchies
    forest : int
    most_rows : int
        Rows (nodes and edges of all levels) of a window, where more than one batch is
        left.
    with_transposes : bool
        See :class:`Window`.
    """

    def __init__(
        self,
        data: DeviceHierarchies,
        forest: int,
        most_rows: int,
        with_transposes: bool,
    ) -> None:
        self._data, self._forest, self._most_rows = data, forest, most_rows
        self._with_transposes = with_transposes
        self._rows = data.rows_per_graph(forest)
        self._made: list[np.ndarray] = []
        self._window: Window | None = None

    def take(self, batches: list[np.ndarray]) -> tuple[Window, int]:
        """A window, and the number in it of the first batch."""
        for b, made in enumerate(self._made):
            if self._window is not None and made is batches[0]:
                return self._window, b
        n_batches, n_rows = 0, 0
        for batch in batches[:MOST_BATCHES]:
            n_rows += self._rows[batch].sum()
            if n_batches and n_rows > self._most_rows:
                break
            n_batches += 1
        # The last one is freed first.
        self._window = None
        self._made = batches[:n_batches]
        self._window = Window(
            self._data, self._made, self._forest, self._with_transposes
        )
        return self._window, 0
