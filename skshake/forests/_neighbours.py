"""Kernels: the degree of a node, and the choice of a neighbour by the weights of arcs.

In: arcs of a node and their running sum of weights. Out: its degree, or a neighbour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake.graphs import GraphCollection


class Walkable(NamedTuple):
    """Graphs as walks need them: a :class:`skshake.graphs.Structure` and more.

    ``cumulative`` float64 (n_arcs,) is the running sum of weights along each node's
    arcs, by which a neighbour is found; empty if all weigh 1, as ``edge_weight`` is.
    """

    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    edge_of_arc: np.ndarray
    edge_weight: np.ndarray
    cumulative: np.ndarray


@kernel
def sum_along_arcs(graphs, cumulative):
    """Running sum of the weights of each node's arcs.

    Parameters
    ----------
    graphs : Structure  # IN
    cumulative : float64 array of shape (n_arcs,)  # OUT
    """
    node_ptr, edge_ptr, indptr, _, edge_of_arc, edge_weight = graphs
    for g in range(len(node_ptr) - 1):
        for v in range(node_ptr[g], node_ptr[g + 1]):
            total = 0.0
            for arc in range(indptr[v], indptr[v + 1]):
                total += edge_weight[edge_ptr[g] + edge_of_arc[arc]]
                cumulative[arc] = total


def as_walkable(graphs: GraphCollection) -> Walkable:
    """Graphs with the running sums of their weights."""
    structure, cumulative = graphs.structure, np.empty(0)
    if graphs.edge_weight is not None:
        cumulative = np.empty(len(structure.indices))
        sum_along_arcs(structure, cumulative)
    return Walkable(*structure, cumulative)


@kernel
def find_neighbour(indices, cumulative, first, last, at):
    """Neighbour whose part of the node's degree holds ``at`` in [0, degree).

    Without weights the part of the k-th arc is [k, k + 1); with weights a bisection
    of the running sum finds it, and finds the same arc when all weights are 1.
    """
    if len(cumulative) == 0:
        return indices[min(first + np.int64(at), last - 1)]
    low, high = first, last - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > at:
            high = middle
        else:
            low = middle + 1
    return indices[low]


@kernel
def degree_of(cumulative, first, last):
    """Weighted degree of the node with these arcs."""
    if len(cumulative) and last > first:
        return cumulative[last - 1]
    return np.float64(last - first)
