"""GroupedTimeSplit: test later than training, and on groups that training lacks.

In: a time and a group of each graph. Out: row numbers to train on and to test on.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from skshake._as_array import is_missing


class GroupedTimeSplit:
    """Train on what came before, test on what came after, without groups on both sides.

    The times are cut into ``n_splits + 1`` parts of equally many different times (the
    first gets what is left over). Each part but the first is tested on once, after
    training on all parts before it, less the graphs whose group (customer, patient,
    device) is tested. scikit-learn's TimeSeriesSplit, which this is without times and
    groups, knows neither; its GroupKFold knows no time.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits.
    times : array-like of shape (n_graphs,) or None, default=None
        When each graph came: numbers, dates, or strings that sort by time, such as
        "2024-03". Rows of one time are on one side, so months give a test of one month
        each where there are ``n_splits + 1`` of them. None is the order of the rows.

    See Also
    --------
    sklearn.model_selection.TimeSeriesSplit : Rows in the order of time, no groups.
    sklearn.model_selection.GroupKFold : Groups, without time.

    Examples
    --------
    >>> from skshake.model_selection import GroupedTimeSplit
    >>> months = ["01", "01", "02", "02", "03", "03"]
    >>> customers = ["a", "b", "a", "c", "b", "c"]
    >>> splitter = GroupedTimeSplit(n_splits=2, times=months)
    >>> for train, test in splitter.split(months, groups=customers):
    ...     print(train.tolist(), test.tolist())
    [1] [2, 3]
    [0, 2] [4, 5]
    """

    def __init__(self, n_splits: int = 5, *, times: Any = None) -> None:
        self.n_splits = n_splits
        self.times = times

    def __repr__(self) -> str:
        given = "None" if self.times is None else "..."
        return f"GroupedTimeSplit(n_splits={self.n_splits}, times={given})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        n_splits : int
        """
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Row numbers of each split, from early to late.

        Parameters
        ----------
        X : sequence of length n_graphs
            Graphs.
        y : object
            Ignored.
        groups : array-like of shape (n_graphs,), default=None
            Group of each graph; None if each is one of its own.

        Yields
        ------
        train, test : ndarray
            Row numbers, increasing.

        Raises
        ------
        ValueError
            If lengths differ, there are too few different times, or a group that is
            tested is all that there is to train on.
        """
        if not isinstance(self.n_splits, Integral) or self.n_splits < 1:
            raise ValueError(f"n_splits: expected 1 or more, got {self.n_splits!r}")
        n_rows = len(X)
        moment = _codes("times", self.times, n_rows)
        group = _codes("groups", groups, n_rows)
        n_times = int(moment.max()) + 1 if n_rows else 0
        if n_times <= self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} needs more than {self.n_splits} different "
                f"times, got {n_times}"
            )
        # As TimeSeriesSplit does with rows: what is left over is trained on.
        n_tested = n_times // (self.n_splits + 1)
        part = np.maximum(self.n_splits - (n_times - 1 - moment) // n_tested, 0)
        for k in range(1, self.n_splits + 1):
            is_test = part == k
            is_tested = np.isin(group, group[is_test])
            train = np.flatnonzero((part < k) & ~is_tested)
            if not len(train):
                raise ValueError(
                    f"split {k}: all {int((part < k).sum())} earlier graphs are of "
                    "groups that are tested; take fewer splits, or coarser groups"
                )
            yield train, np.flatnonzero(is_test)


def _codes(name: str, values: Any, n_rows: int) -> np.ndarray:
    """Values as numbers from 0 in their order; None is a number for each row."""
    if values is None:
        return np.arange(n_rows)
    values = np.asarray(values)
    if values.shape != (n_rows,):
        raise ValueError(
            f"{name}: expected one for each of {n_rows} graphs, got shape "
            f"{values.shape}"
        )
    is_date = values.dtype.kind in "mM"
    if np.isnat(values).any() if is_date else any(map(is_missing, values.tolist())):
        raise ValueError(f"{name}: expected values everywhere, got missing ones")
    return np.unique(values, return_inverse=True)[1]
