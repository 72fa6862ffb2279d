"""Laplacian: the operator of each graph, of its nodes or edges, and what it smooths.

In: a GraphCollection. Out: what every solver needs to know about one of its two
operators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skshake.graphs import Features, GraphCollection, owner_of


@dataclass(frozen=True, eq=False)
class Laplacian:
    """Laplacians of graphs (rows are nodes) or of their line graphs (rows are edges).

    Those of line graphs are unweighted.

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


def node_laplacian(graphs: GraphCollection) -> Laplacian:
    """The weighted Laplacian, and the features of nodes."""
    component = graphs.components
    n_zeros = _count_distinct(component, graphs.node_ptr)
    return Laplacian(
        graphs, False, graphs.node_ptr, graphs.node_features, component, n_zeros
    )


def line_laplacian(graphs: GraphCollection) -> Laplacian:
    """The Laplacian of the line graph, and the features of edges."""
    component = graphs.components[graphs.numbered_ends[:, 0]]
    n_zeros = _count_distinct(component, graphs.edge_ptr)
    return Laplacian(
        graphs, True, graphs.edge_ptr, graphs.edge_features, component, n_zeros
    )


def _count_distinct(component: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Number of distinct components among the rows of each graph."""
    first_rows = np.unique(component, return_index=True)[1]
    return np.bincount(owner_of(ptr)[first_rows], minlength=len(ptr) - 1)
