"""share_rows: rows of a prediction that the ranks of a process group share.

In: a function of row numbers. Out: all rows, in order. Every rank of a group trains,
but not every prediction is asked for on all of them: a user's ``if rank == 0`` must not
wait for ranks that never come. So ranks say what they are about to predict in the
group's store, and share the work if all of them come with the same within a while.
Bits are the same either way: whoever finds all rows finds them in the same parts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import torch.distributed as dist
from torch.distributed import distributed_c10d

from skshake._warnings import warn_user
from skshake.network._ranks import (
    is_in_group,
    is_training,
    join_group,
    split_between,
)

# How long a rank waits for the others before it predicts alone, from then on.
WAIT = timedelta(seconds=10)
TOGETHER, APART, LATE = b"together", b"apart", b"late"


class _Meetings:
    """Counts meetings; over for this process once ranks have not come."""

    n_meetings = 0
    are_over = False


def share_rows(
    n_rows: int,
    find_rows: Callable[[np.ndarray], np.ndarray],
    describe: Callable[[], str],
) -> np.ndarray:
    """Rows of a function, found by all ranks together where all ask for them.

    Parameters
    ----------
    n_rows : int
    find_rows : callable
        Takes an int array of row numbers; gives one row for each.
    describe : callable
        What is asked for, in a word that is the same on all ranks that ask for it.

    Returns
    -------
    rows : ndarray of shape (n_rows, n_columns)
    """
    if not is_in_group():
        return find_rows(np.arange(n_rows))
    shares = split_between(n_rows, dist.get_world_size())
    is_main = threading.current_thread() is threading.main_thread()
    if is_training() or not is_main or not _all_meet(describe()):
        return np.concatenate([find_rows(share) for share in shares if len(share)])
    with join_group() as ranks:
        own = shares[ranks.rank]
        return ranks.join_rows(find_rows(own) if len(own) else None, n_rows)


def _all_meet(what: str) -> bool:
    """Whether all ranks come here with the same."""
    if _Meetings.are_over:
        return False
    _Meetings.n_meetings += 1
    rank, n_ranks = dist.get_rank(), dist.get_world_size()
    whole = distributed_c10d._get_default_store()
    store = dist.PrefixStore(f"skshake/{_Meetings.n_meetings}", whole)
    store.set(str(rank), what)
    if store.add("n", 1) == n_ranks:
        come = {store.get(str(other)) for other in range(n_ranks)}
        store.compare_set(
            "choice", "", (TOGETHER if len(come) == 1 else APART).decode()
        )
    try:
        store.wait(["choice"], WAIT)
    except RuntimeError:
        # Whoever chooses first has chosen for all.
        store.compare_set("choice", "", LATE.decode())
    choice = store.get("choice")
    if choice == LATE:
        _Meetings.are_over = True
        warn_user(
            f"not all {n_ranks} processes of the group predict the same graphs at a "
            "time; this one predicts them alone from now on"
        )
    return bool(choice == TOGETHER)
