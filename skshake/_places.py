"""Places of nodes on a page, from distances in the graph.

In: edges. Out: coordinates, components side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from skshake._blas import one_blas_thread

# A layout by distances in the graph is the better one, and quadratic in the nodes.
MOST_BY_DISTANCE = 200
# Edges per node up to which a graph has a shape that its distances show.
FEW_EDGES = 4
# What parts nodes that are as far from all others, in units of the drawing.
NOISE = 1e-3


def _first_places(graph: Any, order: list[int]) -> dict[int, np.ndarray]:
    """Where nodes begin: near where they end, so that nothing gets entangled.

    Distances to all nodes are coordinates, of which the first two principal components
    are taken (Harel & Koren 2004). They say little of a graph with many edges, which
    begins as a circle.
    """
    import networkx as nx

    if len(order) < 3 or graph.number_of_edges() > FEW_EDGES * len(order):
        circle: dict[int, np.ndarray] = nx.circular_layout(order)
        return circle
    lengths = nx.to_numpy_array(graph, order, weight="length")
    distances = shortest_path(lengths, directed=False)
    left, scale, _ = np.linalg.svd(distances - distances.mean(axis=0))
    places = left[:, :2] * scale[:2]
    places /= np.abs(places).max()
    places += NOISE * np.random.default_rng(0).standard_normal(places.shape)
    return dict(zip(order, places, strict=True))


def place_nodes(
    edges: np.ndarray, lengths: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Lay out each component by itself and put the components side by side.

    Parameters
    ----------
    edges : int array of shape (n_edges, 2)
    lengths : float array of shape (n_edges,)
        How far apart neighbours should be.
    order : int array of shape (n_nodes,)
        Components with many edges begin as circles of their nodes in this order.

    Returns
    -------
    positions : float array of shape (n_nodes, 2)
        The largest component is left.
    """
    import networkx as nx

    graph, rank = nx.empty_graph(len(order)), np.argsort(order)
    graph.add_edges_from(
        (u, v, {"length": length, "strength": 1 / length})
        for (u, v), length in zip(edges.tolist(), lengths.tolist(), strict=True)
    )
    positions, left = np.zeros((len(order), 2)), 0.0
    # Its steps are too short to be shared.
    with one_blas_thread():
        for nodes in sorted(nx.connected_components(graph), key=len, reverse=True):
            part = graph.subgraph(nodes)
            if len(nodes) > MOST_BY_DISTANCE:
                by_node = nx.spring_layout(part, seed=0, weight="strength")
            else:
                first = _first_places(part, sorted(nodes, key=rank.__getitem__))
                by_node = nx.kamada_kawai_layout(part, pos=first, weight="length")
            numbers = list(part)
            # The area of a drawing grows with its nodes.
            places = np.array([by_node[node] for node in numbers]) * np.sqrt(len(nodes))
            if np.ptp(places[:, 1]) > np.ptp(places[:, 0]):
                # Pages are wide.
                places = places[:, ::-1]
            places = places - places.min(axis=0)
            positions[numbers] = places + np.array([left, 0.0])
            left += np.ptp(places[:, 0]) + 1.0
    return positions
