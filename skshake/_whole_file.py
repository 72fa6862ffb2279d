"""whole_file: a file is either the old one or the new one, and never half of one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Ends the name of a file that is being written.
PARTIAL = ".partial"


def partial_name(name: str) -> str:
    """Name of a file while it is written; whoever else writes it has another one."""
    return f"{name}.{os.getpid()}-{threading.get_ident()}{PARTIAL}"


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Another path to write to, whose file takes the place of the one at ``path``.

    It does when the block ends; if that fails, what was written goes and the old file
    stays.

    Raises
    ------
    FileNotFoundError
        If there is no folder to write to.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    partial = path.with_name(partial_name(path.name))
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
