"""warn_user: a warning that points at the user's line, not at one of ours.

In: what to say. Out: a warning of the line outside this package, scikit-learn and
joblib that led to it, however many calls of theirs lie between.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType

LIBRARIES = ("skshake", "sklearn", "joblib", "skops")


def _is_library(frame: FrameType) -> bool:
    module: str = frame.f_globals.get("__name__", "")
    return module.partition(".")[0] in LIBRARIES


def warn_user(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the nearest line on the stack that no library wrote.

    Parameters
    ----------
    message : str or Warning
    category : type of warning, default=UserWarning
        That of a message that is a str.
    """
    level, frame = 2, sys._getframe(1)
    while _is_library(frame):
        if frame.f_back is None:
            # In a thread of ours no line is the user's.
            level = 2
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
