"""Meetings of threads inside compiled code, which Python's lock would make slow.

In: a compiled function, which asks for pieces of work round by round. Out: all pieces
done, each once. A thread that waits offers its processor to others, but on Windows.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from skshake._jit import IS_COMPILED, kernel
from skshake.network._parallel import count_threads, run_lanes

# Looks at a counter between two offers of the processor.
N_LOOKS = 64

if os.name == "posix":
    _offer_processor = types.ExternalFunction("sched_yield", types.int32())
else:

    @kernel
    def _offer_processor():
        return 0


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of an element of an array."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(
        context, builder, kind, array, [arguments[1]], wraparound=False
    )


@intrinsic
def _add_one(typing_context, counters, place):
    """Add 1 to a counter, and give what it was, as if no other thread did so now."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", pointer, one, "seq_cst")

    return types.int64(counters, types.intp), generate


@intrinsic
def _look(typing_context, counters, place):
    """A counter as other threads left it."""

    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "seq_cst", 8)

    return types.int64(counters, types.intp), generate


if not IS_COMPILED:
    _lock = Lock()

    def _add_one(counters, place):  # type: ignore[misc]
        with _lock:
            counters[place] += 1
            return counters[place] - 1

    def _look(counters, place):  # type: ignore[misc]
        return counters[place]

    def _offer_processor():  # type: ignore[misc]
        time.sleep(0)


@kernel
def take_next(turns, t):
    """Number of the piece of round t that no thread has taken yet."""
    return _add_one(turns[0], t)  # type: ignore[call-arg]


@kernel
def note_done(turns, t):
    """Say that a piece of round t is done."""
    _add_one(turns[1], t)  # type: ignore[call-arg]


@kernel
def await_all(turns, t, n_pieces):
    """Return once all pieces of round t are done."""
    n_looks = 0
    while _look(turns[1], t) < n_pieces:  # type: ignore[call-arg]
        n_looks += 1
        if n_looks % N_LOOKS == 0:
            _offer_processor()


def run_together(
    function: Callable[..., None], arguments: tuple, n_rounds: int, n_pieces: int
) -> None:
    """Call a compiled function in all threads, which share its pieces.

    Its first argument are the counters of rounds, int64 (2, n_rounds): pieces that are
    taken, and that are done. A thread that comes late, or twice, finds no piece left.
    """
    turns = np.zeros((2, n_rounds), np.int64)

    def task(_: int) -> None:
        try:
            function(turns, *arguments)
        except BaseException:
            # No thread shall wait for what this one has not done.
            turns[:] = n_pieces
            raise

    run_lanes(task, min(count_threads(), n_pieces))
