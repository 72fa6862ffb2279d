"""StateMixin: what is kept of an estimator, by pickles, joblib and `save`.

In: an estimator. Out: its attributes and the version that it is of, and back. Inside
of `for_a_file`, states have what a file can hold without pickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.exceptions import InconsistentVersionWarning

import skshake
from skshake._warnings import warn_user

VERSION = "_skshake_version"
_IS_FOR_FILE: ContextVar[bool] = ContextVar("is_for_file", default=False)


@contextmanager
def for_a_file() -> Iterator[None]:
    """Inside, in this thread, states are taken to be written to a file."""
    token = _IS_FOR_FILE.set(True)
    try:
        yield
    finally:
        _IS_FOR_FILE.reset(token)


def is_for_file() -> bool:
    """Whether states are taken to be written to a file."""
    return _IS_FOR_FILE.get()


class Items(NamedTuple):
    """A mapping whose keys a file would hold as text, such as False or dates."""

    pairs: list[tuple[Any, Any]]


def _as_kept(value: Any) -> Any:
    """What a file holds in place of the value of an attribute."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping) and not all(type(key) is str for key in value):
        return Items(list(value.items()))
    return value


class StateMixin:
    """States know their version, and warn where they are read by another one."""

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        if is_for_file():
            state = {name: _as_kept(value) for name, value in state.items()}
        return {**state, VERSION: skshake.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        version = state.pop(VERSION, "unknown")
        if version != skshake.__version__:
            warn_user(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=f"skshake {skshake.__version__}",
                    original_sklearn_version=f"skshake {version}",
                ),
            )
        for name, value in state.items():
            vars(self)[name] = dict(value.pairs) if type(value) is Items else value
