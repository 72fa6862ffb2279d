r"""weigh_messages: what a coarse edge weighs in messages.

In: a level. Out: the weight of each of its edges, divided by the root of the sizes of
the two blocks.

With Z the 0/1 matrix of nodes and blocks and S = Z'Z their sizes on the diagonal, these
are the entries of S^-1/2 Z'AZ S^-1/2, the weights A as they act on what is constant on
each block. Their sums over the neighbours of a block grow with its degree, as those
of input nodes do, and not with its size too.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.graphs import FLOAT
from skshake.hierarchy import Level


@kernel
def divide_by_sizes(node_ptr, edge_ptr, edges, edge_weight, sizes, weights):
    """Weights of edges over the geometric mean of the sizes of both ends.

    Parameters
    ----------
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)  # IN
    edges : int32 array of shape (n_edges, 2)  # IN, numbered within their graph
    edge_weight : float32 array of shape (n_edges,)  # IN
    sizes : int64 array of shape (n_nodes,)  # IN
    weights : float32 array of shape (n_edges,)  # OUT
    """
    for g in range(len(node_ptr) - 1):
        offset = node_ptr[g]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            product = sizes[offset + edges[e, 0]] * sizes[offset + edges[e, 1]]
            weights[e] = edge_weight[e] / np.sqrt(product)


def weigh_messages(level: Level, input_node_ptr: np.ndarray) -> np.ndarray:
    """Weights in messages, float32 (n_edges,); those of input edges are their own."""
    weights = np.empty(len(level.edges), FLOAT)
    divide_by_sizes(
        level.node_ptr,
        level.edge_ptr,
        level.edges,
        level.edge_weight,
        level.block_sizes(input_node_ptr),
        weights,
    )
    return weights
