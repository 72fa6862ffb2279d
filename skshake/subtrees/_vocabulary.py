"""What is counted: what enough training graphs have, as CountVectorizer chooses.

In: colours of nodes, or categories. Out: those that get a column.
"""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake.hierarchy import Vocabulary
from skshake.subtrees._numbering import number_values


class Choice(NamedTuple):
    """What is in at least ``min_df`` graphs, and of that the ``max_features`` in most.

    ``min_df`` is a number of graphs, or a float, a fraction of them; ``max_features``
    may be None.
    """

    min_df: int | float
    max_features: int | None


@kernel
def count_graphs(ptr, columns, n_graphs_with):
    """Number of graphs in which each column has a row.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)  # IN
    columns : int32 array of shape (n_rows, n_things)  # IN
    n_graphs_with : int64 array of shape (n_columns,)  # OUT
    """
    last = np.full(len(n_graphs_with), -1, np.int64)
    n_graphs_with[:] = 0
    for g in range(len(ptr) - 1):
        for row in range(ptr[g], ptr[g + 1]):
            for t in range(columns.shape[1]):
                column = columns[row, t]
                if last[column] != g:
                    last[column] = g
                    n_graphs_with[column] += 1


def _choose(
    values: np.ndarray, n_graphs_with: np.ndarray, n_graphs: int, choice: Choice
) -> np.ndarray:
    """Values, increasing, that a choice leaves, given how many graphs have each.

    Where ``max_features`` falls between values of equally many graphs the smaller ones
    are taken, so that the order of graphs does not matter.
    """
    fewest = choice.min_df
    if not isinstance(fewest, Integral):
        fewest *= n_graphs
    is_common = n_graphs_with >= fewest
    values, n_graphs_with = values[is_common], n_graphs_with[is_common]
    order = np.lexsort((values, -n_graphs_with))
    return np.sort(values[order[: choice.max_features]])


def choose_colours(colours: np.ndarray, ptr: np.ndarray, choice: Choice) -> np.ndarray:
    """Colours of one depth that get a column.

    Parameters
    ----------
    colours : uint64 array of shape (n_nodes,)
    ptr : int64 array of shape (n_graphs + 1,)
    choice : Choice

    Returns
    -------
    chosen : uint64 array of shape (n_chosen,)
    """
    numbers = np.empty((len(colours), 1), np.int32)
    known = number_values(colours, numbers[:, 0])
    n_graphs_with = np.empty(len(known), np.int64)
    count_graphs(ptr, numbers, n_graphs_with)
    return _choose(known, n_graphs_with, len(ptr) - 1, choice)


def choose_categories(
    vocabulary: Vocabulary, codes: np.ndarray, ptr: np.ndarray, choice: Choice
) -> Vocabulary:
    """Categories that get a column.

    Parameters
    ----------
    vocabulary : Vocabulary
        All that there are.
    codes : int32 array of shape (n_rows, n_columns)
    ptr : int64 array of shape (n_graphs + 1,)
    choice : Choice

    Returns
    -------
    chosen : Vocabulary
        Its slots for unseen categories are for those that were not chosen too.
    """
    n_graphs_with = np.empty(vocabulary.n_slots, np.int64)
    count_graphs(ptr, vocabulary.slots_of(codes), n_graphs_with)
    chosen, first = [], 1
    for known in vocabulary.categories:
        of_known = n_graphs_with[first : first + len(known)]
        chosen.append(_choose(known, of_known, len(ptr) - 1, choice))
        first += len(known) + 1
    return Vocabulary(tuple(chosen))
