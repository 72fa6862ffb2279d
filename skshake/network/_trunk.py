"""All layers of one level in one autograd function: the CPU's path through the network.

In: node states, edge states, the parameters of the layers. Out: states after the last
layer and pooled states of all layers. Work goes lane by lane of whole graphs, with a
meeting of all lanes only where batch normalisation needs its sums.

A block is a linear layer, batch normalisation and a rectifier; a layer is a sum of
messages and one or more blocks, with dropout after the last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from skshake.network._kernels import move_running
from skshake.network._meeting import run_together
from skshake.network._message import Arcs
from skshake.network._parallel import cut
from skshake.network._passes import (
    N_POOLINGS,
    place_of_gradient,
    run_backward,
    run_forward,
)

# Parameters of a block, in order: a linear layer and its batch normalisation.
BLOCK = 4


class TrunkPlan(NamedTuple):
    """What the function needs beside tensors that have gradients.

    ``norms`` holds the batch normalisations, ``n_linear`` of them per layer; ``pools``
    says whether states are pooled; ``node_ptr`` delimits the graphs; ``shares_edges``
    says whether arcs of several graphs may use one edge state. Each layer drops a share
    ``dropout`` of its states, by a state of random numbers of its own in ``streams``
    (n_layers,), int64, or none.
    """

    arcs: Arcs
    node_ptr: Tensor
    norms: list[nn.BatchNorm1d]
    n_linear: int
    dropout: float
    streams: Tensor | None
    is_training: bool
    pools: bool
    shares_edges: bool


class _Pass:
    """Arrays of one pass; backward needs those of forward.

    Their shapes are those of :func:`run_forward`.
    """

    def __init__(
        self, plan: TrunkPlan, h: Tensor, e: Tensor, parameters: tuple[Tensor, ...]
    ) -> None:
        self.plan = plan
        self.h, self.e = h.detach().numpy(), e.detach().numpy()
        self.node_ptr = plan.node_ptr.numpy()
        self.arcs = tuple(t.numpy() for t in plan.arcs[:4])
        self.lanes = cut(self.node_ptr)
        self.n_lanes = len(self.lanes[1]) - 1
        self.n_blocks = len(plan.norms)
        self.n_layers = self.n_blocks // plan.n_linear
        self.parameters = self._stack(parameters)
        self.keep = 1.0 if plan.streams is None else 1.0 - plan.dropout
        shape = self.h.shape
        self.states = np.empty((self.n_layers, *shape), np.float32)
        self.inputs = np.empty((self.n_layers, *shape), np.float32)
        self.outputs = np.empty((self.n_blocks, *shape), np.float32)
        self.scratch = np.empty(shape, np.float32)
        n_columns = N_POOLINGS * shape[1] * (1 + self.n_layers) * plan.pools
        self.pooled = np.empty((len(self.node_ptr) - 1, n_columns), np.float32)
        self.moments, self.affine = np.empty(
            (2, self.n_blocks, 2, shape[1]), np.float32
        )

    def _stack(self, parameters: tuple[Tensor, ...]) -> tuple[np.ndarray, ...]:
        """Weights of messages, then those of all blocks, kind by kind."""
        arrays = [p.detach().numpy() for p in parameters]
        per_layer, width = 1 + BLOCK * self.plan.n_linear, self.h.shape[1]
        epsilons = np.array(arrays[::per_layer], np.float32).reshape(self.n_layers)
        blocks = [array for k, array in enumerate(arrays) if k % per_layer]
        weights, *vectors = (
            np.array(blocks[k::BLOCK], np.float32) for k in range(BLOCK)
        )
        return (
            1.0 + epsilons,
            weights.reshape(self.n_blocks, width, width),
            *(vector.reshape(self.n_blocks, width) for vector in vectors),
        )

    @property
    def _common(self) -> tuple:
        """What both directions take behind the counters of rounds."""
        return (
            self.plan.n_linear,
            self.lanes,
            self.node_ptr,
            self.arcs,
            self.h,
            self.e,
            self.parameters,
        )

    def forward(self) -> None:
        """Run all blocks, and let the normalisations learn."""
        norms, n_rows = self.plan.norms, len(self.h)
        width = self.h.shape[1]
        statistics = np.empty((self.n_blocks, 2, width))
        streams = np.zeros(self.n_layers, np.uint64)
        if self.plan.streams is not None:
            streams = self.plan.streams.numpy().view(np.uint64)
        if not self.plan.is_training:
            for t, norm in enumerate(norms):
                statistics[t] = _running(norm)
        arguments = (
            *self._common,
            self.plan.is_training,
            statistics,
            norms[0].eps if norms else 0.0,
            self.keep,
            streams,
            self.states,
            self.inputs,
            self.outputs,
            self.scratch,
            np.empty((self.n_blocks, self.n_lanes, 2, width)),
            self.moments,
            self.affine,
            self.pooled,
        )
        run_together(run_forward, arguments, self.n_blocks + 1, self.n_lanes)
        if self.plan.is_training:
            for t, norm in enumerate(norms):
                move_running(statistics[t], n_rows, norm.momentum, *_running(norm))
                assert norm.num_batches_tracked is not None
                norm.num_batches_tracked.add_(1)

    def backward(self, grad_h: Tensor, grad_pooled: Tensor) -> tuple:
        """Gradients in the order of the function's arguments."""
        width, n_blocks, n_lanes = self.h.shape[1], self.n_blocks, self.n_lanes
        grads = np.empty((2, *self.h.shape), np.float32)
        grads[0] = grad_h.numpy()
        # Edge states that lanes share get a gradient per lane, added in order.
        n_copies = n_lanes if self.plan.shares_edges else 1
        grad_e = np.zeros((n_copies, *self.e.shape), np.float32)
        grad_self = np.empty((self.n_layers, n_lanes))
        grad_weight = np.empty((n_blocks, n_lanes, width, width), np.float32)
        totals = np.empty((n_blocks, 2, width))
        arguments = (
            *self._common,
            self.keep,
            self.states,
            self.inputs,
            self.outputs,
            self.scratch,
            self.moments,
            self.affine,
            self.pooled,
            grad_pooled.contiguous().numpy(),
            grads,
            grad_e,
            grad_self,
            grad_weight,
            totals,
            np.empty((n_blocks + 1, n_lanes, 2, width)),
        )
        run_together(run_backward, arguments, n_blocks + 1, n_lanes)
        n_linear = self.plan.n_linear
        found = [grads[place_of_gradient(n_blocks, n_linear)], grad_e.sum(axis=0)]
        of_self = grad_self.sum(axis=1, keepdims=True).astype(np.float32)
        of_weight = grad_weight.sum(axis=1)
        of_norm = totals.astype(np.float32)
        # Batch normalisation takes the bias of the linear layer out: no gradient.
        of_bias = np.zeros((n_blocks, width), np.float32)
        for t in range(n_blocks):
            if t % n_linear == 0:
                found.append(of_self[t // n_linear])
            found += [of_weight[t], of_bias[t], of_norm[t, 1], of_norm[t, 0]]
        return (None, *(torch.from_numpy(array) for array in found))


def _running(norm: nn.BatchNorm1d) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance that a normalisation has learnt, to be read or moved."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    return norm.running_mean.numpy(), norm.running_var.numpy()


class _Trunk(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, plan: TrunkPlan, h: Tensor, e: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, Tensor]:
        ctx.run = _Pass(plan, h.contiguous(), e.contiguous(), parameters)
        ctx.run.forward()
        last = ctx.run.states[-1] if ctx.run.n_layers else ctx.run.h
        return torch.from_numpy(last), torch.from_numpy(ctx.run.pooled)

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor, grad_pooled: Tensor) -> tuple:
        run, ctx.run = ctx.run, None
        return run.backward(grad_h, grad_pooled)


def run_trunk(
    plan: TrunkPlan, h: Tensor, e: Tensor, layers: list[list[Tensor]]
) -> tuple[Tensor, Tensor]:
    """Run all layers of a level on the CPU.

    Parameters
    ----------
    plan : TrunkPlan
    h : Tensor of shape (n_nodes, width), float32
    e : Tensor of shape (n_edge_states, width), float32
    layers : list of list of Tensor
        Of each layer epsilon, then weight, bias, gamma and beta of each block.

    Returns
    -------
    h : Tensor of shape (n_nodes, width)
    pooled : Tensor of shape (n_graphs, 3 * width * (1 + n_layers)), or of no columns
    """
    parameters = [parameter for layer in layers for parameter in layer]
    return _Trunk.apply(plan, h, e, *parameters)
