"""Meetings of threads inside compiled code, which Python's lock would make slow.

In: counters that all threads share. Out: the next piece of work for the thread that
asks, and a return once all pieces are done. A thread that waits gives its processor to
whoever needs it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Looks at a counter between two offers of the processor.
N_LOOKS = 64

if os.name == "posix":
    _offer_processor = types.ExternalFunction("sched_yield", types.int32())
else:

    @njit(cache=True, nogil=True)
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


def make_turns(n_rounds: int) -> np.ndarray:
    """Counters of rounds, (2, n_rounds): pieces that are taken, and that are done."""
    return np.zeros((2, n_rounds), np.int64)


@njit(cache=True, nogil=True)
def take_next(turns, t):
    """Number of the piece of round t that no thread has taken yet."""
    return _add_one(turns[0], t)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def note_done(turns, t):
    """Say that a piece of round t is done."""
    _add_one(turns[1], t)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def await_all(turns, t, n_pieces):
    """Return once all pieces of round t are done."""
    n_looks = 0
    while _look(turns[1], t) < n_pieces:  # type: ignore[call-arg]
        n_looks += 1
        if n_looks % N_LOOKS == 0:
            _offer_processor()
