"""Equal graphs: the same nodes, edges and features, whatever the numbers of nodes.

In: a collection. Out: the number of each graph's class of equal graphs.
"""

from __future__ import annotations

import numpy as np

from skshake._splitmix import mix, next_state
from skshake.graphs import Features, GraphCollection, rows_of
from skshake.subtrees import hash_codes, number_values, refine

# Where hashes of weights and of sizes of components begin.
WEIGHT_STATE, SIZE_STATE = np.uint64(0x2545F4914F6CDD1D), np.uint64(0x9E6C63D0876A9A4F)
# Refinements are stable after as many as a graph has nodes; more than these take long
# and are needed for long chains that differ at their ends.
MOST_ROUNDS = 64


def find_equal(graphs: GraphCollection) -> np.ndarray:
    """Number the classes of graphs that no refinement of colours tells apart.

    Parameters
    ----------
    graphs : GraphCollection

    Returns
    -------
    numbers : int32 array of shape (n_graphs,)
        Graphs with the same number are equal; numbers begin at 0, in order of the first
        graph of each class. A graph without nodes is equal to itself alone.

    Notes
    -----
    Colours begin as a node's features (numbers to the last bit) and the size of its
    component, and are refined by those of its neighbours with features and weights of
    the edges (Weisfeiler and Lehman) until none divides any more. Equal graphs always
    get equal colours. Different ones do where features and refinement cannot tell them
    apart: regular graphs of one size without features, in practice.
    """
    colours = _first_colours(graphs)
    keys = _keys_of(graphs.node_ptr, graphs.edge_ptr, colours)
    # Whoever is alone with its features and sizes needs no refinement.
    _, number, n_equal = np.unique(keys, return_inverse=True, return_counts=True)
    doubtful = np.flatnonzero(n_equal[number] > 1)
    if len(doubtful):
        nodes, _ = rows_of(graphs.node_ptr, doubtful)
        chosen = graphs if len(doubtful) == len(graphs) else graphs.take(doubtful)
        refined = _refine(chosen, colours[nodes])
        # Keys of either kind are hashes of 64 bits.
        keys[doubtful] = mix(keys[doubtful] ^ mix(refined))
    # Molecules that could not be read, say: nothing is known of them.
    empty = np.flatnonzero(np.diff(graphs.node_ptr) == 0)
    keys[empty] = mix(keys[empty] + empty.astype(np.uint64))
    numbers = np.empty(len(graphs), np.int32)
    number_values(keys, numbers)
    return numbers


def _hash_features(features: Features, state: np.uint64) -> np.ndarray:
    """One uint64 per row, of categories and of the bits of numbers."""
    hashes = hash_codes(features.categories, state)
    if features.numeric.shape[1]:
        # -0.0 is 0.0.
        numbers = np.ascontiguousarray(features.numeric + 0.0, np.float64)
        hashes ^= mix(hash_codes(numbers.view(np.int32), next_state(state)))
    return hashes


def _first_colours(graphs: GraphCollection) -> np.ndarray:
    """Colours of nodes before their neighbours are looked at."""
    component = graphs.components
    size = np.bincount(component)[component] if graphs.n_nodes else component
    hashes = _hash_features(graphs.node_features, np.uint64(0))
    return mix(hashes ^ mix(size.astype(np.uint64) + SIZE_STATE))


def _hash_edges(graphs: GraphCollection) -> np.ndarray:
    """One uint64 per edge; none where all edges are alike."""
    if not graphs.edge_features.n_columns and graphs.edge_weight is None:
        return np.empty(0, np.uint64)
    hashes = _hash_features(graphs.edge_features, WEIGHT_STATE)
    if graphs.edge_weight is not None:
        hashes ^= mix(graphs.edge_weight.view(np.uint64))
    return hashes


def _keys_of(
    node_ptr: np.ndarray, edge_ptr: np.ndarray, colours: np.ndarray
) -> np.ndarray:
    """A hash of each graph's numbers of nodes and edges and multiset of colours."""
    total = np.zeros(len(colours) + 1, np.uint64)
    # Sums wrap around, and so do their differences.
    np.cumsum(mix(colours), out=total[1:], dtype=np.uint64)
    keys = total[node_ptr[1:]] - total[node_ptr[:-1]]
    keys = mix(keys ^ mix(np.diff(node_ptr).astype(np.uint64)))
    return mix(keys + np.diff(edge_ptr).astype(np.uint64))


def _refine(graphs: GraphCollection, colours: np.ndarray) -> np.ndarray:
    """Keys of graphs by colours that neighbours divide no further."""
    edge_hashes = _hash_edges(graphs)
    structure, numbers = graphs.structure, np.empty(graphs.n_nodes, np.int32)
    n_colours = len(number_values(colours, numbers))
    for _ in range(MOST_ROUNDS):
        refined = np.empty_like(colours)
        refine(structure, edge_hashes, colours, refined)
        n_refined = len(number_values(refined, numbers))
        colours = refined
        if n_refined == n_colours:
            break
        n_colours = n_refined
    return _keys_of(graphs.node_ptr, graphs.edge_ptr, colours)
