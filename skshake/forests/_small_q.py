"""Kernel: a forest of one small component by elimination, where walks would be long.

In: a component, q, the state of a generator. Out: its arrows, drawn exactly.

A walk takes about d / q steps before it stops at a root (d the mean degree), and goes
back and forth along heavy edges as often as they outweigh what leads away from them.
Elimination takes n^3 / 3 operations whatever q and the weights are. With the roots'
rate q as an edge to one more node, the ground, a rooted forest is a spanning tree.
Taking node v away from a graph joins its neighbours i and j by w_vi w_vj / d_v more
(d_v all of v's weight), and undone it draws trees: of a random tree of the smaller
graph each edge is taken out with the share that v lent to it, and v is joined to each
part that is left, at a node chosen with probability proportional to its weight to v.
For given parts, trees of the smaller graph sum to 1 / d_v times what trees with v do
(Cayley and Pruefer), so the law is exact. Nothing is subtracted, so no digits are lost,
however far weights are apart (Grassmann, Taksar & Heyman 1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import next_state, unit
from skshake.forests._neighbours import degree_of

# Components up to this size; a matrix of 512 x 512 fits into a second-level cache.
LARGEST_COMPONENT = 512
# Preparing takes as long as so many steps of a walk, and each of n^3 operations so much
# of a step (measured).
STEPS_TO_PREPARE, STEPS_PER_OPERATION = 1000.0, 0.125
GROUND = -1
# Instead of places: nodes that no component has been found of yet, and those of one
# that is too large.
UNSEEN, IN_LARGE = -1, -2
# Of an edge that no elimination made, but the graph has.
NEVER = -1


class Elimination(NamedTuple):
    """A component whose nodes were taken away, from the last to the second.

    ``a`` float64 (n, n): ``a[v, i]`` with i < v is the weight of the edge when v was
    taken away, and ``a[i, v]`` that in the graph; ``ground`` float64 (n,): the weight
    to the ground when v was taken away; ``total`` float64 (n,): all of v's weight then.
    """

    a: np.ndarray
    ground: np.ndarray
    total: np.ndarray


class Tree(NamedTuple):
    """The tree so far: int32 (n,) each.

    ``parent`` is the next node towards the ground, ``origin`` the node whose
    elimination made the edge to it, or NEVER.
    """

    parent: np.ndarray
    origin: np.ndarray


class Scratch(NamedTuple):
    """By part of the tree, (n + 1,) each: int32 numbers, the node by which v is joined
    to it, and the float64 weight of v to it."""

    part: np.ndarray
    chosen: np.ndarray
    weight: np.ndarray


@kernel(inline=True)
def is_worthwhile(n, mean_degree, q):
    """Whether elimination beats walking for a component of n nodes."""
    n_steps = mean_degree / q
    is_small = 1 < n <= LARGEST_COMPONENT
    return is_small and n_steps > STEPS_TO_PREPARE + STEPS_PER_OPERATION * n**3


def most_entries(n_nodes: np.ndarray) -> np.ndarray:
    """Entries that walks through graphs may draw before they are left."""
    size = np.minimum(n_nodes, LARGEST_COMPONENT)
    return STEPS_TO_PREPARE + STEPS_PER_OPERATION * size**2 * n_nodes


@kernel(inline=True)
def find_component(start, offset, graphs, members, place):
    """Nodes of the component of ``start``, and their number, unless they are too many.

    Parameters
    ----------
    start, offset : int  # IN, node within the graph, first node of the graph
    graphs : Walkable  # IN
    members : int32 array of at least LARGEST_COMPONENT entries  # OUT
    place : int32 array  # IN and OUT, UNSEEN, then the place among the members or
        IN_LARGE

    Returns
    -------
    n_members : int, 0 if there are more than LARGEST_COMPONENT

    Notes
    -----
    A search ends at the first node that is known to be in a large component, so most
    nodes of one need not look further than at their first neighbour.
    """
    indptr, indices = graphs.indptr, graphs.indices
    members[0] = start
    place[start] = 0
    # Not a literal 1, for which whatever takes it would be compiled once more.
    n_members = np.int64(1)
    k, is_large = 0, False
    while k < n_members and not is_large:
        v = offset + members[k]
        for arc in range(indptr[v], indptr[v + 1]):
            u = indices[arc]
            is_new = place[u] == UNSEEN
            if place[u] == IN_LARGE or (is_new and n_members == LARGEST_COMPONENT):
                is_large = True
                break
            if is_new:
                place[u] = n_members
                members[n_members] = u
                n_members += 1
        k += 1
    if not is_large:
        return n_members
    for k in range(n_members):
        place[members[k]] = IN_LARGE
    return np.int64(0)


@kernel(inline=True)
def _eliminate(eliminated):
    """Take nodes away from the last to the second.

    Parameters
    ----------
    eliminated : Elimination  # IN: the graph, and OUT: as described there
    """
    a, ground, total = eliminated
    for v in range(len(a) - 1, -1, -1):
        total[v] = ground[v]
        for i in range(v):
            total[v] += a[v, i]
        for i in range(v):
            if a[v, i] > 0.0:
                share = a[v, i] / total[v]
                ground[i] += share * ground[v]
                for j in range(i):
                    a[i, j] += share * a[v, j]


@kernel(inline=True)
def _choose_origin(v, i, eliminated, q, at):
    """Whose elimination made the edge of v and i < v; NEVER if the graph has it.

    ``at`` is uniform between 0 and the weight of the edge when v was taken away.
    """
    a, ground, total = eliminated
    done = q if i == GROUND else a[i, v]
    if at < done:
        return NEVER
    origin = NEVER
    for u in range(len(a) - 1, v, -1):
        weight = ground[u] if i == GROUND else a[u, i]
        lent = a[u, v] / total[u] * weight
        if lent > 0.0:
            origin = u
            done += lent
            if at < done:
                break
    return origin


@kernel(inline=True)
def _find_parts(v, tree, part):
    """Parts of the tree of the nodes before v without the edges that v lent.

    Parameters
    ----------
    v : int  # IN
    tree : Tree  # IN
    part : int32 array of shape (n,)  # OUT, 0 for the part of the ground

    Returns
    -------
    n_parts : int
    """
    parent, origin = tree
    n_parts = 1
    for i in range(v):
        part[i] = -1
        if origin[i] == v:
            part[i] = n_parts
            n_parts += 1
    for i in range(v):
        top = i
        while top != GROUND and part[top] < 0:
            top = parent[top]
        number = 0 if top == GROUND else part[top]
        node = i
        while node != top:
            part[node] = number
            node = parent[node]
    return n_parts


@kernel
def _join_again(v, eliminated, q, tree, scratch, state):
    """Put node v back into the tree of the nodes before it; the generator's state.

    Parameters
    ----------
    v : int  # IN
    eliminated : Elimination  # IN
    q : float  # IN
    tree : Tree  # IN and OUT
    scratch : Scratch
    state : uint64  # IN
    """
    a, ground, _ = eliminated
    parent, origin = tree
    part, chosen, weight = scratch
    n_parts = _find_parts(v, tree, part)
    for k in range(n_parts):
        weight[k] = 0.0
    weight[0] = ground[v]
    chosen[0] = GROUND
    for i in range(v):
        if a[v, i] > 0.0:
            k = part[i]
            weight[k] += a[v, i]
            state = next_state(state)
            if unit(state) * weight[k] < a[v, i]:
                chosen[k] = i
    for k in range(n_parts):
        node = chosen[k]
        whole = ground[v] if node == GROUND else a[v, node]
        state = next_state(state)
        at = unit(state) * whole
        made_by = _choose_origin(v, node, eliminated, q, at)
        if k == 0:
            parent[v], origin[v] = node, made_by
            continue
        # The part hangs from the node that joins v, so arrows on the way turn round.
        above = np.int32(v)
        while True:
            following, of_edge = parent[node], origin[node]
            parent[node], origin[node] = above, made_by
            if of_edge == v:
                break
            above, made_by, node = node, of_edge, following
    return state


@kernel
def draw_component(g, members, place, graphs, q, forests):
    """Arrows of one component's forest at q.

    Parameters
    ----------
    g : int  # IN, the graph
    members : int32 array of shape (n,)  # IN, nodes of the component
    place : int32 array  # IN, place of each node among the members
    graphs : Walkable  # IN
    q : float  # IN
    forests : Forests  # IN and OUT
        Arrows of the members, -1 for a root; the q at which such a root turns into an
        arrow; the generator's state.
    """
    node_ptr, edge_ptr, indptr, indices, edge_of_arc, edge_weight, cumulative = graphs
    n, offset = len(members), node_ptr[g]
    eliminated = Elimination(np.zeros((n, n)), np.full(n, q), np.empty(n))
    for i in range(n):
        v = offset + members[i]
        for arc in range(indptr[v], indptr[v + 1]):
            weight = 1.0
            if len(edge_weight):
                weight = edge_weight[edge_ptr[g] + edge_of_arc[arc]]
            eliminated.a[i, place[indices[arc]]] = weight
    _eliminate(eliminated)
    tree = Tree(np.empty(n, np.int32), np.empty(n, np.int32))
    scratch = Scratch(
        np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty(n + 1)
    )
    state = forests.states[g]
    for v in range(n):
        state = _join_again(v, eliminated, q, tree, scratch, state)
    for i in range(n):
        v = offset + members[i]
        if tree.parent[i] != GROUND:
            forests.arrow[v] = members[tree.parent[i]]
            continue
        forests.arrow[v] = -1
        degree = degree_of(cumulative, indptr[v], indptr[v + 1])
        state = next_state(state)
        at = unit(state) * q
        forests.wakes_at[v] = degree * at / (q + degree - at)
    forests.states[g] = state
