"""Axes for displays: the caller's, or those of a new figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake._extras import require


def one_axes(ax: Any, figsize: tuple[float, float]) -> Any:
    """Axes to draw on; None makes a figure of the given size in inches."""
    require("matplotlib", "drawing")
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=figsize, layout="constrained")
    return ax


def grid_of_axes(
    ax: Any, n_rows: int, n_columns: int, size: tuple[float, float]
) -> np.ndarray:
    """Axes in rows and columns; None makes a figure, the size is of one in inches."""
    require("matplotlib", "drawing")
    import matplotlib.pyplot as plt

    if ax is None:
        figsize = (size[0] * n_columns, size[1] * n_rows)
        _, ax = plt.subplots(
            n_rows, n_columns, figsize=figsize, layout="constrained", squeeze=False
        )
    axes = np.asarray(ax, dtype=object)
    if axes.size != n_rows * n_columns:
        raise ValueError(
            f"ax: expected {n_rows} x {n_columns} axes, one row per level, got "
            f"{axes.size}"
        )
    return axes.reshape(n_rows, n_columns)
