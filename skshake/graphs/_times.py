"""Times as numbers: since the first event of a graph, or since a date.

In: columns of dates and durations, as numpy has them. Out: floats in some unit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skshake.graphs._errors import InvalidGraphError

UNITS = {"s": "s", "min": "m", "h": "h", "D": "D"}
FIRST = "first"


class Clock(NamedTuple):
    """How times become numbers.

    ``origin`` datetime64 (n_graphs,) is what the times of each graph are counted from,
    NaT if it has none; ``unit`` is numpy's code.
    """

    origin: np.ndarray
    unit: str

    def read(self, values: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Times of rows as floats, given the graph of each; others as they are."""
        unit = np.timedelta64(1, self.unit)  # type: ignore[call-overload]
        if values.dtype.kind == "m":
            return values / unit
        if values.dtype.kind == "M":
            return (values - self.origin[owner]) / unit
        return values


def check_unit(time_unit: Any) -> str:
    """Numpy's code of a unit of time."""
    if time_unit not in UNITS:
        raise ValueError(f"time_unit: expected one of {[*UNITS]}, got {time_unit!r}")
    return UNITS[time_unit]


def start_clock(
    time_unit: str,
    time_origin: Any,
    n_graphs: int,
    times: list[tuple[np.ndarray, np.ndarray]],
) -> Clock:
    """A clock from ``time_origin``, or from the first event of each graph.

    ``times`` are columns with the graph of each row; the first that have any of a graph
    decide about it.
    """
    import pandas as pd

    unit = check_unit(time_unit)
    if not (isinstance(time_origin, str) and time_origin == FIRST):
        try:
            origin = pd.Timestamp(time_origin)
            if origin.tzinfo is not None:
                origin = origin.tz_convert("UTC").tz_localize(None)
        except (ValueError, TypeError) as error:
            raise InvalidGraphError(
                f"time_origin: expected {FIRST!r} or a date, got {time_origin!r}"
            ) from error
        return Clock(np.repeat(origin.to_datetime64(), n_graphs), unit)
    firsts = np.full(n_graphs, np.datetime64("NaT"), "M8[ns]")
    for values, owner in times:
        if values.dtype.kind == "M":
            found = np.full(n_graphs, np.iinfo(np.int64).max)
            np.minimum.at(found, owner, values.astype("M8[ns]").view(np.int64))
            is_new = np.isnat(firsts) & (np.bincount(owner, minlength=n_graphs) > 0)
            firsts[is_new] = found[is_new].view("M8[ns]")
    return Clock(firsts, unit)
