"""Kernel: Kirchhoff forests of many graphs at decreasing q, in one pass per graph.

In: CSR arcs, q values, one stream per graph. Out: parents and blocks at each q.

Wilson's algorithm seen as cycle popping: each node holds a stack of entries, "root" or
an arrow to a neighbour; the arrows that no cycle pops form the forest. Entries drawn at
q stay valid at q' < q, except that a root drawn with the uniform u wakes up and turns
into an arrow once q' <= d u / (1 - u). So all levels together cost as much walking as
the smallest q alone (Tremblay, Barthelmé, Usevich & Amblard 2023; method in
``docs/paper.md``). One q is the special case of one level. Components in which walks
would hardly stop, because q is tiny, are drawn by ``_small_q`` instead.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skshake.forests._generator import GOLDEN, degree_of, find_neighbour, unit
from skshake.forests._small_q import draw_component, find_component, is_worthwhile

ROOT = -1
NOT_IN_TREE = -1
# Marks of nodes that no level met yet, and whose arrow was drawn beforehand.
NEVER, BEFOREHAND = -1, -2


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
def _draw_small_components(
    offset,
    n,
    q,
    indptr,
    indices,
    cumulative,
    state,
    arrow,
    wakes_at,
    met_at,
    members,
    place,
):
    """Draw the components of a graph in which walks would hardly stop.

    Their nodes get arrows with the exact law at q, which the level's walks then follow
    as if they came from the level before. Parameters as in ``draw_forests``.
    """
    n_steps = 0
    place[:n] = -1
    for start in range(n):
        if place[start] >= 0:
            continue
        size = find_component(start, offset, indptr, indices, members, place)
        total_degree = 0.0
        for k in range(size):
            v = offset + members[k]
            total_degree += degree_of(cumulative, indptr[v], indptr[v + 1])
        if is_worthwhile(size, total_degree / size, q):
            state, n_drawn = draw_component(
                members,
                size,
                place,
                offset,
                q,
                indptr,
                indices,
                cumulative,
                state,
                arrow,
                wakes_at,
            )
            n_steps += n_drawn
            for k in range(size):
                met_at[members[k]] = BEFOREHAND
    return state, n_steps


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
    members = np.empty(max_nodes, np.int32)
    place = np.empty(max_nodes, np.int32)
    n_steps = 0
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        n = node_ptr[g + 1] - offset
        state = streams[g]
        met_at[:n] = NEVER
        max_degree = 0.0
        for v in range(offset, offset + n):
            degree = degree_of(cumulative, indptr[v], indptr[v + 1])
            max_degree = max(max_degree, degree)
        for level in range(len(qs)):
            q = qs[level]
            tree = block[level, offset : offset + n]
            tree[:] = NOT_IN_TREE
            n_trees = 0
            # No component of two or more nodes is worth it if this is not.
            if is_worthwhile(2, max_degree, q):
                state, n_drawn = _draw_small_components(
                    offset,
                    n,
                    q,
                    indptr,
                    indices,
                    cumulative,
                    state,
                    arrow,
                    wakes_at,
                    met_at,
                    members,
                    place,
                )
                n_steps += n_drawn
            for start in range(n):
                v = start
                while tree[v] == NOT_IN_TREE:
                    first, last = indptr[offset + v], indptr[offset + v + 1]
                    degree = degree_of(cumulative, first, last)
                    if met_at[v] == NEVER or met_at[v] == level:
                        # A fresh entry: the first one, or after a cycle was popped.
                        state += GOLDEN
                        n_steps += 1
                        at = unit(state) * (q + degree)
                        if at < q:
                            arrow[v] = ROOT
                            wakes_at[v] = degree * at / (q + degree - at)
                        else:
                            arrow[v] = find_neighbour(
                                indices, cumulative, first, last, at - q
                            )
                    elif arrow[v] == ROOT and degree > 0 and wakes_at[v] >= q:
                        state += GOLDEN
                        n_steps += 1
                        at = unit(state) * degree
                        arrow[v] = find_neighbour(indices, cumulative, first, last, at)
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
