"""WhileNeeded: changes of the whole process that overlapping calls share.

In: a context manager that makes a change and takes it back. Out: one for any number of
blocks in any threads. The first block makes the change, and the last one out takes it
back; each by itself would leave behind what it found, which may be another one's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class WhileNeeded(Generic[T]):
    """A change of the process that lasts while any block needs it.

    Parameters
    ----------
    change : callable
        Makes the context manager of one change; all blocks get its value.
    """

    def __init__(self, change: Callable[[], AbstractContextManager[T]]) -> None:
        self._change = change
        self._n_inside, self._lock = 0, Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_anew)

    @property
    def is_needed(self) -> bool:
        """Whether any thread is in a block."""
        return self._n_inside > 0

    @contextmanager
    def __call__(self) -> Iterator[T]:
        """A block that needs the change."""
        with self._lock:
            if not self._n_inside:
                self._manager = self._change()
                self._value = self._manager.__enter__()
            self._n_inside += 1
        try:
            yield self._value
        finally:
            with self._lock:
                # None after a fork in this block, which has taken the change back.
                if self._n_inside:
                    self._n_inside -= 1
                    if not self._n_inside:
                        self._manager.__exit__(None, None, None)

    def _start_anew(self) -> None:
        """In a forked process the other threads, and their blocks, are gone."""
        was_inside = self._n_inside
        self._n_inside, self._lock = 0, Lock()
        if was_inside:
            self._manager.__exit__(None, None, None)
