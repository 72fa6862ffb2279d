"""Twins: nodes with the same neighbours, which walks cannot tell apart.

In: the arcs of one graph. Out: the class of each node, and the graph of classes.
Cliques that share nodes and hubs with many leaves, such as collaborations and threads
of answers, consist of few classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import mix, next_state

NONE = -1


class Classes(NamedTuple):
    """Classes of twins of one graph.

    ``first`` int32 (n,), the first twin of each node, which is the node itself if it
    has none before it; ``are_adjacent`` bool (n,), whether a node has twins that are
    its neighbours. ``order`` int32 (n + 1,), filled with the first node of each class;
    ``number`` int32 (n,), the class of each node; ``sizes`` int32 (n,), by class.
    """

    first: np.ndarray
    are_adjacent: np.ndarray
    order: np.ndarray
    number: np.ndarray
    sizes: np.ndarray


@kernel
def find_twins(indptr, indices, classes):
    """Find the first twin of each node: with the same neighbours, but for each other.

    Parameters
    ----------
    indptr : int64 array of shape (n + 1,)  # IN, offsets into ``indices``
    indices : int32 array  # IN, neighbours within the graph
    classes : Classes  # OUT, ``first`` and ``are_adjacent``

    Notes
    -----
    Neighbourhoods are compared by the sum of 64-bit hashes of their nodes, without the
    node itself (twins that are not adjacent) and with it (adjacent ones). No node has
    twins of both sorts.
    """
    first, are_adjacent = classes.first, classes.are_adjacent
    n = len(indptr) - 1
    own, key = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for v in range(n):
        own[v] = mix(next_state(np.uint64(v)))
    for v in range(n):
        total = np.uint64(0)
        for arc in range(indptr[v], indptr[v + 1]):
            total += own[indices[arc]]
        key[v] = total
    size = 2
    while size <= 2 * n:
        size *= 2
    mask = np.uint64(size - 1)
    table = np.empty(size, np.int32)
    for sort in range(2):
        if sort:
            for v in range(n):
                key[v] += own[v]
        table[:] = NONE
        for v in range(n):
            slot = key[v] & mask
            while table[slot] != NONE and key[table[slot]] != key[v]:
                slot = (slot + np.uint64(1)) & mask
            if table[slot] == NONE:
                table[slot] = v
                continue
            first[v] = table[slot]
            if sort:
                are_adjacent[v] = are_adjacent[first[v]] = True


@kernel
def number_classes(indptr, indices, classes):
    """Number the classes so that near ones get near numbers, and count their members.

    By breadth-first search from first node to first node.

    Parameters
    ----------
    indptr : int64 array of shape (n + 1,)  # IN, offsets into ``indices``
    indices : int32 array  # IN, neighbours within the graph
    classes : Classes  # IN ``first``, and OUT

    Returns
    -------
    n_classes : int
    """
    first, _, order, number, sizes = classes
    n = len(indptr) - 1
    number[:n] = NONE
    n_classes = n_done = 0
    for start in range(n):
        if first[start] == start and number[start] == NONE:
            number[start], order[n_classes] = n_classes, start
            n_classes += 1
        while n_done < n_classes:
            u = order[n_done]
            sizes[n_done] = 0
            n_done += 1
            for arc in range(indptr[u], indptr[u + 1]):
                # Without a branch, which no processor could predict: the next free
                # place is written in any case.
                w = np.uint32(indices[np.uint64(arc)])
                old = number[w]
                is_new = (first[w] == np.int32(w)) & (old == NONE)
                order[np.uint64(n_classes)] = w
                number[w] = n_classes if is_new else old
                n_classes += is_new
    for v in range(n):
        number[v] = number[first[v]]
        sizes[number[v]] += 1
    return n_classes
