"""torch_geometric data of one level, for users who go on with that library.

In: the view of one graph at one level. Out: a ``Data`` with both arcs of each edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from skshake.hierarchy import LevelView, as_dense


def _as_tensor(features: Any) -> torch.Tensor | None:
    dense = as_dense(features)
    if dense is None:
        return None
    return torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float32))


def level_to_pyg(view: LevelView) -> Any:
    """``Data`` with x, edge_index, edge_attr, edge_weight and num_nodes."""
    from torch_geometric.data import Data

    edges = torch.from_numpy(view.edges.astype(np.int64)).T
    edge_attr = _as_tensor(view.edge_attr)
    weight = torch.from_numpy(view.edge_weight)
    return Data(
        x=_as_tensor(view.x),
        edge_index=torch.cat([edges, edges.flip(0)], dim=1),
        edge_attr=None if edge_attr is None else edge_attr.repeat(2, 1),
        edge_weight=weight.repeat(2),
        num_nodes=view.n_nodes,
    )
