"""What the C library's allocator does with memory that is freed: keep it, or not.

In: a ``with`` block. Out: the same block; the allocator keeps what is freed in it, and
gives it back to the system afterwards. Outside of all blocks it gives back what is free
when it is asked to.

A step of a training takes as much memory as the one before has freed, and so does a
forest of a prediction. Left alone, glibc gives large arrays back at once, and the
system clears each page that it lends again: on large batches that takes up to a third
of the time. Where large arrays are made of many smaller ones, on the other hand, what
is freed on the way is of no use, and would count twice.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from skshake._shared_state import WhileNeeded

# These numbers are mallopt's names of its settings.
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
# The main thread takes all memory from one heap, whose end is never given back. Large
# arrays of other threads still come from the system.
KEEPING = {MMAP_MAX: 0, TRIM_THRESHOLD: -1}
# Afterwards settings are about as they were, which cannot be asked. By default glibc
# raises its thresholds as it sees large arrays freed, up to eight times these; as large
# as that, they let a process that goes on coarsening grow by half as much again.
GIVING_BACK = {
    MMAP_MAX: 65_536,
    MMAP_THRESHOLD: 4 * 2**20,
    TRIM_THRESHOLD: 8 * 2**20,
}
# Variables by which users tune the allocator, which is then left alone.
VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_")
# Functions by which glibc is known.
FUNCTIONS = ("gnu_get_libc_version", "mallopt", "malloc_trim")


@WhileNeeded
@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Keep what is freed in the block; nothing changes where there is no glibc."""
    glibc = _find_glibc()
    if glibc is None:
        yield
        return
    try:
        for setting, value in KEEPING.items():
            glibc.mallopt(setting, value)
        yield
    finally:
        for setting, value in GIVING_BACK.items():
            glibc.mallopt(setting, value)
        _trim(glibc)


def give_freed_memory_back() -> None:
    """Give what is free to the system, unless a block in any thread keeps it.

    Nothing happens either where there is no glibc, or the user has tuned it.
    """
    glibc = _find_glibc()
    if glibc is not None and not freed_memory_kept.is_needed:
        _trim(glibc)


def _trim(glibc: Any) -> None:
    glibc.malloc_trim(ctypes.c_size_t(0))


def _find_glibc() -> Any:
    """The C library, if it is glibc and the user has not tuned its allocator."""
    is_tuned = "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "")
    if sys.platform != "linux" or is_tuned or any(map(os.environ.get, VARIABLES)):
        return None
    library = ctypes.CDLL(None)
    has_all = all(hasattr(library, name) for name in FUNCTIONS)
    return library if has_all else None
