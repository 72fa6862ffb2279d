"""kernel: numba's njit as every compiled function here uses it.

In: a function. Out: the same, compiled when first called for arguments of some types,
and then kept on disk for every process after it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

import numba
import numpy as np
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from skshake._logging import logger

# What Python checks with every division, and C functions that nobody calls, would take
# a twentieth of the compilation.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
# Not under NUMBA_DISABLE_JIT=1, for debuggers and measurements of coverage.
IS_COMPILED = not getattr(config, "DISABLE_JIT", False)


def kernel(function: Any = None, *, inline: bool = False) -> Any:
    """Compile a function that works on arrays and releases the GIL.

    Parameters
    ----------
    function : callable
    inline : bool, default=False
        Whether kernels that call it take a copy of it before they are compiled. One
        with a single caller is then optimised once, rather than by itself and again
        inside its caller.

    Returns
    -------
    kernel : callable
        Under ``NUMBA_DISABLE_JIT=1`` the function itself, in which hashes overflow as
        silently as in compiled code.
    """
    if function is None:
        return functools.partial(kernel, inline=inline)
    if not IS_COMPILED:
        return np.errstate(all="ignore")(function)
    made: Any = numba.njit(inline="always" if inline else "never", **OPTIONS)(function)
    made._cache = KernelCache(function)
    return made


class KernelCache(_Cache):
    """Files of one kernel, one for all types of arguments that it was compiled for.

    Numba's own cache refuses to work, at import, where no folder can be written; finds
    nothing in a folder that can only be read, such as that of an image; does not see
    that a kernel which this one calls has changed; and lets two processes that compile
    at once give one name to two files. This one writes where it can, reads from
    wherever it could have written, and names a file by all that it depends on.

    Parameters
    ----------
    function : callable
    """

    # Said once by each process.
    _has_said: ClassVar[set[str]] = set()

    def __init__(self, function: Callable) -> None:
        self._function = function
        module = function.__module__.rpartition(".")[2]
        self._name = f"{module}.{function.__qualname__}".replace("<", "").replace(
            ">", ""
        )
        self._is_enabled = True

    @functools.cached_property
    def _folders(self) -> list[Path]:
        """Where files may be: in the folder that the user names, else in these."""
        home = Path(inspect.getfile(self._function)).resolve().parent
        place = f"{home.name}-{hashlib.sha256(str(home).encode()).hexdigest()[:16]}"
        named: str = getattr(config, "CACHE_DIR", "")
        if named:
            return [Path(named) / place]
        of_user = Path(AppDirs("numba", "numba").user_cache_dir) / place
        return [home / "__pycache__", of_user]

    @functools.cached_property
    def _stamp(self) -> str:
        """Digest of all that is compiled with this kernel, and of what compiles it.

        Of code in memory: the text on disk may be newer than what this process runs.
        """
        versions = (numba.__version__, sys.implementation.cache_tag, OPTIONS)
        digest = hashlib.sha256(repr(versions).encode())
        for part in sorted(set(_parts(self._function))):
            digest.update(part.encode())
        return digest.hexdigest()[:16]

    def _file(self, signature: Any, codegen: Any) -> str:
        """Name of the file for some types of arguments and this processor."""
        # The type of a NamedTuple does not say which field is which.
        fields = [getattr(each, "fields", None) for each in signature]
        key = repr((signature, fields, codegen.magic_tuple())).encode()
        key_digest = hashlib.sha256(key).hexdigest()[:16]
        return f"{self._name}.{self._stamp}.{key_digest}.nbc"

    @property
    def cache_path(self) -> str:
        """The first folder."""
        return str(self._folders[0])

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for the types of the arguments; None has them compiled."""
        target_context.refresh()
        name = self._file(sig, target_context.codegen())
        for folder in self._folders if self._is_enabled else []:
            # Whatever is wrong with a file: what it should hold is compiled again.
            with suppress(Exception):
                data = pickle.loads((folder / name).read_bytes())
                return CompileResult._rebuild(target_context, *data)
        self._say("compiling", "compiling kernels, once per installation")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, in the first folder that can be written."""
        name, content = self._file(sig, data.codegen), dumps(data._reduce())
        for folder in self._folders if self._is_enabled else []:
            partial = folder / f"{name}.{uuid.uuid4().hex[:16]}.partial"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                partial.write_bytes(content)
                partial.replace(folder / name)
            except OSError:
                with suppress(OSError):
                    partial.unlink(missing_ok=True)
                continue
            self._remove_stale(folder)
            return
        self._say(
            "kept",
            "compiled kernels cannot be kept for other processes, because "
            f"{' and '.join(map(str, self._folders))} cannot be written; set "
            "NUMBA_CACHE_DIR to a folder that can",
        )

    def _remove_stale(self, folder: Path) -> None:
        """Remove files of older code of this kernel, where that is allowed."""
        for path in folder.glob(f"{self._name}.*.nbc"):
            if not path.name.startswith(f"{self._name}.{self._stamp}."):
                with suppress(OSError):
                    path.unlink()

    def _say(self, topic: str, message: str) -> None:
        """Say something once, whichever kernel it is about."""
        if topic not in self._has_said:
            self._has_said.add(topic)
            logger.warning(message)

    def enable(self) -> None:
        """Read and write files."""
        self._is_enabled = True

    def disable(self) -> None:
        """Read and write none."""
        self._is_enabled = False

    def flush(self) -> None:
        """Remove all files of this kernel."""
        for folder in self._folders:
            for path in folder.glob(f"{self._name}.*.nbc"):
                path.unlink(missing_ok=True)


def _parts(function: Callable) -> Iterator[str]:
    """Code and constants of a kernel and of all kernels that it calls."""
    waiting, known = [function], set()
    while waiting:
        one: Any = waiting.pop()
        if one in known:
            continue
        known.add(one)
        codes = list(_codes(one.__code__))
        named = {
            name: one.__globals__.get(name) for code in codes for name in code.co_names
        }
        for name, value in named.items():
            if is_kernel(value):
                waiting.append(value.py_func)
            elif hasattr(value, "_defn"):
                # An intrinsic, and what may make code beside it.
                waiting.append(value._defn)
                waiting += _functions_beside(value._defn)
            elif isinstance(value, (int, float, np.generic)):
                yield f"{name} = {value!r}"
            elif isinstance(value, type) and hasattr(value, "_fields"):
                # A NamedTuple that is made of positional arguments.
                yield f"{name} = {value._fields}"
        for code in codes:
            constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
            yield repr((code.co_code, constants, code.co_names))


def _functions_beside(function: Any) -> list[Any]:
    """Plain functions of the same module: helpers, and overloads of operators."""
    return [
        each
        for each in function.__globals__.values()
        if inspect.isfunction(each) and each.__module__ == function.__module__
    ]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def is_kernel(value: Any) -> bool:
    """Whether a value is a compiled function."""
    return isinstance(value, Dispatcher)
