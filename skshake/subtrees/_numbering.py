"""Numbers for values of 64 bits, by a hash table: linear time, whatever the values.

In: a value per row. Out: the different values, which of them each row has, and where.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import mix

FREE = -1
# Places of a table at first; it is never more than half full.
FEWEST_PLACES = 1024


@kernel(inline=True)
def _find_place(places, known, value):
    """Where a value stands in the table, or else the free place for it.

    The number of places is a power of two; from its own a value moves on while others
    have them.
    """
    last = len(places) - 1
    place = np.int64(mix(value) & np.uint64(last))
    while places[place] != FREE and known[places[place]] != value:
        place = (place + 1) & last
    return place


@kernel
def _make_places(known, n_known, fewest):
    """Table of at least so many places in which the first values are found."""
    n_places = FEWEST_PLACES
    while n_places < fewest:
        n_places *= 2
    places = np.full(n_places, FREE, np.int32)
    for number in range(n_known):
        places[_find_place(places, known, known[number])] = number
    return places


@kernel
def number_values(values, numbers):
    """Number the different values in the order in which they come.

    Parameters
    ----------
    values : uint64 array of shape (n_rows,)  # IN
    numbers : int32 array of shape (n_rows,)  # OUT

    Returns
    -------
    known : uint64 array of shape (n_different,), the value of each number
    """
    known = np.empty(FEWEST_PLACES // 2, np.uint64)
    places = _make_places(known, 0, FEWEST_PLACES)
    n_known = 0
    for row in range(len(values)):
        place = _find_place(places, known, values[row])
        if places[place] == FREE:
            if n_known == len(known):
                more = np.empty(2 * n_known, np.uint64)
                more[:n_known] = known
                known = more
                places = _make_places(known, n_known, 4 * n_known)
                place = _find_place(places, known, values[row])
            known[n_known] = values[row]
            places[place] = n_known
            n_known += 1
        numbers[row] = places[place]
    return known[:n_known].copy()


@kernel
def find_values(values, known, first, columns, thing):
    """Column of each value: its rank among known ones after the first column.

    Parameters
    ----------
    values : uint64 array of shape (n_rows,)  # IN
    known : uint64 array of shape (n_known,)  # IN
    first : int  # IN
    columns : int32 array of shape (n_rows, n_things)  # OUT, -1 for what is not known
    thing : int  # IN, which column of ``columns`` to write
    """
    places = _make_places(known, len(known), 2 * len(known))
    for row in range(len(values)):
        number = places[_find_place(places, known, values[row])]
        columns[row, thing] = FREE if number == FREE else first + number


@kernel
def find_rows(values, known, rows):
    """First row of each known value.

    Parameters
    ----------
    values : uint64 array of shape (n_rows,)  # IN
    known : uint64 array of shape (n_known,)  # IN, each of them among the values
    rows : int64 array of shape (n_known,)  # OUT
    """
    places = _make_places(known, len(known), 2 * len(known))
    rows[:] = FREE
    row, n_found = 0, 0
    while n_found < len(known):
        number = places[_find_place(places, known, values[row])]
        if number != FREE and rows[number] == FREE:
            rows[number] = row
            n_found += 1
        row += 1
