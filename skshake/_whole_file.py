"""whole_file: a file is either the old one or the new one, and never half of one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Another path to write to, whose file takes the place of the one at ``path``.

    It does when the block ends; if that fails, what was written goes and the old file
    stays.
    """
    path = Path(path)
    # Whoever else writes the same file has a name of its own.
    owner = f"{os.getpid()}-{threading.get_ident()}"
    partial = path.with_name(f"{path.name}.{owner}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
