"""Columns from which Lanczos recurrences start: features of one graph, and probes.

In: numeric and categorical features of the rows of one graph. Out: float64
columns whose squares add up to the energy of the features, and random signs.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import mix, next_state, nth_state
from skshake.resolution._measure import N_PROBES

# Graphs of so few rows get unit vectors in place of random ones: an exact trace.
EXACT_ROWS = 32
# More columns of features than this are replaced by as many random combinations.
MOST_COLUMNS = 128
# Centred columns below this share of their raw energy are rounding.
NO_ENERGY = 1e-24

_TOP_BIT = np.uint64(63)


@kernel
def number_categories(codes, seen):
    """Number the categories that occur in one graph, by first appearance.

    Parameters
    ----------
    codes : int64 array of shape (n_rows, n_categorical)  # IN
    seen : int64 array of shape (n_codes, n_categorical), all -1  # SCRATCH, restored

    Returns
    -------
    numbers : int64 array of shape (n_rows, n_categorical)
    n_numbers : int64 array of shape (n_categorical,)
    """
    numbers = np.empty_like(codes)
    n_numbers = np.zeros(codes.shape[1], np.int64)
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if seen[codes[i, c], c] < 0:
                seen[codes[i, c], c] = n_numbers[c]
                n_numbers[c] += 1
            numbers[i, c] = seen[codes[i, c], c]
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            seen[codes[i, c], c] = -1
    return numbers, n_numbers


@kernel(inline=True)
def count_feature_columns(n_numeric, n_numbers):
    """Columns that carry the energy of all features of a graph, at most MOST_COLUMNS.

    Centred one-hot columns of k categories add up to zero, so k - 1 contrasts of them
    have the same inner products.
    """
    n_columns = n_numeric
    for c in range(len(n_numbers)):
        n_columns += n_numbers[c] - 1
    return min(n_columns, MOST_COLUMNS)


@kernel
def fill_features(first, numeric, numbers, n_numbers, stream, columns):
    """Write the feature columns ``first``, ``first + 1``, ... that fit in.

    Parameters
    ----------
    first : int  # IN
    numeric : float32 array of shape (n_rows, n_numeric)  # IN
    numbers, n_numbers : from number_categories  # IN
    stream : uint64, state of the random combinations  # IN
    columns : float64 array of shape (n_rows, n_columns)  # OUT
    """
    n_numeric = numeric.shape[1]
    n_columns = n_numeric
    for c in range(len(n_numbers)):
        n_columns += n_numbers[c] - 1
    if n_columns > MOST_COLUMNS:
        for k in range(first, min(first + columns.shape[1], MOST_COLUMNS)):
            _combine(k, numeric, numbers, stream, columns[:, k - first])
        return
    for k in range(first, min(first + columns.shape[1], n_numeric)):
        for i in range(len(numeric)):
            columns[i, k - first] = numeric[i, k]
    k = n_numeric
    for c in range(len(n_numbers)):
        for t in range(1, n_numbers[c]):
            if first <= k < first + columns.shape[1]:
                _contrast(t, numbers[:, c], columns[:, k - first])
            k += 1


@kernel(inline=True)
def _contrast(t, numbers, column):
    """Contrast category t with those before it (Helmert's orthonormal contrasts)."""
    scale = 1.0 / np.sqrt(t * (t + 1.0))
    for i in range(len(numbers)):
        if numbers[i] < t:
            column[i] = scale
        elif numbers[i] == t:
            column[i] = -t * scale


@kernel
def _combine(k, numeric, numbers, stream, column):
    """Add all one-hot and numeric columns with random signs; squares stay unbiased."""
    scale = 1.0 / np.sqrt(MOST_COLUMNS)
    state = mix(nth_state(stream, k + N_PROBES + 1))
    for c in range(numeric.shape[1]):
        sign = _sign(state, c)
        for i in range(len(column)):
            column[i] += scale * sign * numeric[i, c]
    for c in range(numbers.shape[1]):
        state = mix(next_state(state))
        for i in range(len(column)):
            column[i] += scale * _sign(state, numbers[i, c])


@kernel(inline=True)
def _sign(state, i):
    """Rademacher variable i of a stream."""
    bit = mix(nth_state(state, i)) >> _TOP_BIT
    return 1.0 if bit else -1.0


@kernel(inline=True)
def count_probes(n_rows):
    """Vectors from which the complexity of a graph is estimated, or computed."""
    return n_rows if n_rows <= EXACT_ROWS else N_PROBES


@kernel
def fill_probes(first, stream, columns):
    """Write the probes ``first``, ``first + 1``, ... at or after 0 that fit.

    Random signs; for a graph of few rows the unit vectors, which give an exact trace.

    Parameters
    ----------
    first : int, negative if the columns begin with features  # IN
    stream : uint64  # IN
    columns : float64 array of shape (n_rows, n_columns)  # OUT
    """
    n_rows = columns.shape[0]
    for c in range(max(0, -first), columns.shape[1]):
        state = mix(nth_state(stream, first + c + 1))
        if n_rows <= EXACT_ROWS:
            columns[first + c, c] = 1.0
        else:
            for i in range(n_rows):
                columns[i, c] = _sign(state, i)


@kernel
def centre_columns(component, columns):
    """Subtract from each column its mean over each component, and scale it to norm 1.

    Parameters
    ----------
    component : int array of shape (n_rows,), numbered from 0  # IN
    columns : float64 array of shape (n_rows, n_columns)  # IN and OUT

    Returns
    -------
    size : float64 array of shape (n_columns,)
        Squared norms before scaling; columns without variation become 0.
    """
    n_rows, n_columns = columns.shape
    n_components = 0
    for i in range(n_rows):
        n_components = max(n_components, component[i] + 1)
    count = np.zeros(n_components, np.int64)
    for i in range(n_rows):
        count[component[i]] += 1
    raw, size = np.zeros(n_columns), np.zeros(n_columns)
    sums = np.zeros((n_components, n_columns))
    for i in range(n_rows):
        for c in range(n_columns):
            sums[component[i], c] += columns[i, c]
            raw[c] += columns[i, c] * columns[i, c]
    for i in range(n_rows):
        k = component[i]
        for c in range(n_columns):
            columns[i, c] -= sums[k, c] / count[k]
            size[c] += columns[i, c] * columns[i, c]
    scale = np.zeros(n_columns)
    for c in range(n_columns):
        if size[c] > NO_ENERGY * raw[c]:
            scale[c] = 1.0 / np.sqrt(size[c])
        else:
            size[c] = 0.0
    for i in range(n_rows):
        for c in range(n_columns):
            columns[i, c] *= scale[c]
    return size
