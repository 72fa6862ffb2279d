"""one_blas_thread: BLAS on one thread, where the threads are ours.

In: a ``with`` block. Out: the same block, and all BLAS libraries as they were after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

from skshake._shared_state import WhileNeeded


@WhileNeeded
@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit every BLAS library of the process, which has one number for all threads."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
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
