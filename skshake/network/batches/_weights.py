"""weigh_messages: what a coarse edge weighs in messages.

In: a level and the sizes of its blocks. Out: the weight of each of its edges over the
square root of the product of the sizes of both blocks.

With Z the 0/1 matrix of nodes and blocks and S = Z'Z, the sizes, these are the entries
off the diagonal of S^-1/2 Z'AZ S^-1/2: the weights A in the orthonormal basis Z S^-1/2
of what is constant on each block. Among blocks of about equal size those of one block
add up to the mean weight of what leaves a node of it; the level's own weights would
add up to as many times that as the block has nodes.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.graphs import FLOAT
from skshake.hierarchy import Level


@kernel
def divide_by_sizes(node_ptr, edge_ptr, edges, edge_weight, sizes, weights):
    """Weights of edges over the geometric mean of the sizes of both blocks.

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


def weigh_messages(level: Level, sizes: np.ndarray) -> np.ndarray:
    """Weights in messages, float32 (n_edges,); input edges keep theirs.

    ``sizes`` are those of :meth:`Level.block_sizes`.
    """
    weights = np.empty(len(level.edges), FLOAT)
    # Levels of a file that is mapped into memory can only be read.
    node_ptr, edge_ptr, edges, edge_weight = (
        np.require(array, requirements="W")
        for array in (level.node_ptr, level.edge_ptr, level.edges, level.edge_weight)
    )
    divide_by_sizes(node_ptr, edge_ptr, edges, edge_weight, sizes, weights)
    return weights
