"""What Ctrl-C in a fit means: keep the best weights, or stop whatever called it.

In: the calling frames. Out: whether the fit is one of many. A fit that the user called
ends with its best weights. One of many in a search ends with the search, which would
take the weights of an unfinished fit for finished ones.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator

# Modules that hand a call on to one fit.
PASSED = (
    "skshake",
    "contextlib",
    "joblib.memory",
    "sklearn.base",
    "sklearn.callback",
    "sklearn.compose._target",
    "sklearn.pipeline",
    "sklearn.utils",
)
# Packages that call many fits.
LOOPS = (
    *("autogluon", "bayes_opt", "dask", "dask_ml", "distributed", "flaml", "hyperopt"),
    *("imblearn", "joblib", "mapie", "mlxtend", "optuna", "ray", "sklearn", "skopt"),
    *("skore", "skorch", "smac", "sktime", "tpot", "yellowbrick"),
)


def is_one_of_many() -> bool:
    """Whether a search, an ensemble or another process runs the fit that calls this."""
    if multiprocessing.parent_process() is not None:
        return True
    modules = [name for name in _calling_modules() if not _is_passed(name)]
    return any(name.partition(".")[0] in LOOPS for name in modules)


def _is_passed(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in PASSED)


def _calling_modules() -> Iterator[str]:
    frame = sys._getframe(1)
    while frame is not None:
        yield frame.f_globals.get("__name__") or ""
        frame = frame.f_back  # type: ignore[assignment]
