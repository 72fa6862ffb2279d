"""Return probabilities of random walks: what a node's surroundings look like.

In: a collection. Out: one column per number of steps, from 2 to the walk's length.

Walks from WIDTH nodes are followed at once, one in each place of a vector. With P the
transition matrix and d the degrees, the walk from v is after i steps at u with
probability (P^i)_vu = (d_u / d_v) (P^i)_uv, so it is back after i + j steps with
probability sum_u (d_u / d_v) (P^i)_uv (P^j)_uv: half as many steps suffice, and column
v of P^i, the numbers x_u, becomes that of P^(i+1) by an average over neighbours.

Of twins only the first is walked from (``_twins``). Let class c have m members of
degree d. From a member drawn at random, the walk is back in the class with a
probability that follows from the graph of classes: ``x_c`` is m times the number of
each member, and a step takes (m / d) times the sum over neighbouring classes, and
((m - 1) / d) x_c if the members are neighbours. That covers a part 1 / m of what starts
at one member. The rest, at it less at the others, is an eigenvector of P, with
eigenvalue -1 / d if they are neighbours and else 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel
from skshake._simd import WIDTH, load, store, zeros
from skshake.graphs._collection import GraphCollection
from skshake.graphs._features import FLOAT, Features, Field
from skshake.graphs._twins import Classes, find_twins, number_classes

# Arcs that WIDTH walks follow at once in a graph: so many times those it has, or these.
ARCS_PER_ARC, FOLLOWED_ARCS = 25, 20_000_000
# Twins are joined, and nodes numbered from near to near, in graphs of at most so many
# nodes: a copy of larger ones would take as much memory as they do.
COPIED_NODES = 65_536
# Up to so many nodes, walks are followed without asking where they can be.
FEW_NODES = 128
# A row of zeros comes before those of nodes.
ZERO_ROW = 0


class Walked(NamedTuple):
    """One graph of classes of twins, as walks follow it.

    ``indptr`` int64 (n + 1,), offsets into ``indices`` int32; ``weights`` float32 by
    arc, empty if all are 1; ``scale`` float32 (n,), members over degree; ``own``
    float32 (n,), what a class keeps of its number in a step.
    """

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    scale: np.ndarray
    own: np.ndarray


class Ball(NamedTuple):
    """Where walks from some nodes can be, and scratch for the step of their numbers.

    ``nodes`` int32 (n + 1,), filled in the order of distance; ``row_of_node`` int32
    (n,), the row of ``now`` and ``then`` that belongs to a node, or ZERO_ROW. ``now``
    and ``then`` float32 (n + 1, WIDTH). ``sums`` float32 (2, WIDTH).
    """

    nodes: np.ndarray
    row_of_node: np.ndarray
    now: np.ndarray
    then: np.ndarray
    sums: np.ndarray


@kernel(inline=True)
def _take_step(walked, n_nodes, nodes, row_of_node, now, then, sums):
    """Numbers after one more step, from ``now`` to ``then``, of the nodes of a ball.

    Also writes ``sums[0]``, for walks of an odd length, and ``sums[1]``, of an even.
    """
    indptr, indices, weights, scale, own = walked
    odd, even = zeros(), zeros()
    for k in range(n_nodes):
        u = nodes[k]
        total = zeros()
        if len(weights):
            for arc in range(indptr[u], indptr[u + 1]):
                total = total + load(now, row_of_node[indices[arc]], 0) * weights[arc]
        else:
            for arc in range(indptr[u], indptr[u + 1]):
                # Unsigned, so that numba need not look for indices from the end.
                w = np.uint32(indices[np.uint64(arc)])
                total = total + load(now, row_of_node[w], 0)
        total = total * scale[u]
        before = load(now, k + 1, 0)
        if own[u] > 0.0:
            total = total + before * own[u]
        store(then, k + 1, 0, total)
        of_degree = total * (np.float32(1.0) / scale[u])
        odd = odd + before * of_degree
        even = even + total * of_degree
    store(sums, 0, 0, odd)
    store(sums, 1, 0, even)


@kernel
def _add_neighbours(walked, n_done, n_nodes, nodes, row_of_node):
    """Nodes of a ball with one more step: neighbours of those that are not done."""
    indptr, indices = walked.indptr, walked.indices
    for k in range(n_done, n_nodes):
        u = nodes[k]
        for arc in range(indptr[u], indptr[u + 1]):
            # Without a branch, which no processor could predict: the next free place is
            # written in any case.
            w = np.uint32(indices[np.uint64(arc)])
            row = row_of_node[w]
            is_new = np.int64(row == ZERO_ROW)
            nodes[np.uint64(n_nodes)] = w
            n_nodes += is_new
            row_of_node[w] = row + is_new * n_nodes
    return n_nodes


@kernel
def follow_walks(walked, n_steps, most_arcs, ball, row_of_class, known):
    """Probability that a walk from each class is back in it, unless it is too long.

    Parameters
    ----------
    walked : Walked  # IN
    n_steps : int  # IN, at least 2
    most_arcs : float  # IN, arcs that may be followed, by WIDTH walks at once
    ball : Ball  # scratch, ``row_of_node`` and row 0 of ``now`` and ``then`` are zeros
    row_of_class : int32 array of shape (at least n_classes,)  # IN
    known : float32 array of shape (n_rows, n_steps - 1)  # OUT
        Rows of classes; NaN where that would take too many arcs.
    """
    indptr, indices, weights, scale, own = walked
    nodes, row_of_node, now, then, sums = ball
    n = len(scale)
    n_blocks = (n + WIDTH - 1) // WIDTH
    knows_all = n <= FEW_NODES
    if knows_all:
        for u in range(n):
            nodes[u], row_of_node[u] = u, u + 1
    for first in range(0, n, WIDTH):
        last = min(first + WIDTH, n)
        n_nodes = n_done = 0
        if knows_all:
            n_nodes = n_done = n
        else:
            for u in range(first, last):
                nodes[n_nodes] = u
                n_nodes += 1
                row_of_node[u] = n_nodes
            n_nodes = _add_neighbours(walked, 0, n_nodes, nodes, row_of_node)
            n_done = last - first
        for k in range(1, n_nodes + 1):
            store(now, k, 0, zeros())
        # After one step.
        for u in range(first, last):
            back = own[u] * own[u] / scale[u]
            now[row_of_node[u], u - first] = own[u]
            for arc in range(indptr[u], indptr[u + 1]):
                w = indices[arc]
                number = scale[w]
                if len(weights):
                    number *= weights[arc]
                now[row_of_node[w], u - first] = number
                back += number * number / scale[w]
            known[row_of_class[u], 0] = back * scale[u]
        n_arcs = n_counted = n_followed = 0
        for step in range(3, n_steps + 1, 2):
            if not knows_all:
                n_before = n_nodes
                n_nodes = _add_neighbours(walked, n_done, n_nodes, nodes, row_of_node)
                n_done = n_before
                for k in range(n_before + 1, n_nodes + 1):
                    store(now, k, 0, zeros())
            for k in range(n_counted, n_nodes):
                n_arcs += indptr[nodes[k] + 1] - indptr[nodes[k]]
            n_counted = n_nodes
            n_followed += n_arcs
            if n_followed * n_blocks > most_arcs:
                for u in range(first, last):
                    known[row_of_class[u], step - 2 :] = np.nan
                break
            _take_step(walked, n_nodes, nodes, row_of_node, now, then, sums)
            for u in range(first, last):
                row = row_of_class[u]
                known[row, step - 2] = sums[0, u - first] * scale[u]
                if step < n_steps:
                    known[row, step - 1] = sums[1, u - first] * scale[u]
            now, then = then, now
        if not knows_all:
            for k in range(n_nodes):
                row_of_node[nodes[k]] = ZERO_ROW
    if knows_all:
        for u in range(n):
            row_of_node[u] = ZERO_ROW


@kernel
def _describe_classes(n_classes, classes, degrees, scale, own):
    """``scale`` and ``own`` of :class:`Walked`, of the classes of one graph."""
    _, are_adjacent, order, _, sizes = classes
    for c in range(n_classes):
        v = order[c]
        scale[c], own[c] = 1.0, 0.0
        if degrees[v] > 0.0:
            scale[c] = sizes[c] / degrees[v]
            if are_adjacent[v]:
                own[c] = (sizes[c] - 1) / degrees[v]


@kernel
def _copy_arcs(graphs, g, n_classes, classes, ptr, indices, weights):
    """Arcs between the classes of graph g, by number, and their weights if any."""
    node_ptr, edge_ptr, all_ptr, all_indices, edge_of_arc, edge_weight = graphs
    offset, n_arcs = node_ptr[g], 0
    ptr[0] = 0
    for c in range(n_classes):
        v = offset + classes.order[c]
        for arc in range(all_ptr[v], all_ptr[v + 1]):
            w = all_indices[arc]
            # Whoever is next to one member is next to all.
            if classes.first[w] == w and classes.number[w] != c:
                indices[n_arcs] = classes.number[w]
                if len(weights):
                    weights[n_arcs] = edge_weight[edge_ptr[g] + edge_of_arc[arc]]
                n_arcs += 1
        ptr[c + 1] = n_arcs


@kernel
def _spread(classes, degrees, returns):
    """Probabilities of the nodes of one graph, given those of first nodes' classes."""
    first, are_adjacent, _, number, sizes = classes
    volume = degrees.sum()
    # Backwards, since those of a class are in the row of its first node.
    for v in range(len(degrees) - 1, -1, -1):
        c, degree = number[v], degrees[v]
        if degree == 0.0:
            returns[v] = 1.0
            continue
        for k in range(returns.shape[1]):
            returns[v, k] = returns[first[v], k]
        if sizes[c] > 1:
            part = 1.0 / sizes[c]
            eigenvalue = -1.0 / degree if are_adjacent[v] else 0.0
            rest = (1.0 - part) * eigenvalue
            for k in range(returns.shape[1]):
                rest *= eigenvalue
                returns[v, k] = part * returns[v, k] + rest
        if np.isnan(returns[v, returns.shape[1] - 1]):
            for k in range(returns.shape[1]):
                if np.isnan(returns[v, k]):
                    returns[v, k] = degree / volume


@kernel
def walk_from_each_node(graphs, degrees, n_before, columns):
    """Probability that a walk from a node is there again after 2, 3, ... steps.

    Parameters
    ----------
    graphs : Structure  # IN
    degrees : float64 array of shape (n_nodes,)  # IN
    n_before : int  # IN, columns that stay as they are
    columns : float32 array of shape (n_nodes, n_before + n_steps - 1)  # OUT
    """
    node_ptr, _, indptr, indices, _, edge_weight = graphs
    n_steps = columns.shape[1] - n_before + 1
    is_weighted = len(edge_weight) > 0
    most_nodes = most_copied = most_arcs = 0
    for g in range(len(node_ptr) - 1):
        n = node_ptr[g + 1] - node_ptr[g]
        most_nodes = max(most_nodes, n)
        if is_weighted or n <= COPIED_NODES:
            most_copied = max(most_copied, n)
            most_arcs = max(most_arcs, indptr[node_ptr[g + 1]] - indptr[node_ptr[g]])
    # Pages that are never written, such as those of rows that no ball reaches, cost
    # nothing.
    ball = Ball(
        np.empty(most_nodes + 1, np.int32),
        np.zeros(most_nodes, np.int32),
        np.empty((most_nodes + 1, WIDTH), np.float32),
        np.empty((most_nodes + 1, WIDTH), np.float32),
        np.empty((2, WIDTH), np.float32),
    )
    store(ball.now, ZERO_ROW, 0, zeros())
    store(ball.then, ZERO_ROW, 0, zeros())
    classes = Classes(
        np.empty(most_nodes, np.int32),
        np.empty(most_nodes, np.bool_),
        np.empty(most_nodes + 1, np.int32),
        np.empty(most_nodes, np.int32),
        np.empty(most_nodes, np.int32),
    )
    near_ptr, near = np.empty(most_copied + 1, np.int64), np.empty(most_arcs, np.int32)
    weights = np.empty(most_arcs * is_weighted, np.float32)
    scale = np.empty(most_nodes, np.float32)
    own = np.empty(most_nodes, np.float32)
    for g in range(len(node_ptr) - 1):
        offset, end = node_ptr[g], node_ptr[g + 1]
        n, ptr, neighbours = end - offset, indptr[offset : end + 1], indices
        for v in range(n):
            classes.first[v] = classes.order[v] = classes.number[v] = v
            classes.sizes[v], classes.are_adjacent[v] = 1, False
        n_classes, is_copied = n, WIDTH < n <= COPIED_NODES
        if is_copied:
            if not is_weighted:
                find_twins(ptr, indices, classes)
            n_classes = number_classes(ptr, indices, classes)
        _describe_classes(n_classes, classes, degrees[offset:end], scale, own)
        if is_copied or is_weighted:
            _copy_arcs(graphs, g, n_classes, classes, near_ptr, near, weights)
            ptr, neighbours = near_ptr[: n_classes + 1], near
        walked = Walked(ptr, neighbours, weights, scale[:n_classes], own[:n_classes])
        n_arcs = indptr[end] - indptr[offset]
        most_followed = max(ARCS_PER_ARC * n_arcs, FOLLOWED_ARCS)
        returns = columns[offset:end, n_before:]
        follow_walks(walked, n_steps, most_followed, ball, classes.order, returns)
        _spread(classes, degrees[offset:end], returns)


def return_probabilities(graphs: GraphCollection, walk_length: int) -> np.ndarray:
    """Probability that a random walk from each node is back after so many steps.

    Parameters
    ----------
    graphs : GraphCollection
    walk_length : int
        Largest number of steps; at least 2.

    Returns
    -------
    returns : float32 array of shape (n_nodes, walk_length - 1)
        After 2, 3, ..., ``walk_length`` steps; 1 for a node without neighbours.

    References
    ----------
    Dwivedi et al. (2022), "Graph Neural Networks with Learnable Structural and
    Positional Representations".
    """
    returns = np.empty((graphs.n_nodes, walk_length - 1), FLOAT)
    walk_from_each_node(graphs.structure, graphs.degrees, 0, returns)
    return returns


def with_return_probabilities(
    graphs: GraphCollection, walk_length: int, bare: GraphCollection | None = None
) -> GraphCollection:
    """Append return probabilities to the node features; none if the length is 0.

    ``bare``, if given, are the same graphs without features, whose arcs are taken (and
    kept).
    """
    if not walk_length:
        return graphs
    features = graphs.node_features
    n_before, n_added = features.widths[0], walk_length - 1
    numeric = np.empty((len(features), n_before + n_added), FLOAT)
    numeric[:, :n_before] = features.numeric
    bare = graphs if bare is None else bare
    walk_from_each_node(bare.structure, bare.degrees, n_before, numeric)
    field = Field("return_probability", False, n_added)
    both = Features(numeric, features.categories, (*features.fields, field))
    return graphs.with_node_features(both)
