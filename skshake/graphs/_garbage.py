"""A pause of Python's garbage collector, for work that makes no cycles.

In: a ``with`` block. Out: the same block, not interrupted.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from skshake._shared_state import WhileNeeded


@WhileNeeded
@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause the collector, whose every full run walks over all the user's objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
