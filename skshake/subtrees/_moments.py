"""Moments per graph: mean, standard deviation, smallest and largest of each column.

In: numbers of nodes (edges), and the rows of each graph. Out: four columns for each.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel

MOMENTS = ("mean", "std", "min", "max")


@kernel
def measure_moments(ptr, values, moments):
    """Moments of each column over the rows of each graph, in double precision.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    values : float array of shape (n_rows, n_columns)  # IN
    moments : float64 array of shape (n_graphs, 4 * n_columns)  # OUT
        Mean, standard deviation, minimum and maximum of the first column, then of the
        next; 0 for a graph without rows.
    """
    moments[:] = 0.0
    for g in range(len(ptr) - 1):
        first, n_rows = ptr[g], ptr[g + 1] - ptr[g]
        if n_rows == 0:
            continue
        for c in range(values.shape[1]):
            total = 0.0
            smallest = largest = np.float64(values[first, c])
            for row in range(first, first + n_rows):
                value = np.float64(values[row, c])
                total += value
                smallest, largest = min(smallest, value), max(largest, value)
            mean = total / n_rows
            # About the mean: squares of large numbers would lose their digits.
            squares = 0.0
            for row in range(first, first + n_rows):
                squares += (values[row, c] - mean) ** 2
            moments[g, 4 * c] = mean
            moments[g, 4 * c + 1] = np.sqrt(squares / n_rows)
            moments[g, 4 * c + 2] = smallest
            moments[g, 4 * c + 3] = largest


def moments_table(ptr: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Moments (n_graphs, 4 * n_columns) of columns; see :func:`measure_moments`."""
    moments = np.empty((len(ptr) - 1, len(MOMENTS) * values.shape[1]))
    measure_moments(ptr, values, moments)
    return moments
