"""One small graph in every kind, and variations of it."""

import networkx as nx
import numpy as np
import torch
from scipy import sparse
from torch_geometric.data import Data

EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
X = np.array([[0.5, 1.0], [1.5, 0.0], [2.5, 1.0], [3.5, 0.0]])
EDGE_ATTR = np.array([[0.1], [0.2], [0.3], [0.4]])
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
# EDGES sorted, which is the order of the upper triangle's CSR entries.
ORDER = [0, 2, 1, 3]


def as_matrix():
    """Weighted adjacency."""
    matrix = np.zeros((4, 4))
    for (i, j), w in zip(EDGES, WEIGHT, strict=True):
        matrix[i, j] = matrix[j, i] = w
    return matrix


def as_networkx():
    """Nodes with names, added in another order."""
    graph = nx.Graph()
    names = ["d", "c", "a", "b"]
    for i in (3, 1, 0, 2):
        graph.add_node(names[i], x=X[i])
    for k, (i, j) in enumerate(EDGES):
        graph.add_edge(names[j], names[i], weight=WEIGHT[k], edge_attr=EDGE_ATTR[k])
    return nx.relabel_nodes(graph, {}, copy=True)


def as_pyg():
    """Both directions of each edge."""
    ends = torch.tensor(EDGES).T
    return Data(
        x=torch.tensor(X),
        edge_index=torch.cat([ends, ends.flip(0)], dim=1),
        edge_attr=torch.tensor(EDGE_ATTR).repeat(2, 1),
        edge_weight=torch.tensor(WEIGHT).repeat(2),
    )


def as_ogb(**changes):
    """A dictionary, with some of its values replaced."""
    return {
        "edge_index": np.array(EDGES).T,
        "edge_feat": EDGE_ATTR,
        "node_feat": X,
        "num_nodes": 4,
        "edge_weight": WEIGHT,
        **changes,
    }


KINDS = {
    "pyg": as_pyg,
    "ogb": as_ogb,
    "numpy": lambda: (as_matrix(), X, EDGE_ATTR[ORDER]),
    "sparse": lambda: (sparse.csr_array(as_matrix()), X, EDGE_ATTR[ORDER]),
    "coo_matrix": lambda: (sparse.coo_matrix(as_matrix()), X, EDGE_ATTR[ORDER]),
}
