"""Colours of nodes: hashes of the subtrees that Weisfeiler and Lehman refine.

In: a collection with categories. Out: one uint64 per node and depth.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import hash_rows, mix, next_state
from skshake.graphs import GraphCollection

# Where hashes of edges begin, those of nodes at 0: equal codes of a node and of an edge
# are different things.
EDGE_STATE = np.uint64(0x5851F42D4C957F2D)


@kernel
def refine(graphs, edge_hashes, colours, refined):
    """Colours one deeper: of a node's own colour and the multiset around it.

    Parameters
    ----------
    graphs : Structure, whose arcs know their edges if there are hashes  # IN
    edge_hashes : uint64 array of shape (n_edges,), or empty if all are alike  # IN
    colours : uint64 array of shape (n_nodes,)  # IN
    refined : uint64 array of shape (n_nodes,)  # OUT

    Notes
    -----
    A sum of hashes is a hash of the multiset: it asks for no order, and two multisets
    have the same one by chance alone. The own colour is stirred in another way than
    those around it, since a-b and b-a are two things.
    """
    node_ptr, edge_ptr, indptr, indices, edge_of_arc, _ = graphs
    for g in range(len(node_ptr) - 1):
        offset, first_edge = node_ptr[g], edge_ptr[g]
        for v in range(offset, node_ptr[g + 1]):
            total = mix(next_state(colours[v]))
            for arc in range(indptr[v], indptr[v + 1]):
                around = colours[offset + indices[arc]]
                if len(edge_hashes):
                    around += edge_hashes[first_edge + edge_of_arc[arc]]
                total += mix(around)
            refined[v] = mix(total)


def hash_codes(codes: np.ndarray, state: np.uint64) -> np.ndarray:
    """One uint64 for the codes (n_rows, n_columns) of each row, from a first state."""
    hashes = np.full(len(codes), state, np.uint64)
    hash_rows(np.arange(len(codes) + 1), codes.view(np.uint32), hashes)
    return hashes


def colours_of(graphs: GraphCollection, depth: int) -> list[np.ndarray]:
    """Colours of all nodes at depth 0, 1, ..., ``depth``, each uint64 (n_nodes,).

    They depend on categories of nodes and edges and on who is joined with whom: not on
    the numbers of nodes, nor on other graphs. Two subtrees that differ share a colour
    with probability 2**-64: among a million different ones, any two do once in 37
    million runs.
    """
    edge_codes = graphs.edge_features.categories
    edge_hashes = np.empty(0, np.uint64)
    if edge_codes.shape[1]:
        edge_hashes = hash_codes(edge_codes, EDGE_STATE)
    colours = [hash_codes(graphs.node_features.categories, np.uint64(0))]
    for _ in range(depth):
        refined = np.empty_like(colours[-1])
        refine(graphs.structure, edge_hashes, colours[-1], refined)
        colours.append(refined)
    return colours
