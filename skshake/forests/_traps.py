"""Kernel: how long walks stay in clusters of heavy edges.

In: edges by falling weight, q. Out: steps that a forest takes in the worst cluster.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel


@kernel
def _find(above, v):
    """Representative of a node's cluster; paths are halved on the way."""
    while above[v] != v:
        above[v] = above[above[v]]
        v = above[v]
    return v


@kernel
def count_trapped_steps(
    node_ptr, edge_ptr, edges, weights, degrees, q, smallest, steps
):
    """Lower bound of the expected steps of a forest of each graph.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN, by falling weight in each graph
    weights : float64 array of shape (n_edges,)  # IN, in the same order
    degrees : float64 array of shape (n_nodes,)  # IN, weighted
    q : float  # IN
    smallest : int  # IN, components up to this size do not count
    steps : float64 array of shape (n_graphs,)  # IN and OUT

    Notes
    -----
    Node i is left d_i G_ii times, G = (qI + L)^-1. For any cluster C joined to one node
    and everything else joined to the ground, G_ii only falls, to 1 / (cut + q |C|); so
    edges inside C of weight w are walked along w / (cut + q |C|) times at least. The
    clusters are those that appear when edges are added by falling weight.
    """
    for g in range(len(node_ptr) - 1):
        offset, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        above = np.arange(n)
        inside, size, trapped = np.zeros(n), np.ones(n), np.zeros(n)
        volume = np.empty(n)
        for v in range(n):
            volume[v] = degrees[offset + v]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            u, v = _find(above, edges[e, 0]), _find(above, edges[e, 1])
            inside[u] += weights[e]
            if u != v:
                above[v] = u
                inside[u] += inside[v]
                size[u] += size[v]
                volume[u] += volume[v]
                trapped[u] = max(trapped[u], trapped[v])
            cut = max(volume[u] - 2.0 * inside[u], 0.0)
            trapped[u] = max(trapped[u], inside[u] / (cut + q * size[u]))
        for v in range(n):
            if above[v] == v and size[v] > smallest:
                steps[g] = max(steps[g], trapped[v])
