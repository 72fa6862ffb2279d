"""Kernel: Kirchhoff forests of many graphs at decreasing q, in one pass per graph.

In: CSR arcs, q values, one stream per graph. Out: parents and blocks at each q.

Wilson's algorithm seen as cycle popping: each node holds a stack of entries, "root" or
an arrow to a neighbour; the arrows that no cycle pops form the forest. Entries drawn at
q stay valid at q' < q, except that a root drawn with the uniform u wakes up and turns
into an arrow once q' <= d u / (1 - u). So all levels together cost as much walking as
the smallest q alone (Tremblay, Barthelmé, Usevich & Amblard 2023; method in
``docs/paper.md``). One q is the special case of one level.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skshake.graphs import mix

ROOT = -1
NOT_IN_TREE = -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@njit(cache=True, nogil=True, inline="always")
def _unit(state):
    """Uniform in [0, 1) with 53 bits from the SplitMix64 state."""
    return np.float64(mix(state) >> _SHIFT) * _TO_UNIT


@njit(cache=True, nogil=True, inline="always")
def _neighbour(indices, cumulative, first, last, at):
    """Neighbour whose share of the node's degree holds ``at`` in [0, degree).

    Without weights the share of the k-th arc is [k, k + 1); with weights a bisection
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


@njit(cache=True, nogil=True)
def sum_along_arcs(node_ptr, edge_ptr, indptr, edge_of_arc, edge_weight, cumulative):
    """Running sum of the weights of each node's arcs.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    indptr : int64 array of shape (n_nodes + 1,)  # IN
    edge_of_arc : int32 array of shape (n_arcs,)  # IN
    edge_weight : float64 array of shape (n_edges,)  # IN
    cumulative : float64 array of shape (n_arcs,)  # OUT
    """
    for g in range(len(node_ptr) - 1):
        for v in range(node_ptr[g], node_ptr[g + 1]):
            total = 0.0
            for arc in range(indptr[v], indptr[v + 1]):
                total += edge_weight[edge_ptr[g] + edge_of_arc[arc]]
                cumulative[arc] = total


@njit(cache=True, nogil=True)
def draw_forests(node_ptr, indptr, indices, cumulative, qs, streams, parent, block):
    """Draw coupled forests of each graph at decreasing q.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)  # IN
    indptr : int64 array of shape (n_nodes + 1,)  # IN
    indices : int32 array of shape (n_arcs,)  # IN
        Neighbours numbered within their graph.
    cumulative : float64 array of shape (n_arcs,), or empty  # IN
        Running sum of weights along each node's arcs; empty for unweighted graphs.
    qs : float64 array of shape (n_levels,)  # IN, finite, positive, decreasing
    streams : uint64 array of shape (n_graphs,)  # IN, states of the generators
    parent : int32 array of shape (n_levels, n_nodes)  # OUT
        Successor within the graph, ROOT for a root.
    block : int32 array of shape (n_levels, n_nodes)  # OUT
        Tree of each node, numbered within the graph by first appearance.

    Returns
    -------
    n_steps : int
        Entries drawn; the expected walk length bounds the cost.
    """
    max_nodes = 0
    for g in range(len(node_ptr) - 1):
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    arrow = np.empty(max_nodes, np.int32)
    wakes_at = np.empty(max_nodes, np.float64)
    met_at = np.empty(max_nodes, np.int32)
    n_steps = 0
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        n = node_ptr[g + 1] - offset
        state = streams[g]
        met_at[:n] = -1
        for level in range(len(qs)):
            q = qs[level]
            tree = block[level, offset : offset + n]
            tree[:] = NOT_IN_TREE
            n_trees = 0
            for start in range(n):
                v = start
                while tree[v] == NOT_IN_TREE:
                    first, last = indptr[offset + v], indptr[offset + v + 1]
                    if len(cumulative) and last > first:
                        degree = cumulative[last - 1]
                    else:
                        degree = np.float64(last - first)
                    if level == 0 or met_at[v] == level:
                        # A fresh entry: the first one, or after a cycle was popped.
                        state += _GOLDEN
                        n_steps += 1
                        at = _unit(state) * (q + degree)
                        if at < q:
                            arrow[v] = ROOT
                            wakes_at[v] = degree * at / (q + degree - at)
                        else:
                            arrow[v] = _neighbour(
                                indices, cumulative, first, last, at - q
                            )
                    elif arrow[v] == ROOT and degree > 0 and wakes_at[v] >= q:
                        state += _GOLDEN
                        n_steps += 1
                        at = _unit(state) * degree
                        arrow[v] = _neighbour(indices, cumulative, first, last, at)
                    met_at[v] = level
                    if arrow[v] == ROOT:
                        tree[v] = n_trees
                        n_trees += 1
                    else:
                        v = arrow[v]
                number = tree[v]
                v = start
                while tree[v] == NOT_IN_TREE:
                    tree[v] = number
                    v = arrow[v]
            parent[level, offset : offset + n] = arrow[:n]
    return n_steps


@njit(cache=True, nogil=True)
def find_roots(node_ptr, parent, block, root, n_blocks):
    """Root of each node and number of trees, at each level.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)  # IN
    parent, block : int32 arrays of shape (n_levels, n_nodes)  # IN
    root : int32 array of shape (n_levels, n_nodes)  # OUT
    n_blocks : int64 array of shape (n_levels, n_graphs)  # OUT
    """
    for level in range(len(parent)):
        for g in range(len(node_ptr) - 1):
            offset = node_ptr[g]
            n = node_ptr[g + 1] - offset
            root_of_tree = np.empty(n, np.int32)
            n_trees = 0
            for v in range(n):
                if parent[level, offset + v] == ROOT:
                    root_of_tree[block[level, offset + v]] = v
                    n_trees += 1
            for v in range(n):
                root[level, offset + v] = root_of_tree[block[level, offset + v]]
            n_blocks[level, g] = n_trees
