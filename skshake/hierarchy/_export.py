"""One graph at one level as a graph of other libraries, for those who go on with them.

In: the view of a graph at a level. Out: a graph of torch_geometric or networkx. The
libraries are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    import networkx as nx
    from torch import Tensor
    from torch_geometric.data import Data

    from skshake.hierarchy._level import LevelView


def as_dense(features: Any) -> np.ndarray | None:
    """Dense array of a level's features, None without features."""
    dense: np.ndarray | None = features
    if sparse.issparse(features):
        dense = features.toarray()
    return dense


def to_networkx(view: LevelView) -> nx.Graph:
    """``Graph`` with ``x`` of nodes, ``weight`` and ``edge_attr`` of edges."""
    import networkx as nx

    x, edge_attr = as_dense(view.x), as_dense(view.edge_attr)
    graph = nx.Graph()
    for node in range(view.n_nodes):
        graph.add_node(node, **({} if x is None else {"x": x[node]}))
    for i, (u, v) in enumerate(view.edges.tolist()):
        attributes = {} if edge_attr is None else {"edge_attr": edge_attr[i]}
        graph.add_edge(u, v, weight=float(view.edge_weight[i]), **attributes)
    return graph


def to_pyg(view: LevelView) -> Data:
    """``Data`` with x, edge_index, edge_attr, edge_weight and num_nodes.

    Each edge is two columns of ``edge_index``, one per direction.
    """
    import torch
    from torch_geometric.data import Data

    def as_tensor(features: Any) -> Tensor | None:
        dense = as_dense(features)
        if dense is None:
            return None
        return torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float32))

    edges = torch.from_numpy(view.edges.astype(np.int64)).T
    edge_attr = as_tensor(view.edge_attr)
    weight = torch.from_numpy(view.edge_weight)
    return Data(
        x=as_tensor(view.x),
        edge_index=torch.cat([edges, edges.flip(0)], dim=1),
        edge_attr=None if edge_attr is None else edge_attr.repeat(2, 1),
        edge_weight=weight.repeat(2),
        num_nodes=view.n_nodes,
    )
