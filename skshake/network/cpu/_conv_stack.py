"""The conv stack of a level as one autograd function.

In: a plan, node states, edge states, layers. Out: states after the last layer and
pooled states of all layers. A conv stack is all layers of one level; a layer is a sum
of messages and one or more sublayers, with dropout after the last; a sublayer is a
linear layer, batch normalisation and ReLU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from skshake.network._csr import as_numpy
from skshake.network._layers import SumLayer, flat_parameters, split_parameters
from skshake.network._norm import N_ROWS, OF_BIAS, OF_WEIGHT
from skshake.network._readouts import N_POOLINGS
from skshake.network._torch_engine import LevelPlan
from skshake.network.cpu._backward import run_backward
from skshake.network.cpu._barrier import run_together
from skshake.network.cpu._columns import cut_off, cut_off_parts, pad, pad_parts
from skshake.network.cpu._forward import run_forward
from skshake.network.cpu._records import (
    BatchArrays,
    Dropout,
    Gradients,
    Moments,
    Tape,
    Weights,
)
from skshake.network.cpu._sublayers import move_running
from skshake.network.cpu._tiles import cut


def run_conv_stack(
    layers: Sequence[SumLayer], plan: LevelPlan, h: Tensor, edge_states: Tensor
) -> tuple[Tensor, Tensor]:
    """Run all layers of a level; see ``Engine.run_layers``.

    Parameters
    ----------
    layers : sequence of SumLayer
    plan : LevelPlan
    h : Tensor of shape (n_nodes, width), float32
    edge_states : Tensor of shape (n_edge_states, width), float32

    Returns
    -------
    h : Tensor of shape (n_nodes, width)
    pooled : Tensor of shape (n_graphs, 3 * width * (1 + n_layers)), or of no columns
    """
    norms = [norm for layer in layers for norm in layer.norms]
    parameters = flat_parameters(layers)
    is_differentiated = torch.is_grad_enabled()
    return _ConvStack.apply(plan, norms, is_differentiated, h, edge_states, *parameters)


class _ConvStack(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        plan: LevelPlan,
        norms: list[nn.BatchNorm1d],
        is_differentiated: bool,
        h: Tensor,
        edge_states: Tensor,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        batch = BatchArrays(
            plan.node_ptr.numpy(),
            as_numpy(plan.arcs),
            pad(h.detach().contiguous().numpy()),
            pad(edge_states.detach().contiguous().numpy()),
        )
        weights = _stack(parameters, plan.n_linear, h.shape[1])
        ctx.pass_ = _Pass(plan, batch, weights, h.shape[1], is_differentiated)
        ctx.pass_.forward(norms)
        return ctx.pass_.results()

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor, grad_pooled: Tensor) -> tuple[Any, ...]:
        pass_, ctx.pass_ = ctx.pass_, None
        grads = pass_.backward(grad_h, grad_pooled)
        return None, None, None, *pass_.in_order(grads)


class _Pass:
    """Records of one pass through the layers of a level, forward and backward."""

    def __init__(
        self,
        plan: LevelPlan,
        batch: BatchArrays,
        weights: Weights,
        width: int,
        is_differentiated: bool,
    ) -> None:
        self.plan, self.batch, self.weights = plan, batch, weights
        # The network's own, of which there may be more columns here.
        self.width = width
        # The same cut for both directions: sums of lanes are added in one order.
        self.lanes = cut(batch.node_ptr)
        self.dropout = _find_dropout(plan, len(weights.self_weight), width)
        self.n_sublayers, self.n_layers = len(weights.linear), len(weights.self_weight)
        shape = batch.h.shape
        n_columns = N_POOLINGS * shape[1] * (1 + self.n_layers) * plan.pools
        self.tape = Tape(
            # A round takes what the one before gave before it gives its own.
            outputs=_room(self.n_sublayers if is_differentiated else 1, *shape),
            norms=_room(self.n_sublayers, N_ROWS, shape[1]),
            last=_room(*shape),
            pooled=_room(len(batch.node_ptr) - 1, n_columns),
        )

    def forward(self, norms: list[nn.BatchNorm1d]) -> None:
        """Run all sublayers, and let the normalisations learn."""
        plan, width = self.plan, self.width
        moments = Moments(
            plan.is_training,
            norms[0].eps if norms else 0.0,
            np.zeros((self.n_sublayers, 2, self.batch.h.shape[1])),
        )
        if not plan.is_training:
            for t, norm in enumerate(norms):
                moments.values[t, :, :width] = _running(norm)
        sums = self._zero_sums(self.n_sublayers + 1)
        self._run(run_forward, moments, self.dropout, self.tape, sums)
        if plan.is_training:
            n_rows = len(self.batch.h)
            found = cut_off(moments.values, width)
            for values, norm in zip(found, norms, strict=True):
                move_running(values, n_rows, norm.momentum, *_running(norm))
                assert norm.num_batches_tracked is not None
                norm.num_batches_tracked.add_(1)

    def results(self) -> tuple[Tensor, Tensor]:
        """Last states and pooled ones."""
        last = self.tape.last if self.n_sublayers else self.batch.h
        pooled = cut_off_parts(self.tape.pooled, self.width)
        return torch.from_numpy(cut_off(last, self.width)), torch.from_numpy(pooled)

    def backward(self, grad_h: Tensor, grad_pooled: Tensor) -> Gradients:
        """Gradients of states, edge states and parameters."""
        n_sublayers, n_lanes = self.n_sublayers, self.lanes.n_lanes
        shape = self.batch.h.shape
        # Edge states that lanes share get a gradient per lane, added in order.
        n_copies = n_lanes if self.plan.shares_edges else 1
        grads = Gradients(
            pooled=pad_parts(grad_pooled.contiguous().numpy(), self.width),
            # A copy, since it is overwritten.
            rows=pad(grad_h.numpy().copy()),
            edges=np.zeros((n_copies, *self.batch.e.shape), np.float32),
            self_weight=np.zeros((self.n_layers, n_lanes)),
            linear=np.zeros((n_sublayers, n_lanes, shape[1], shape[1]), np.float32),
            norm_parameters=np.empty((n_sublayers, 2, shape[1])),
            sums=self._zero_sums(n_sublayers),
        )
        self._run(run_backward, self.dropout, self.tape, grads)
        return grads

    def in_order(self, grads: Gradients) -> Iterator[Tensor]:
        """Gradients in the order of the autograd function's arguments."""
        n_linear, width = self.plan.n_linear, self.width
        found = [cut_off(grads.rows, width), cut_off(grads.edges.sum(axis=0), width)]
        of_self = grads.self_weight.sum(axis=1, keepdims=True).astype(np.float32)
        of_linear = cut_off(grads.linear.sum(axis=1)[:, :width], width)
        of_norm = cut_off(grads.norm_parameters.astype(np.float32), width)
        of_norm = of_norm.transpose(1, 0, 2)
        of_norm_bias, of_norm_weight = of_norm[OF_BIAS], of_norm[OF_WEIGHT]
        # Batch normalisation takes the bias of the linear layer out: no gradient.
        of_bias = np.zeros_like(of_norm_bias)
        for t in range(self.n_sublayers):
            if t % n_linear == 0:
                found.append(of_self[t // n_linear])
            found += [of_linear[t], of_bias[t], of_norm_weight[t], of_norm_bias[t]]
        return map(torch.from_numpy, found)

    def _run(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a kernel in all threads."""
        arguments = (self.lanes, self.batch, self.weights, *arguments)
        run_together(function, arguments, self.n_sublayers + 1, self.lanes.n_lanes)

    def _zero_sums(self, n_rounds: int) -> np.ndarray:
        return np.zeros((n_rounds, self.lanes.n_lanes, 2, self.batch.h.shape[1]))


def _room(*shape: int) -> np.ndarray:
    return np.empty(shape, np.float32)


def _find_dropout(plan: LevelPlan, n_layers: int, width: int) -> Dropout:
    """What a level drops: nothing where it has no random numbers for it."""
    if plan.streams is None:
        return Dropout(1.0, np.zeros(n_layers, np.uint64), width)
    # Bits of int64, which torch has, as the uint64 that kernels compute with.
    # A copy: the next step draws into the same memory.
    streams = plan.streams.numpy().view(np.uint64).copy()
    return Dropout(1.0 - plan.dropout, streams, width)


def _stack(parameters: tuple[Tensor, ...], n_linear: int, width: int) -> Weights:
    """Parameters of all layers, array by array."""
    layers = split_parameters([p.detach() for p in parameters], n_linear)
    epsilons = np.array([layer.epsilon.numpy() for layer in layers], np.float32)
    sublayers = [sublayer for layer in layers for sublayer in layer.sublayers]

    def stacked(name: str, *shape: int) -> np.ndarray:
        arrays = [getattr(sublayer, name).numpy() for sublayer in sublayers]
        return np.array(arrays, np.float32).reshape(-1, *shape)

    linear = pad(stacked("weight", width, width), n_axes=2)
    return Weights(
        n_linear=n_linear,
        self_weight=1.0 + epsilons.reshape(-1),
        linear=linear,
        transposed=np.ascontiguousarray(linear.transpose(0, 2, 1)),
        bias=pad(stacked("bias", 1, width)),
        norm_weight=pad(stacked("norm_weight", width)),
        norm_bias=pad(stacked("norm_bias", width)),
    )


def _running(norm: nn.BatchNorm1d) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance that a normalisation has learnt, to be read or moved."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    return norm.running_mean.numpy(), norm.running_var.numpy()
