"""Compiled message passing against plain torch, values and gradients."""

import numpy as np
import pytest
import torch

from skshake import as_graphs
from skshake.graphs import arcs_from_edges
from skshake.network._message import Arcs, plain_messages, sum_messages


def _arcs(graphs):
    graphs = as_graphs(graphs)
    arcs = arcs_from_edges(graphs.node_ptr, graphs.edge_ptr, graphs.edges)
    first_node = np.repeat(graphs.node_ptr[:-1], 2 * np.diff(graphs.edge_ptr))
    first_edge = np.repeat(graphs.edge_ptr[:-1], 2 * np.diff(graphs.edge_ptr))
    return Arcs(
        torch.from_numpy(arcs.indptr),
        torch.from_numpy(arcs.indices + first_node),
        torch.from_numpy(arcs.edge_of_arc + first_edge),
        torch.rand(graphs.n_edges) + 0.5,
    )


def test_messages_by_hand(triangle_with_tail):
    arcs = _arcs([triangle_with_tail])._replace(
        weight=torch.tensor([1.0, 2.0, 3.0, 4.0])
    )
    h = torch.tensor([[1.0], [-2.0], [3.0], [4.0], [5.0]])
    e = torch.tensor([[0.5], [0.0], [-1.0], [1.0]])  # 01, 02, 12, 23
    expected = [
        1 * 0 + 2 * 3.0,  # from 1: relu(-1.5) = 0; from 2: relu(3)
        1 * 1.5 + 3 * 2.0,
        2 * 1.0 + 3 * 0 + 4 * 5.0,
        4 * 4.0,
        0.0,
    ]
    assert sum_messages(h, e, arcs).ravel().tolist() == expected


@pytest.mark.parametrize("width", [1, 7, 64])
def test_compiled_equals_plain_with_gradients(width, random_graphs, global_random_seed):
    torch.manual_seed(global_random_seed)
    arcs = _arcs(random_graphs)
    n_nodes, n_edges = len(arcs.indptr) - 1, len(arcs.weight)
    gradients = []
    for function in (sum_messages, plain_messages):
        torch.manual_seed(global_random_seed)
        h = torch.randn(n_nodes, width, requires_grad=True)
        e = torch.randn(n_edges, width, requires_grad=True)
        out = function(h, e, arcs)
        (out * torch.randn(n_nodes, width)).sum().backward()
        gradients.append((out.detach(), h.grad, e.grad))
    for compiled, plain in zip(*gradients, strict=True):
        torch.testing.assert_close(compiled, plain, rtol=1e-5, atol=1e-5)


def test_isolated_nodes_get_zeros(awkward_graphs):
    arcs = _arcs(awkward_graphs)
    out = sum_messages(torch.ones(8, 3), torch.ones(2, 3), arcs)
    assert (out[:4] == 0).all()
    assert torch.isfinite(out).all()
