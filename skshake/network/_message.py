"""Message passing over CSR arcs: gather, add edge features, rectify, sum.

In: node states, edge states, edge weights, arcs. Out: the sum of messages per node. On
the CPU one compiled pass each way and nothing of the size arcs x width; elsewhere plain
torch operations with the same result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from numba import njit
from torch import Tensor


class Arcs(NamedTuple):
    """Symmetric CSR arcs of a batch: both arcs of each edge.

    ``indptr`` (n_nodes + 1,), ``neighbour`` and ``edge`` (n_arcs,), ``weight``
    (n_edges,), all on one device.
    """

    indptr: Tensor
    neighbour: Tensor
    edge: Tensor
    weight: Tensor


@njit(cache=True, nogil=True)
def _sum_messages(indptr, neighbour, edge, weight, h, e, out):
    """out[i] = sum over arcs (i, j) of weight * relu(h[j] + e[ij]).

    Parameters
    ----------
    indptr, neighbour, edge : int64 arrays (n_nodes + 1,), (n_arcs,), (n_arcs,)  # IN
    weight : float32 array (n_edges,)  # IN
    h, e : float32 arrays (n_nodes, width), (n_edges, width)  # IN
    out : float32 array (n_nodes, width)  # OUT
    """
    width = h.shape[1]
    for i in range(len(indptr) - 1):
        for c in range(width):
            out[i, c] = 0.0
        for arc in range(indptr[i], indptr[i + 1]):
            j, ij = neighbour[arc], edge[arc]
            w = weight[ij]
            for c in range(width):
                out[i, c] += w * max(h[j, c] + e[ij, c], 0.0)


@njit(cache=True, nogil=True)
def _sum_messages_backward(indptr, neighbour, edge, weight, h, e, grad, grad_h, grad_e):
    """Gradients of ``_sum_messages``; arcs are symmetric, so both are gathers.

    Parameters
    ----------
    indptr, neighbour, edge : int64 arrays (n_nodes + 1,), (n_arcs,), (n_arcs,)  # IN
    weight : float32 array (n_edges,)  # IN
    h, grad : float32 arrays (n_nodes, width)  # IN
    e : float32 array (n_edges, width)  # IN
    grad_h, grad_e : float32 arrays (n_nodes, width), (n_edges, width)  # OUT
    """
    width = h.shape[1]
    grad_e[:] = 0.0
    for j in range(len(indptr) - 1):
        for c in range(width):
            grad_h[j, c] = 0.0
        for arc in range(indptr[j], indptr[j + 1]):
            i, ij = neighbour[arc], edge[arc]
            w = weight[ij]
            for c in range(width):
                passed = w * grad[i, c] if h[j, c] + e[ij, c] > 0.0 else 0.0
                grad_h[j, c] += passed
                grad_e[ij, c] += passed


class _CompiledMessages(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, e: Tensor, arcs: Arcs) -> Tensor:
        h, e = h.contiguous(), e.contiguous()
        ctx.save_for_backward(h, e)
        ctx.arcs = arcs
        out = torch.empty_like(h)
        _sum_messages(*(t.numpy() for t in (*arcs, h.detach(), e.detach(), out)))
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        h, e = ctx.saved_tensors
        grad_h, grad_e = torch.empty_like(h), torch.empty_like(e)
        tensors = (*ctx.arcs, h, e, grad.contiguous(), grad_h, grad_e)
        _sum_messages_backward(*(t.detach().numpy() for t in tensors))
        return grad_h, grad_e, None


def plain_messages(h: Tensor, e: Tensor, arcs: Arcs) -> Tensor:
    """The same in plain torch operations, on any device."""
    n_arcs = arcs.indptr.diff()
    target = torch.repeat_interleave(n_arcs, output_size=len(arcs.neighbour))
    messages = torch.relu(h[arcs.neighbour] + e[arcs.edge])
    messages = messages * arcs.weight[arcs.edge, None]
    return torch.zeros_like(h).index_add(0, target, messages)


def sum_messages(h: Tensor, e: Tensor, arcs: Arcs) -> Tensor:
    r"""Sum over each node's neighbours of their rectified states and edge states.

    .. math:: out_i = \sum_{j \in N(i)} w_{ij} \, \mathrm{relu}(h_j + e_{ij})

    Parameters
    ----------
    h : Tensor of shape (n_nodes, width)
    e : Tensor of shape (n_edges, width)
        One row per undirected edge, serving both of its arcs.
    arcs : Arcs

    Returns
    -------
    out : Tensor of shape (n_nodes, width)
    """
    if h.device.type == "cpu":
        return _CompiledMessages.apply(h, e, arcs)
    return plain_messages(h, e, arcs)
