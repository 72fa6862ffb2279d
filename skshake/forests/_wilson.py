"""Kernel: Kirchhoff forests of many graphs at decreasing q, in one pass per graph.

In: CSR arcs, q values, one stream per graph. Out: parents and blocks at each q.

Wilson's algorithm seen as cycle popping: each node holds a stack of entries, "root" or
an arrow to a neighbour; the arrows that no cycle pops form the forest. Entries drawn at
q stay valid at q' < q, except that a root drawn with the uniform u wakes up and turns
into an arrow once q' <= d u / (1 - u). So all levels together cost as much walking as
the smallest q alone (Tremblay, Barthelmé, Usevich & Amblard 2023; method in
``docs/paper.md``). One q is the special case of one level. Components in which walks
would hardly stop, because q is tiny, are drawn by ``_small_q`` instead. So are those of
a graph with weights whose walks turn out to draw too many entries: how many cycles are
popped is independent of the forest that is left, so giving up leaves its law as it is.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.forests._generator import degree_of, find_neighbour, unit
from skshake.forests._small_q import (
    LARGEST_COMPONENT,
    draw_component,
    find_component,
    is_worthwhile,
    most_entries,
)
from skshake.graphs import GOLDEN

ROOT = -1
# Marks of nodes outside all trees: the entry of the level before is still to be met, or
# a fresh entry is to be drawn.
NOT_MET, UNDRAWN = -1, -2


@kernel
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


@kernel(inline=True)
def _has_long_walks(offset, n, q, indptr, cumulative):
    """Whether some component of the graph may be better drawn by elimination."""
    # No component is worth it if a pair of nodes of the largest degree is not.
    if len(cumulative) == 0 and not is_worthwhile(2, n - 1, q):
        return False
    max_degree = 0.0
    for v in range(offset, offset + n):
        degree = degree_of(cumulative, indptr[v], indptr[v + 1])
        max_degree = max(max_degree, degree)
    return is_worthwhile(2, max_degree, q)


@kernel(inline=True)
def _draw_small_components(
    offset,
    n,
    q,
    indptr,
    indices,
    cumulative,
    weights,
    edge_of_arc,
    takes_all,
    state,
    arrow,
    tree,
    wakes_at,
    members,
    place,
):
    """Draw the components of a graph in which walks would hardly stop.

    Their nodes get arrows with the exact law at q, which the level's walks then follow
    as if they came from the level before. ``weights`` are those of the graph's edges,
    ``takes_all`` says that all small components are meant; other parameters as in
    ``draw_forests``.
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
        is_meant = takes_all and 1 < size <= LARGEST_COMPONENT
        if is_meant or is_worthwhile(size, total_degree / size, q):
            state, n_drawn = draw_component(
                members,
                size,
                place,
                offset,
                q,
                indptr,
                indices,
                cumulative,
                weights,
                edge_of_arc,
                state,
                arrow,
                wakes_at,
            )
            n_steps += n_drawn
            for k in range(size):
                tree[members[k]] = NOT_MET
    return state, n_steps


@kernel(inline=True)
def _walk(
    offset,
    n,
    q,
    is_last,
    budget,
    indptr,
    indices,
    cumulative,
    state,
    arrow,
    tree,
    wakes_at,
):
    """Walks of one graph at one q, from each node to a tree that is there already.

    Parameters
    ----------
    offset, n : int  # IN, first node of the graph, number of its nodes
    q : float  # IN
    is_last : bool  # IN, no smaller q follows
    budget : float  # IN, entries that may be drawn
    indptr, indices, cumulative : arrays  # IN, as in ``draw_forests``
    state : uint64  # IN
    arrow, tree : int32 arrays of shape (n,)  # IN and OUT
    wakes_at : float64 array  # IN and OUT

    Returns
    -------
    state : uint64
    n_steps, n_entries : int
        Random draws, and those of fresh entries; walks stop where these exceed the
        budget.
    """
    n_trees, n_steps, n_entries = 0, 0, 0
    for start in range(n):
        v = start
        while tree[v] < 0:
            if tree[v] == UNDRAWN:
                # A fresh entry: the first one, or after a cycle was popped.
                n_entries += 1
                if n_entries > budget:
                    return state, n_steps, n_entries
                first, last = indptr[offset + v], indptr[offset + v + 1]
                degree = degree_of(cumulative, first, last)
                state += GOLDEN
                n_steps += 1
                at = unit(state) * (q + degree)
                if at >= q:
                    successor = find_neighbour(indices, cumulative, first, last, at - q)
                else:
                    successor = ROOT
                    if not is_last:
                        wakes_at[v] = degree * at / (q + degree - at)
            else:
                # The entry of the level before: met for the first time.
                successor = arrow[v]
                tree[v] = UNDRAWN
                # An isolated node has threshold 0 and never wakes.
                if successor == ROOT and wakes_at[v] >= q:
                    first, last = indptr[offset + v], indptr[offset + v + 1]
                    state += GOLDEN
                    n_steps += 1
                    at = unit(state) * degree_of(cumulative, first, last)
                    successor = find_neighbour(indices, cumulative, first, last, at)
            arrow[v] = successor
            if successor == ROOT:
                tree[v] = n_trees
                n_trees += 1
            else:
                v = successor
        number = tree[v]
        v = start
        while tree[v] < 0:
            tree[v] = number
            v = arrow[v]
    return state, n_steps, n_entries


@kernel
def draw_forests(
    node_ptr,
    edge_ptr,
    indptr,
    indices,
    edge_of_arc,
    cumulative,
    edge_weight,
    qs,
    streams,
    parent,
    block,
):
    """Draw coupled forests of each graph at decreasing q.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    indptr : int64 array of shape (n_nodes + 1,)  # IN
    indices : int32 array of shape (n_arcs,)  # IN
        Neighbours numbered within their graph.
    edge_of_arc : int32 array of shape (n_arcs,), or empty  # IN
    cumulative : float64 array of shape (n_arcs,), or empty  # IN
        Running sum of weights along each node's arcs; empty for unweighted graphs.
    edge_weight : float64 array of shape (n_edges,), or empty  # IN
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
    wakes_at = np.empty(max_nodes, np.float64)
    members = np.empty(max_nodes, np.int32)
    place = np.empty(max_nodes, np.int32)
    n_steps = 0
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        n = node_ptr[g + 1] - offset
        state = streams[g]
        weights = edge_weight
        if len(edge_weight):
            weights = edge_weight[edge_ptr[g] : edge_ptr[g + 1]]
        # Without weights no walk is much longer than the largest q foretells.
        budget = most_entries(n) if len(cumulative) else np.inf
        is_over = False
        for level in range(len(qs)):
            q = qs[level]
            is_last = level + 1 == len(qs)
            arrow = parent[level, offset : offset + n]
            tree = block[level, offset : offset + n]
            # Value by value: numba compiles a check of shapes with an assignment of
            # slices, which takes longer than all the rest.
            for v in range(n):
                tree[v] = NOT_MET if level else UNDRAWN
                if level:
                    arrow[v] = parent[level - 1, offset + v]
            while True:
                if is_over or _has_long_walks(offset, n, q, indptr, cumulative):
                    state, n_drawn = _draw_small_components(
                        offset,
                        n,
                        q,
                        indptr,
                        indices,
                        cumulative,
                        weights,
                        edge_of_arc,
                        is_over,
                        state,
                        arrow,
                        tree,
                        wakes_at,
                        members,
                        place,
                    )
                    n_steps += n_drawn
                state, n_drawn, n_entries = _walk(
                    offset,
                    n,
                    q,
                    is_last,
                    budget,
                    indptr,
                    indices,
                    cumulative,
                    state,
                    arrow,
                    tree,
                    wakes_at,
                )
                n_steps += n_drawn
                if n_entries <= budget:
                    # Of all levels together, which the forest does not depend on.
                    budget -= n_entries
                    break
                # From here on without walks, where components are small enough.
                is_over, budget = True, np.inf
                tree[:] = UNDRAWN
    return n_steps


@kernel
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
