"""is_forked: whether threads that libraries had started are missing from this process.

Imported with the package, to notice forks from then on. OpenMP does not: where a parent
has used it, a forked child waits without end for threads that only the parent has.
"""

from __future__ import annotations

import multiprocessing
import os

_n_forks = 0


def _count() -> None:
    global _n_forks
    _n_forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count)


def is_forked() -> bool:
    """Whether this process was forked after the import, or as a worker before it."""
    is_worker = type(multiprocessing.current_process()).__name__ == "ForkProcess"
    return _n_forks > 0 or is_worker
