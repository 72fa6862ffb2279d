"""Counts per graph: how many of its rows belong to each column.

In: the column of each row, once for each thing that is counted. Out: a sparse table.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from skshake._jit import kernel
from skshake.hierarchy import sort_first
from skshake.subtrees._numbering import find_values


@kernel
def count_columns(ptr, columns, indptr, indices, counts):
    """Count columns in the rows of each graph.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    columns : int32 array of shape (n_rows, n_things)  # IN
        Negative where nothing is counted. Those of one thing are all smaller than those
        of the next.
    indptr : int64 array of shape (n_graphs + 1,)  # OUT
    indices : int32 array of shape (n_rows * n_things,)  # OUT, as far as indptr[-1]
    counts : float64 array of shape (n_rows * n_things,)  # OUT, as far as indptr[-1]

    Notes
    -----
    Only the different columns of a graph are sorted, not its rows: time is linear in
    rows however large a graph is.
    """
    n_columns, most_rows = 0, 0
    for row in range(len(columns)):
        for t in range(columns.shape[1]):
            n_columns = max(n_columns, columns[row, t] + 1)
    for g in range(len(ptr) - 1):
        most_rows = max(most_rows, ptr[g + 1] - ptr[g])
    found = np.zeros(n_columns, np.int64)
    different = np.empty(min(most_rows, n_columns), np.int32)
    n_entries = 0
    indptr[0] = 0
    for g in range(len(ptr) - 1):
        for t in range(columns.shape[1]):
            n_different = 0
            for row in range(ptr[g], ptr[g + 1]):
                column = columns[row, t]
                if column < 0:
                    continue
                if found[column] == 0:
                    different[n_different] = column
                    n_different += 1
                found[column] += 1
            sort_first(different, n_different)
            for k in range(n_different):
                indices[n_entries] = different[k]
                counts[n_entries] = found[different[k]]
                found[different[k]] = 0
                n_entries += 1
        indptr[g + 1] = n_entries


def count_table(
    ptr: np.ndarray, columns: np.ndarray, n_columns: int
) -> sparse.csr_array:
    """Table (n_graphs, n_columns) of counts; see :func:`count_columns`."""
    # Room for the worst case: pages that are never written cost nothing.
    indptr = np.empty(len(ptr), np.int64)
    indices, counts = np.empty(columns.size, np.int32), np.empty(columns.size)
    count_columns(ptr, columns, indptr, indices, counts)
    n_entries = indptr[-1]
    # As small as scipy would choose, so that tables side by side stay so.
    indptr = indptr.astype(np.int32 if n_entries < 2**31 else np.int64)
    parts = counts[:n_entries].copy(), indices[:n_entries].copy(), indptr
    return sparse.csr_array(parts, shape=(len(ptr) - 1, n_columns))


def count_subtrees(
    ptr: np.ndarray, colours: list[np.ndarray], counted: list[np.ndarray]
) -> sparse.csr_array:
    """Counts of colours in each graph, those of depth 0 first.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)
    colours : list of uint64 arrays of shape (n_nodes,)
        Of depth 0, 1, ...
    counted : list of uint64 arrays
        Colours that are counted, of depth 0, 1, ...

    Returns
    -------
    table : csr_array of shape (n_graphs, n_counted)
    """
    columns = np.empty((ptr[-1], len(colours)), np.int32)
    n_columns = 0
    for depth, known in enumerate(counted):
        find_values(colours[depth], known, n_columns, columns, depth)
        n_columns += len(known)
    return count_table(ptr, columns, n_columns)
