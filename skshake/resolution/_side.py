"""Side: rows with features and the Laplacian that smooths them, nodes or edges.

In: a GraphCollection. Out: what every solver needs to know about one of its two sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skshake.graphs import Features, GraphCollection, owner_of


@dataclass(frozen=True, eq=False)
class Side:
    """The node side (Laplacian L) or the edge side (line graph, unweighted).

    Parameters
    ----------
    graphs : GraphCollection
    is_line : bool
        Whether rows are edges.
    ptr : int64 array of shape (n_graphs + 1,)
        Rows of each graph.
    features : Features
        One row each.
    component : int64 array of shape (n_rows,)
        Connected component of each row, numbered over the collection.
    n_zeros : int64 array of shape (n_graphs,)
        Components with rows, which are the zero eigenvalues, of each graph.
    """

    graphs: GraphCollection
    is_line: bool
    ptr: np.ndarray
    features: Features
    component: np.ndarray
    n_zeros: np.ndarray


def node_side(graphs: GraphCollection) -> Side:
    """Nodes with their features, and the weighted Laplacian."""
    component = graphs.components
    n_zeros = _count_distinct(component, graphs.node_ptr)
    return Side(
        graphs, False, graphs.node_ptr, graphs.node_features, component, n_zeros
    )


def edge_side(graphs: GraphCollection) -> Side:
    """Edges with their features, and the Laplacian of the line graph."""
    component = graphs.components[graphs.numbered_ends[:, 0]]
    n_zeros = _count_distinct(component, graphs.edge_ptr)
    return Side(graphs, True, graphs.edge_ptr, graphs.edge_features, component, n_zeros)


def _count_distinct(component: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Number of distinct components among the rows of each graph."""
    first_rows = np.unique(component, return_index=True)[1]
    return np.bincount(owner_of(ptr)[first_rows], minlength=len(ptr) - 1)
