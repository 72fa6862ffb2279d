"""A barrier for threads inside compiled code, which Python's lock would make slow.

In: a compiled function, which asks for lanes of work round by round. Out: all lanes
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
from skshake.network._threads import count_threads, run_tasks

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
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, arguments[0])
    return cgutils.get_item_pointer(
        context, builder, array_type, array, [arguments[1]], wraparound=False
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
def take_next(counters, t):
    """Number of the lane of round t that no thread has taken yet."""
    return _add_one(counters[0], t)  # type: ignore[call-arg]


@kernel
def note_done(counters, t):
    """Say that a lane of round t is done."""
    _add_one(counters[1], t)  # type: ignore[call-arg]


@kernel
def await_all(counters, t, n_lanes):
    """Return once all lanes of round t are done.

    What their threads wrote before ``note_done`` is seen by this one afterwards: both
    counters are read and moved in one order that all threads share (``seq_cst``).
    """
    n_looks = 0
    while _look(counters[1], t) < n_lanes:  # type: ignore[call-arg]
        n_looks += 1
        if n_looks % N_LOOKS == 0:
            _offer_processor()


def run_together(
    function: Callable[..., None], arguments: tuple, n_rounds: int, n_lanes: int
) -> None:
    """Call a compiled function in all threads, which share its lanes.

    Its first argument is an int64 array (2, n_rounds) of counters: lanes of each round
    that are taken, and that are done. A thread that comes late, or twice, finds no lane
    left.
    """
    counters = np.zeros((2, n_rounds), np.int64)

    def task(_: int) -> None:
        try:
            function(counters, *arguments)
        except BaseException:
            # No thread shall wait for what this one has not done.
            counters[:] = n_lanes
            raise

    run_tasks(task, min(count_threads(), n_lanes))
