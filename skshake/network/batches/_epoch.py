"""Which graphs make up the batches of an epoch.

In: a random generator. Out: arrays of graph numbers, one per step.
"""

from __future__ import annotations

import numpy as np

# Fraction of positives in class-balanced batches.
POSITIVE_FRACTION = 0.25


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
    n_positive = max(1, round(POSITIVE_FRACTION * batch_size))
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
