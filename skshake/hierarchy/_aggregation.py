"""Aggregation: how the rows of a block, or of joined edges, become one row.

In: sizes of blocks. Out: what the sums of their rows are divided by. The ways that
``node_pooling`` and ``edge_pooling`` know by name are listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Aggregation:
    r"""A way to make one row of the rows of each block.

    .. math:: x_B = \frac{1}{d(|B|)} \sum_{v \in B} x_v

    Categories are rows with a one at their slot.

    Parameters
    ----------
    name : str
        Tells features of another aggregation apart; not one of ours.
    divisor : callable
        d. It is given the sizes of all blocks at once, float64 of shape (n_blocks,),
        and returns as many positive numbers. A function of a module, or of numpy, so
        that an estimator can be pickled.

    See Also
    --------
    skshake.KFCoarsener : Takes one as ``node_pooling`` and ``edge_pooling``.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import KFCoarsener
    >>> from skshake.hierarchy import Aggregation
    >>> KFCoarsener(node_pooling=Aggregation("root", np.sqrt)).node_pooling.name
    'root'
    """

    name: str
    divisor: Callable[[np.ndarray], np.ndarray]


def _size_itself(sizes: np.ndarray) -> np.ndarray:
    return sizes


AGGREGATIONS = {
    each.name: each
    for each in (Aggregation("mean", _size_itself), Aggregation("sum", np.ones_like))
}


def as_aggregation(pooling: str | Aggregation) -> Aggregation:
    """One of ours by its name, or one that the user made."""
    if isinstance(pooling, str):
        return AGGREGATIONS[pooling]
    if AGGREGATIONS.get(pooling.name, pooling) != pooling:
        raise ValueError(
            f"an aggregation is called {pooling.name!r} already; give yours another "
            "name"
        )
    return pooling


def check_aggregation(pooling: str | Aggregation) -> None:
    """Refuse an aggregation that cannot divide sums over blocks, before any are made.

    Raises
    ------
    ValueError
        If it gives anything else than a positive number for each size, or has the name
        of one of ours.
    """
    divisors_of(as_aggregation(pooling), np.arange(1.0, 9.0))


def divisors_of(aggregation: Aggregation, sizes: np.ndarray) -> np.ndarray:
    """What sums over blocks of some sizes are divided by, float64 (n_blocks,).

    Raises
    ------
    ValueError
        If the aggregation gives anything else than a positive number for each.
    """
    divisors = np.asarray(aggregation.divisor(sizes), np.float64)
    if divisors.shape != sizes.shape or not (divisors > 0).all():
        raise ValueError(
            f"the divisor of the aggregation {aggregation.name!r}: expected positive "
            f"numbers of shape {sizes.shape}, got {divisors}"
        )
    return np.ascontiguousarray(divisors)
