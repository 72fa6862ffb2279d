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
# Of an edge that no elimination made, but the graph has.
NEVER = -1


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
def find_component(start, offset, indptr, indices, members, place):
    """Nodes of the component of ``start``, and their number.

    Parameters
    ----------
    start, offset : int  # IN, node within the graph, first node of the graph
    indptr : int64 array of shape (n_nodes + 1,)  # IN
    indices : int32 array of shape (n_arcs,)  # IN
    members : int32 array  # OUT
    place : int32 array  # IN and OUT, -1 for nodes not met yet, then their place

    Returns
    -------
    n_members : int
    """
    members[0] = start
    place[start] = 0
    # Not a literal 1, for which whatever takes it would be compiled once more.
    n_members = np.int64(1)
    k = 0
    while k < n_members:
        v = offset + members[k]
        for arc in range(indptr[v], indptr[v + 1]):
            u = indices[arc]
            if place[u] < 0:
                place[u] = n_members
                members[n_members] = u
                n_members += 1
        k += 1
    return n_members


@kernel(inline=True)
def _eliminate(a, ground, total):
    """Take nodes away from the last to the second.

    Parameters
    ----------
    a : float64 array of shape (n, n)  # IN and OUT
        Weights. Afterwards ``a[v, i]`` with i < v is the weight when v was taken away;
        ``a[i, v]`` stays that of the graph.
    ground : float64 array of shape (n,)  # IN and OUT, weight to the ground
    total : float64 array of shape (n,)  # OUT, all weight of v when it was taken away
    """
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
def _choose_origin(v, i, a, ground, total, q, at):
    """Whose elimination made the edge of v and i < v; NEVER if the graph has it.

    ``at`` is uniform between 0 and the weight of the edge when v was taken away.
    """
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
def _find_parts(v, parent, origin, part):
    """Parts of the tree of the nodes before v without the edges that v lent.

    Parameters
    ----------
    v : int  # IN
    parent, origin : int32 arrays of shape (n,)  # IN
    part : int32 array of shape (n,)  # OUT, 0 for the part of the ground

    Returns
    -------
    n_parts : int
    """
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
def _join_again(v, a, ground, total, q, parent, origin, part, chosen, weight, state):
    """Put node v back into the tree of the nodes before it; the generator's state.

    Parameters
    ----------
    v : int  # IN
    a, ground, total : arrays  # IN, as ``_eliminate`` leaves them
    q : float  # IN
    parent, origin : int32 arrays of shape (n,)  # IN and OUT
        Next node towards the ground, and whose elimination made the edge to it.
    part, chosen : int32 arrays of shape (n + 1,)  # scratch
    weight : float64 array of shape (n + 1,)  # scratch
    state : uint64  # IN
    """
    n_parts = _find_parts(v, parent, origin, part)
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
        made_by = _choose_origin(v, node, a, ground, total, q, at)
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
def draw_component(
    members,
    n,
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
):
    """Arrows of one component's forest at q.

    Parameters
    ----------
    members, n : int32 array, int  # IN, nodes of the component and their number
    place : int32 array  # IN, place of each node among the members
    offset : int  # IN, first node of the graph
    q : float  # IN
    indptr, indices, cumulative : arrays  # IN, as in ``draw_forests``
    weights : float64 array  # IN, of the graph's edges, or empty
    edge_of_arc : int32 array of shape (n_arcs,)  # IN
    state : uint64  # IN
    arrow : int32 array  # OUT, -1 for a root
    wakes_at : float64 array  # OUT, q at which a root turns into an arrow

    Returns
    -------
    state : uint64
    n_steps : int
    """
    a = np.zeros((n, n))
    for i in range(n):
        v = offset + members[i]
        for arc in range(indptr[v], indptr[v + 1]):
            weight = weights[edge_of_arc[arc]] if len(weights) else 1.0
            a[i, place[indices[arc]]] = weight
    ground, total = np.full(n, q), np.empty(n)
    _eliminate(a, ground, total)
    parent, origin = np.empty(n, np.int32), np.empty(n, np.int32)
    part, chosen = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    scratch = np.empty(n + 1)
    for v in range(n):
        state = _join_again(
            v, a, ground, total, q, parent, origin, part, chosen, scratch, state
        )
    for i in range(n):
        node = members[i]
        if parent[i] != GROUND:
            arrow[node] = members[parent[i]]
            continue
        arrow[node] = -1
        v = offset + node
        degree = degree_of(cumulative, indptr[v], indptr[v + 1])
        state = next_state(state)
        at = unit(state) * q
        wakes_at[node] = degree * at / (q + degree - at)
    return state, n
