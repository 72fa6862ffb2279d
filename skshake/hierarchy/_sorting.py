"""Kernel: sorting of short rows in place.

In: an array of which the first entries are to be sorted. Out: the same array.
"""

from __future__ import annotations

from skshake._jit import kernel


@kernel
def sort_first(values, n):
    """Sort the first n values in place: insertion with shrinking gaps (Shell, Knuth).

    Most rows are short, for which nothing is faster; numba's own quicksort would take
    half a second to compile.
    """
    gap = 1
    while 9 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value = values[i]
            j = i - gap
            while j >= 0 and values[j] > value:
                values[j + gap] = values[j]
                j -= gap
            values[j + gap] = value
        gap //= 3
