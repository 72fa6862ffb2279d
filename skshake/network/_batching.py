"""Which graphs make up the batches of an epoch, and runs of them made at once.

In: a random generator. Out: arrays of graph numbers, one per step, and runs of them.
"""

from __future__ import annotations

import numpy as np

from skshake.network._batches import DeviceHierarchies
from skshake.network._runs import Run

# Share of positives in class-balanced batches.
POSITIVE_SHARE = 0.25
# Batches, and rows (nodes and edges of all levels), that are gathered at once, but one
# batch at least: as many as a GPU's memory easily holds, or a CPU's cache.
MOST_BATCHES, RUN_ROWS, CPU_RUN_ROWS = 4_096, 30_000_000, 32_768


def shuffled_batches(
    rng: np.random.Generator, n_graphs: int, batch_size: int
) -> list[np.ndarray]:
    """Every graph once, in batches of nearly equal size."""
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
        return shuffled_batches(rng, len(targets), batch_size)
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


class BatchesInRuns:
    """Makes many batches at once.

    Parameters
    ----------
    data : DeviceHierarchies
    forest : int
    most_rows : int
        Rows of a run, where more than one batch is left.
    """

    def __init__(self, data: DeviceHierarchies, forest: int, most_rows: int) -> None:
        self._data, self._forest, self._most_rows = data, forest, most_rows
        self._rows = data.rows_per_graph(forest)
        self._made: list[np.ndarray] = []
        self._run: Run | None = None

    def take(self, batches: list[np.ndarray]) -> tuple[Run, int]:
        """A run, and the number in it of the first batch."""
        for b, made in enumerate(self._made):
            if self._run is not None and made is batches[0]:
                return self._run, b
        n_batches, n_rows = 0, 0
        for batch in batches[:MOST_BATCHES]:
            n_rows += self._rows[batch].sum()
            if n_batches and n_rows > self._most_rows:
                break
            n_batches += 1
        # The last one is freed first.
        self._run = None
        self._made = batches[:n_batches]
        on_gpu = self._data.device.type == "cuda"
        self._run = Run(self._data, self._made, self._forest, with_rows=on_gpu)
        return self._run, 0
