"""one_blas_thread: BLAS on one thread, where the threads are ours.

In: a ``with`` block. Out: the same block, and all BLAS libraries as they were after it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

from skshake._shared_state import WhileNeeded


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit every BLAS library, of the process or (on OpenMP) of this thread."""
    of_thread = [each for each in _find_libraries() if _is_per_thread(each)]
    with _limited_process(), _limited(of_thread):
        yield


@WhileNeeded
@contextmanager
def _limited_process() -> Iterator[None]:
    with _limited([each for each in _find_libraries() if not _is_per_thread(each)]):
        yield


# Libraries that were found, and how many modules there were.
_found: tuple[int, list[Any]] = 0, []


def _find_libraries() -> list[Any]:
    """BLAS libraries of the process, looked for again once a module was imported.

    To look takes longer than to predict one graph.
    """
    global _found
    if _found[0] != len(sys.modules):
        libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        # After the search, which imports too.
        _found = len(sys.modules), libraries
    return _found[1]


def _is_per_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", "") == "openmp"


@contextmanager
def _limited(libraries: list[Any]) -> Iterator[None]:
    """One thread for some libraries, and what they had afterwards."""
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        _set_threads(library, 1)
    try:
        yield
    finally:
        for library, n_threads in zip(libraries, before, strict=True):
            _set_threads(library, n_threads)


def _set_threads(library: Any, n_threads: int) -> None:
    # threadpoolctl 3.8 lets nobody but the thread that set OpenBLAS's number first set
    # it again, but the first block may begin in one thread and the last end in another.
    getattr(library, "_real_set_num_threads", library.set_num_threads)(n_threads)
