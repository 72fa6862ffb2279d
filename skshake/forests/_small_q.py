"""Kernel: a forest of one small component when q is so small that walks hardly stop.

In: a component, q, the state of a generator. Out: its arrows, drawn exactly.

A walk takes about d / q steps before it stops at a root (d the mean degree), whatever
the size of the component. Instead, one node r is made a root beforehand, with
probability proportional to K_rr from the inverse of qI + L; Wilson's walks then end
there quickly. A forest with roots R comes out with probability proportional to P(F) |R|
and is accepted with probability 1 / |R|, which leaves P(F). For small q there is nearly
always one root, and nearly every draw is accepted.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.forests._generator import degree_of, find_neighbour, unit
from skshake.graphs import GOLDEN

# Components up to this size; an inverse of 512 x 512 fits into a second-level cache.
LARGEST_COMPONENT = 512
# Preparing an inverse takes as long as so many steps of a walk, and each of its n^3
# operations so much of a step (measured).
STEPS_TO_PREPARE, STEPS_PER_OPERATION = 1000.0, 0.125


@kernel
def is_worthwhile(n, mean_degree, q):
    """Whether inverting beats walking for a component of n nodes."""
    n_steps = mean_degree / q
    is_small = 1 < n <= LARGEST_COMPONENT
    return is_small and n_steps > STEPS_TO_PREPARE + STEPS_PER_OPERATION * n**3


@kernel
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
    n_members = 1
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


@kernel
def _root_weights(members, n, place, offset, q, indptr, indices, cumulative):
    """Diagonal of (qI + L)^-1 of a component, by Gauss-Jordan elimination.

    The matrix is symmetric and positive definite, so no pivoting is needed.
    """
    a = np.zeros((n, n))
    for i in range(n):
        v = offset + members[i]
        first, last = indptr[v], indptr[v + 1]
        a[i, i] = q + degree_of(cumulative, first, last)
        before = 0.0
        for arc in range(first, last):
            weight = 1.0
            if len(cumulative):
                weight = cumulative[arc] - before
                before = cumulative[arc]
            a[i, place[indices[arc]]] = -weight
    for k in range(n):
        pivot = 1.0 / a[k, k]
        a[k, k] = 1.0
        for j in range(n):
            a[k, j] *= pivot
        for i in range(n):
            if i != k:
                factor = a[i, k]
                a[i, k] = 0.0
                for j in range(n):
                    a[i, j] -= factor * a[k, j]
    return np.diag(a).copy()


@kernel
def draw_component(
    members, n, place, offset, q, indptr, indices, cumulative, state, arrow, wakes_at
):
    """Arrows of one component's forest at q.

    Parameters
    ----------
    members, n : int32 array, int  # IN, nodes of the component and their number
    place : int32 array  # IN, place of each node among the members
    offset : int  # IN, first node of the graph
    q : float  # IN
    indptr, indices, cumulative : arrays  # IN, as in ``draw_forests``
    state : uint64  # IN
    arrow : int32 array  # OUT, -1 for a root
    wakes_at : float64 array  # OUT, q at which a root turns into an arrow

    Returns
    -------
    state : uint64
    n_steps : int
    """
    weights = np.cumsum(
        _root_weights(members, n, place, offset, q, indptr, indices, cumulative)
    )
    is_in_tree = np.empty(n, np.bool_)
    n_steps = 0
    while True:
        state += GOLDEN
        chosen = np.searchsorted(weights, unit(state) * weights[-1], side="right")
        is_in_tree[:] = False
        chosen = min(chosen, n - 1)
        is_in_tree[chosen] = True
        arrow[members[chosen]] = -1
        n_roots = 1
        for start in range(n):
            i = start
            while not is_in_tree[i]:
                v = offset + members[i]
                first, last = indptr[v], indptr[v + 1]
                degree = degree_of(cumulative, first, last)
                state += GOLDEN
                n_steps += 1
                at = unit(state) * (q + degree)
                if at < q:
                    arrow[members[i]] = -1
                    is_in_tree[i] = True
                    n_roots += 1
                else:
                    arrow[members[i]] = find_neighbour(
                        indices, cumulative, first, last, at - q
                    )
                    i = place[arrow[members[i]]]
            i = start
            while not is_in_tree[i]:
                is_in_tree[i] = True
                i = place[arrow[members[i]]]
        state += GOLDEN
        if unit(state) * n_roots < 1.0:
            break
    for i in range(n):
        if arrow[members[i]] == -1:
            v = offset + members[i]
            degree = degree_of(cumulative, indptr[v], indptr[v + 1])
            state += GOLDEN
            at = unit(state) * q
            wakes_at[members[i]] = degree * at / (q + degree - at)
    return state, n_steps
