"""Graphs of torch_geometric, and why some are refused."""

import pytest
import torch
from torch_geometric.data import Data

from skshake import as_graphs
from tests._helpers.kinds import as_ogb


def test_a_sparse_tensor_in_place_of_edges_is_refused():
    with pytest.raises(ValueError, match="Graph 1: expected edge_index, got adj_t"):
        as_graphs([as_ogb(), Data(x=torch.ones(2, 2), adj_t=1)])
