"""freed_memory_kept: memory that one step frees is there for the next.

In: a ``with`` block. Out: the same block; the C library's allocator keeps what is freed
in it, and gives it back to the system afterwards.

A step of a training takes as much memory as the one before has freed, and so does a
forest of a prediction. Left alone, glibc gives large arrays back at once, and the
system clears each page that it lends again: on large batches that takes up to a third
of the time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from skshake._shared_state import WhileNeeded

# What mallopt calls its settings, and what a user names them in the environment.
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
NAMES = {
    TRIM_THRESHOLD: "MALLOC_TRIM_THRESHOLD_",
    MMAP_THRESHOLD: "MALLOC_MMAP_THRESHOLD_",
    MMAP_MAX: "MALLOC_MMAP_MAX_",
}
# All memory from one heap, whose end is never given back.
KEEPING = {MMAP_MAX: 0, TRIM_THRESHOLD: -1}
# Afterwards about as it was, which cannot be asked. By default glibc raises its
# thresholds as it sees large arrays freed, up to eight times these; as large as that,
# they let a process that goes on coarsening grow by half as much again.
GIVING_BACK = {
    MMAP_MAX: 65_536,
    MMAP_THRESHOLD: 4 * 2**20,
    TRIM_THRESHOLD: 8 * 2**20,
}


@WhileNeeded
@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Keep what is freed in the block; nothing changes where there is no glibc."""
    glibc = _find_glibc()
    if glibc is None:
        yield
        return
    for setting, value in KEEPING.items():
        glibc.mallopt(setting, value)
    try:
        yield
    finally:
        for setting, value in GIVING_BACK.items():
            of_user = os.environ.get(NAMES[setting], "")
            glibc.mallopt(setting, int(of_user) if of_user.isdigit() else value)
        glibc.malloc_trim(ctypes.c_size_t(0))


def _find_glibc() -> Any:
    """The C library, if it is one that can be asked, and the user has not tuned it."""
    if sys.platform != "linux" or "glibc.malloc" in os.environ.get(
        "GLIBC_TUNABLES", ""
    ):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") else None
