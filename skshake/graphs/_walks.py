"""Return probabilities of random walks: what a node's surroundings look like.

In: a collection. Out: one column per number of steps, from 2 to the walk's length.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.graphs._collection import GraphCollection
from skshake.graphs._features import FLOAT, Features, Field

# Arcs followed in a graph: so many times those it has, or these.
ARCS_PER_ARC, FOLLOWED_ARCS = 100, 20_000_000


@kernel
def walk_from_each_node(graphs, degrees, returns):
    """Probability that a walk from a node is there again after 2, 3, ... steps.

    Parameters
    ----------
    graphs : Structure  # IN
    degrees : float64 array of shape (n_nodes,)  # IN
    returns : float32 array of shape (n_nodes, n_steps - 1)  # OUT

    Notes
    -----
    Walks are reversible, so with x_i the distribution after i steps from v the walk is
    back after i + j with probability sum_u x_i(u) x_j(u) d_v / d_u: half as many steps
    suffice. Walks that would follow too many arcs count as mixed: they are back with
    the share of the graph's degrees that v has.
    """
    node_ptr, edge_ptr, indptr, indices, edge_of_arc, edge_weight = graphs
    n_steps = returns.shape[1] + 1
    most_nodes = 0
    for g in range(len(node_ptr) - 1):
        most_nodes = max(most_nodes, node_ptr[g + 1] - node_ptr[g])
    now, then = np.zeros(most_nodes), np.zeros(most_nodes)
    here, there = np.empty(most_nodes, np.int32), np.empty(most_nodes, np.int32)
    known = np.empty(n_steps + 2)
    for g in range(len(node_ptr) - 1):
        offset, end = node_ptr[g], node_ptr[g + 1]
        if end == offset:
            continue
        n_arcs = indptr[end] - indptr[offset]
        most_arcs = max(ARCS_PER_ARC * n_arcs, FOLLOWED_ARCS) // (end - offset)
        volume = 0.0
        for v in range(offset, end):
            volume += degrees[v]
        for v in range(end - offset):
            if degrees[offset + v] == 0.0:
                returns[offset + v] = 1.0
                continue
            now[v], here[0], n_here = 1.0, v, 1
            done, n_followed = 1, 0
            while done <= n_steps:
                n_next = 0
                for k in range(n_here):
                    n_next += indptr[offset + here[k] + 1] - indptr[offset + here[k]]
                n_followed += n_next
                if done > 1 and n_followed > most_arcs:
                    break
                n_there = 0
                for k in range(n_here):
                    u = offset + here[k]
                    share = now[here[k]] / degrees[u]
                    for arc in range(indptr[u], indptr[u + 1]):
                        w = indices[arc]
                        if then[w] == 0.0:
                            there[n_there] = w
                            n_there += 1
                        if len(edge_weight):
                            weight = edge_weight[edge_ptr[g] + edge_of_arc[arc]]
                            then[w] += share * weight
                        else:
                            then[w] += share
                odd = 0.0
                for k in range(n_here):
                    u = here[k]
                    odd += now[u] * then[u] / degrees[offset + u]
                    now[u] = 0.0
                even = 0.0
                for k in range(n_there):
                    u = there[k]
                    even += then[u] * then[u] / degrees[offset + u]
                if done > 1:
                    known[done] = odd * degrees[offset + v]
                known[done + 1] = even * degrees[offset + v]
                done += 2
                now, then = then, now
                here, there = there, here
                n_here = n_there
            for k in range(n_here):
                now[here[k]] = 0.0
            for step in range(2, n_steps + 1):
                if step >= done:
                    known[step] = degrees[offset + v] / volume
                returns[offset + v, step - 2] = known[step]


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
    walk_from_each_node(graphs.structure, graphs.degrees, returns)
    return returns


def with_return_probabilities(
    graphs: GraphCollection, walk_length: int
) -> GraphCollection:
    """Append return probabilities to the node features; none if the length is 0."""
    if not walk_length:
        return graphs
    returns = return_probabilities(graphs, walk_length)
    features = graphs.node_features
    field = Field("return_probability", False, returns.shape[1])
    both = Features(
        np.hstack([features.numeric, returns]),
        features.categories,
        (*features.fields, field),
    )
    return graphs.with_node_features(both)
