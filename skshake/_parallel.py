"""run_in_parallel: results of tasks one after the other, on any backend of joblib.

In: delayed calls. Out: their results in order, as they come where the backend can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from joblib import Parallel


def run_in_parallel(
    tasks: Iterable[Any], n_jobs: int | None, **options: Any
) -> Iterator[Any]:
    """Results of delayed calls.

    Parameters
    ----------
    tasks : iterable
        Of ``joblib.delayed`` calls; consumed as workers become free.
    n_jobs : int or None
    **options : Any
        Others of :class:`joblib.Parallel`.

    Yields
    ------
    result : object
        All at the end with backends that give nothing before, such as ray's.
    """
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator", **options)
    except ValueError:
        parallel = Parallel(n_jobs=n_jobs, **options)
    yield from parallel(tasks)
