"""Lanes of a batch in threads: the same arithmetic for any number of threads.

In: a task per lane, or one that takes lanes itself
(:mod:`skshake.network.cpu._barrier`). Out: all lanes done. A lane is a range of the
rows of a batch that one thread does alone. A batch is cut into lanes by its own size
alone, and partial sums are added in the order of lanes, so that results do not depend
on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock, Thread

import numpy as np
import torch

from skshake._blas import one_blas_thread
from skshake._forks import is_forked
from skshake._shared_state import WhileNeeded

# Rows of a lane: so many that its own sums and gradients cost little.
LANE_ROWS = 2_048


class _Worker(Thread):
    """A thread that does one task after the other.

    Two locks hand tasks over and back, which is quicker than a queue: a step of a
    training waits for its threads some ten times.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._start_lock, self._end_lock = Lock(), Lock()
        self._start_lock.acquire()
        self._end_lock.acquire()
        self._task: Callable[[], None] | None = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        while True:
            self._start_lock.acquire()
            if self._task is None:
                return
            try:
                self._task()
            except BaseException as error:
                self._error = error
            self._end_lock.release()

    def begin(self, task: Callable[[], None]) -> None:
        """Start a task."""
        self._task = task
        self._start_lock.release()

    def end(self) -> None:
        """End the thread, after its task."""
        self._task = None
        # After an interruption it may not have begun with its last task.
        with suppress(RuntimeError):
            self._start_lock.release()
        self.join()

    def wait(self) -> None:
        """Wait for the end of the task, and raise what it raised."""
        self._end_lock.acquire()
        error, self._error = self._error, None
        if error is not None:
            raise error


class Workers:
    """Threads that share tasks with the thread that asks; none with one thread."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._workers = [_Worker() for _ in range(n_threads - 1)]

    def run(self, task: Callable[[int], None], n_tasks: int) -> None:
        """Do ``task(0)``, ``task(1)``, ..., and return when all are done."""
        helpers = self._workers[: n_tasks - 1]
        tasks = iter(range(n_tasks))

        def take_tasks() -> None:
            # Whoever is free takes the next: other work may slow a thread down.
            for k in tasks:
                task(k)

        for helper in helpers:
            helper.begin(take_tasks)
        try:
            take_tasks()
        finally:
            for helper in helpers:
                helper.wait()

    def close(self) -> None:
        """End the threads."""
        for worker in self._workers:
            worker.end()


_SERIAL = Workers(1)
_workers: ContextVar[Workers] = ContextVar("workers", default=_SERIAL)


@WhileNeeded
@contextmanager
def _limited_threads() -> Iterator[int]:
    """One thread for BLAS; how many torch had before any block took them away."""
    with one_blas_thread():
        yield torch.get_num_threads()


@contextmanager
def lanes_in_threads(*, torch_too: bool = False) -> Iterator[None]:
    """Run lanes in as many threads as torch has; torch and BLAS take one inside.

    Their threads would compete with ours: they wait for more work by spinning.

    Parameters
    ----------
    torch_too : bool, default=False
        Whether torch keeps its threads, for layers that it computes. In a forked
        process it has one all the same: those of OpenMP are gone there, and would be
        waited for without end.
    """
    # Torch counts for each thread of Python, and a new one may find another block's 1.
    own, is_inside = torch.get_num_threads(), _workers.get() is not _SERIAL
    with _limited_threads() as n_threads:
        n_threads = own if own != 1 else n_threads
        workers = Workers(n_threads)
        token = _workers.set(workers)
        torch.set_num_threads(n_threads if torch_too and not is_forked() else 1)
        try:
            yield
        finally:
            torch.set_num_threads(own if is_inside else n_threads)
            _workers.reset(token)
            workers.close()


def run_tasks(task: Callable[[int], None], n_tasks: int) -> None:
    """Run a task per lane, in threads inside :func:`lanes_in_threads`."""
    _workers.get().run(task, n_tasks)


def count_threads() -> int:
    """Number of threads that :func:`run_tasks` shares tasks between."""
    return _workers.get().n_threads


def count_lanes(n_rows: int) -> int:
    """Number of lanes, 1 or even, so that two threads have as much to do."""
    return max(1, 2 * round(n_rows / (2 * LANE_ROWS)))


def split_rows(n_rows: int, n_lanes: int) -> np.ndarray:
    """Offsets (n_lanes + 1,) of lanes of about equal size."""
    return np.arange(n_lanes + 1, dtype=np.int64) * n_rows // n_lanes
