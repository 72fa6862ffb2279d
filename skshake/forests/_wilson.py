"""Kernels: Kirchhoff forests of many graphs at decreasing q, one level after the other.

In: CSR arcs, q values, one stream per graph. Out: parents and blocks at each q.

Wilson's algorithm seen as cycle popping: each node holds a stack of entries, "root" or
an arrow to a neighbour; the arrows that no cycle pops form the forest. Entries drawn at
q stay valid at q' < q, except that a root drawn with the uniform u wakes up and turns
into an arrow once q' <= d u / (1 - u). So all levels together cost as much walking as
the smallest q alone (Tremblay, Barthelmé, Usevich & Amblard 2023; method in
``docs/guide/forests.md``). One q is the special case of one level. Components in which
walks would hardly stop, because q is tiny, are drawn by ``_small_q`` instead. So are
those of a graph with weights whose walks turn out to draw too many entries: how many
cycles are popped is independent of the forest that is left, so giving up leaves its law
as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake._prefetch import prefetch
from skshake._splitmix import next_state, unit
from skshake.forests._neighbours import Walkable, degree_of, find_neighbour
from skshake.forests._small_q import (
    LARGEST_COMPONENT,
    UNSEEN,
    draw_component,
    find_component,
    is_worthwhile,
    most_entries,
)
from skshake.graphs import rows_of

ROOT = -1
# Marks of nodes outside all trees: the entry of the level before is still to be met, or
# a fresh entry is to be drawn.
NOT_MET, UNDRAWN = -1, -2
# What the arrow leads to of a node whose walk begins so much later is fetched: that
# takes as long as a few walks.
AHEAD = 8


class Forests(NamedTuple):
    """Forests of all graphs at one level, while they are drawn.

    ``states`` uint64 (n_graphs,), of the generators. The rest by node: ``arrow`` int32,
    the successor within the graph or ROOT; ``tree`` int32, the number of its tree, or
    NOT_MET or UNDRAWN outside all trees; ``wakes_at`` float64, the q at which a root
    turns into an arrow.
    """

    states: np.ndarray
    arrow: np.ndarray
    tree: np.ndarray
    wakes_at: np.ndarray


@kernel
def find_long_walks(graphs, q, has_long):
    """Whether components of each graph may be better drawn by elimination.

    Parameters
    ----------
    graphs : Walkable  # IN
    q : float  # IN
    has_long : bool array of shape (n_graphs,)  # OUT
    """
    node_ptr, indptr = graphs.node_ptr, graphs.indptr
    cumulative = graphs.cumulative
    for g in range(len(node_ptr) - 1):
        first, last = node_ptr[g], node_ptr[g + 1]
        # No component is worth it if a pair of nodes of the largest degree is not.
        largest = float(last - first - 1)
        if len(cumulative) or is_worthwhile(2, largest, q):
            largest = 0.0
            for v in range(first, last):
                degree = degree_of(cumulative, indptr[v], indptr[v + 1])
                if degree > largest:
                    largest = degree
        has_long[g] = is_worthwhile(2, largest, q)


@kernel
def draw_small_components(chosen, takes_all, graphs, q, forests):
    """Draw the components of some graphs in which walks would hardly stop.

    Their nodes get arrows with the exact law at q, which the level's walks then follow
    as if they came from the level before.

    Parameters
    ----------
    chosen : int64 array of shape (n_chosen,)  # IN, graphs
    takes_all : bool array of shape (n_graphs,)  # IN, whether all small ones are meant
    graphs : Walkable  # IN
    q : float  # IN
    forests : Forests  # IN and OUT

    Returns
    -------
    n_steps : int
        One per node that is drawn.
    """
    node_ptr, indptr = graphs.node_ptr, graphs.indptr
    max_nodes = 0
    for g in chosen:
        max_nodes = max(max_nodes, node_ptr[g + 1] - node_ptr[g])
    members = np.empty(LARGEST_COMPONENT, np.int32)
    place = np.empty(max_nodes, np.int32)
    n_steps = 0
    for g in chosen:
        offset, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        for v in range(n):
            place[v] = UNSEEN
        for start in range(n):
            if place[start] != UNSEEN:
                continue
            size = find_component(start, offset, graphs, members, place)
            if size < 2:
                continue
            total_degree = 0.0
            for k in range(size):
                v = offset + members[k]
                total_degree += degree_of(graphs.cumulative, indptr[v], indptr[v + 1])
            if takes_all[g] or is_worthwhile(size, total_degree / size, q):
                draw_component(g, members[:size], place, graphs, q, forests)
                n_steps += size
                for k in range(size):
                    forests.tree[offset + members[k]] = NOT_MET
    return n_steps


@kernel
def walk_graphs(chosen, graphs, q, is_last, budgets, forests):
    """Walks of some graphs at one q, from each node to a tree that is there already.

    Parameters
    ----------
    chosen : int64 array of shape (n_chosen,)  # IN, graphs
    graphs : Walkable  # IN
    q : float  # IN
    is_last : bool  # IN, no smaller q follows
    budgets : float64 array of shape (n_graphs,)  # IN and OUT
        Fresh entries that may be drawn; negative where walks were left for want of
        them.
    forests : Forests  # IN and OUT

    Returns
    -------
    n_steps : int
        Random draws.
    """
    # Taken out of the records here, once: each time costs a count of references.
    node_ptr, _, indptr, indices, _, _, cumulative = graphs
    states, arrow, tree, wakes_at = forests
    n_steps = 0
    for g in chosen:
        offset, budget, state = node_ptr[g], budgets[g], states[g]
        n_trees, n_entries, end = 0, 0, node_ptr[g + 1]
        for start in range(offset, end):
            ahead = start + AHEAD
            if ahead < end and tree[ahead] == NOT_MET:
                following = offset + arrow[ahead]
                prefetch(tree, following)
                prefetch(arrow, following)
            v = start
            while tree[v] < 0:
                if tree[v] == UNDRAWN:
                    # A fresh entry: the first one, or after a cycle was popped.
                    n_entries += 1
                    if n_entries > budget:
                        break
                    first, last = indptr[v], indptr[v + 1]
                    degree = degree_of(cumulative, first, last)
                    state = next_state(state)
                    n_steps += 1
                    at = unit(state) * (q + degree)
                    successor = ROOT
                    if at >= q:
                        at -= q
                        successor = find_neighbour(indices, cumulative, first, last, at)
                    elif not is_last:
                        wakes_at[v] = degree * at / (q + degree - at)
                    arrow[v] = successor
                else:
                    # The entry of the level before: met for the first time.
                    successor = arrow[v]
                    tree[v] = UNDRAWN
                    # An isolated node has threshold 0 and never wakes.
                    if successor == ROOT and wakes_at[v] >= q:
                        first, last = indptr[v], indptr[v + 1]
                        state = next_state(state)
                        n_steps += 1
                        at = unit(state) * degree_of(cumulative, first, last)
                        successor = find_neighbour(indices, cumulative, first, last, at)
                        arrow[v] = successor
                if successor == ROOT:
                    tree[v] = n_trees
                    n_trees += 1
                else:
                    v = offset + successor
            if n_entries > budget:
                break
            number = tree[v]
            v = start
            while tree[v] < 0:
                tree[v] = number
                v = offset + arrow[v]
        states[g] = state
        budgets[g] = budget - n_entries
    return n_steps


def draw_forests(
    graphs: Walkable,
    qs: np.ndarray,
    streams: np.ndarray,
    parent: np.ndarray,
    block: np.ndarray,
) -> int:
    """Draw coupled forests of each graph at decreasing q.

    Parameters
    ----------
    graphs : Walkable
    qs : float64 array of shape (n_levels,)
        Finite, positive, decreasing.
    streams : uint64 array of shape (n_graphs,)
        States of the generators.
    parent : int32 array of shape (n_levels, n_nodes)
        Written: successor within the graph, ROOT for a root.
    block : int32 array of shape (n_levels, n_nodes)
        Written: tree of each node, numbered within the graph by first appearance.

    Returns
    -------
    n_steps : int
        Entries drawn; the expected walk length bounds the cost.

    Notes
    -----
    The kernels are apart, because most graphs never need that of small components,
    which takes as long to compile as the walks.
    """
    node_ptr = graphs.node_ptr
    n_nodes, states, n_steps = np.diff(node_ptr), streams.copy(), 0
    wakes_at = np.empty(node_ptr[-1])
    # Without weights no walk is much longer than the largest q foretells. Of all levels
    # together, which the forest does not depend on.
    budgets = np.full(len(n_nodes), np.inf)
    if len(graphs.cumulative):
        budgets = most_entries(n_nodes.astype(float))
    is_over, has_long = np.zeros((2, len(n_nodes)), bool)
    for level, q in enumerate(qs.tolist()):
        if level:
            parent[level] = parent[level - 1]
        block[level] = NOT_MET if level else UNDRAWN
        forests = Forests(states, parent[level], block[level], wakes_at)
        is_last = level + 1 == len(qs)
        find_long_walks(graphs, q, has_long)
        has_long |= is_over
        chosen = np.arange(len(n_nodes))
        while len(chosen):
            small = chosen[has_long[chosen]]
            if len(small):
                n_steps += draw_small_components(small, is_over, graphs, q, forests)
            n_steps += walk_graphs(chosen, graphs, q, is_last, budgets, forests)
            # From here on without walks, where components are small enough.
            chosen = np.flatnonzero(budgets < 0)
            is_over[chosen] = has_long[chosen] = True
            budgets[chosen] = np.inf
            block[level, rows_of(node_ptr, chosen)[0]] = UNDRAWN
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
