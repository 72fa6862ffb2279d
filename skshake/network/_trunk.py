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

from skshake.network._blocks import run_block, run_block_backward
from skshake.network._kernels import find_affine, find_moments
from skshake.network._message import Arcs
from skshake.network._parallel import cut, run_lanes

# What is pooled from each state: mean, maximum, scaled sum.
N_POOLINGS = 3
# Parameters of a block, in order: a linear layer and its batch normalisation.
BLOCK = 4


class TrunkPlan(NamedTuple):
    """What the function needs beside tensors that have gradients.

    ``norms`` holds the batch normalisations, ``n_linear`` of them per layer; ``pools``
    says whether states are pooled; ``node_ptr`` delimits the graphs; ``shares_edges``
    says whether arcs of several graphs may use one edge state.
    """

    arcs: Arcs
    node_ptr: Tensor
    norms: list[nn.BatchNorm1d]
    n_linear: int
    dropout: float
    is_training: bool
    pools: bool
    shares_edges: bool


class _Block(NamedTuple):
    """Parameters of a block, and the number of its layer if it begins or ends one."""

    weight: np.ndarray
    bias: np.ndarray
    gamma: np.ndarray
    beta: np.ndarray
    layer: int
    begins: bool
    ends: bool


class _Pass:
    """Arrays of one pass; backward needs those of forward.

    ``states`` are the h before each layer and after the last. Of each block: its input
    if that is a sum of messages, what its linear layer gives, mean and inverse spread
    of that, and what the normalisation multiplies by and adds. What a rectifier within
    a layer gives is not kept: backward finds it again, which costs less than memory.
    """

    def __init__(
        self, plan: TrunkPlan, h: Tensor, e: Tensor, parameters: tuple[Tensor, ...]
    ) -> None:
        self.plan = plan
        self.states, self.e = [h.detach().numpy()], e.detach().numpy()
        self.node_ptr = plan.node_ptr.numpy()
        self.lanes = cut(self.node_ptr)
        self.arcs = tuple(t.numpy() for t in plan.arcs[:4])
        self.self_weights: list[np.float32] = []
        self.blocks: list[_Block] = []
        arrays = iter([p.detach().numpy() for p in parameters])
        for layer in range(len(plan.norms) // plan.n_linear):
            self.self_weights.append(np.float32(1.0 + next(arrays)[0]))
            for k in range(plan.n_linear):
                weight, bias, gamma, beta = (next(arrays) for _ in range(BLOCK))
                begins, ends = k == 0, k == plan.n_linear - 1
                self.blocks.append(
                    _Block(weight, bias, gamma, beta, layer, begins, ends)
                )
        self.sums: list[np.ndarray] = []
        self.outputs: list[np.ndarray] = []
        self.moments: list[np.ndarray] = []
        self.affine: list[np.ndarray] = []
        width = h.shape[1]
        n_columns = N_POOLINGS * width * (1 + len(self.self_weights)) * plan.pools
        self.pooled = np.empty((len(self.node_ptr) - 1, n_columns), np.float32)
        # Stand-ins for arrays that a call does not use.
        self.no_rows = np.empty((0, width), np.float32)
        self.no_row = np.empty(width, np.float32)
        self.no_moments = np.empty((2, width), np.float32)
        self.no_sums = np.empty((len(self.lanes), 2, width))
        self.scratch = np.empty_like(self.states[0])

    def column(self, state: int) -> int:
        """Where pooled columns of a state begin; -1 if nothing is pooled."""
        return state * N_POOLINGS * len(self.no_row) if self.plan.pools else -1

    def forward(self) -> None:
        """Run all blocks, and finish the last."""
        for t in range(len(self.blocks) + 1):
            self._run_block(t)

    def _run_block(self, t: int) -> None:
        """Finish block t - 1 and run block t up to its normalisation."""
        before, factor, shift = self.no_rows, self.no_row, self.no_row
        keep, stream, state = 1.0, np.uint64(0), 0
        out = self.states[0]
        if t > 0:
            last = self.blocks[t - 1]
            before, (factor, shift) = self.outputs[-1], self.affine[-1]
            out = self.scratch
            if last.ends:
                out = np.empty_like(out)
                state = last.layer + 1
                self.states.append(out)
                if self.plan.is_training and self.plan.dropout:
                    keep = 1.0 - self.plan.dropout
                    stream = np.uint64(torch.randint(2**62, ()).item())
            else:
                state = -1
        block = self.blocks[t] if t < len(self.blocks) else None
        x, z, sums = out, self.no_rows, self.no_sums
        weight, bias, self_weight = self.no_rows, self.no_row, np.float32(1.0)
        if block is not None:
            weight, bias = block.weight, block.bias
            z, sums = np.empty_like(out), np.empty_like(self.no_sums)
            if block.begins:
                x, self_weight = np.empty_like(out), self.self_weights[block.layer]

        def task(c: int) -> None:
            run_block(
                self.lanes[c],
                self.node_ptr,
                before,
                factor,
                shift,
                keep,
                stream,
                out,
                self.column(state) if state >= 0 else -1,
                self.pooled,
                block is not None and block.begins,
                self.arcs,
                self_weight,
                self.e,
                x,
                weight,
                bias,
                z,
                sums[c],
            )

        run_lanes(task, len(self.lanes))
        if block is not None:
            self.sums.append(x)
            self.outputs.append(z)
            self._add_moments(t, sums)

    def _add_moments(self, t: int, sums: np.ndarray) -> None:
        """Find those of block t: of the batch in training, else as learnt."""
        norm, block = self.plan.norms[t], self.blocks[t]
        assert norm.running_mean is not None
        assert norm.running_var is not None
        mean, variance = norm.running_mean.numpy(), norm.running_var.numpy()
        if self.plan.is_training:
            n_rows, momentum = len(self.states[0]), norm.momentum
            mean, variance = find_moments(sums, n_rows, momentum, mean, variance)
            assert norm.num_batches_tracked is not None
            norm.num_batches_tracked.add_(1)
        moments, affine = find_affine(mean, variance, norm.eps, block.gamma, block.beta)
        self.moments.append(moments)
        self.affine.append(affine)


class _Backward:
    """Gradients of one pass, from the last block to the first."""

    def __init__(self, forward: _Pass, grad_h: Tensor, grad_pooled: Tensor) -> None:
        self.forward = forward
        self.grad = grad_h.clone().numpy()
        self.spare = np.empty_like(self.grad)
        self.grad_pooled = grad_pooled.contiguous().numpy()
        # Edge states that lanes share get a gradient per lane, added in order.
        n_copies = len(forward.lanes) if forward.plan.shares_edges else 1
        self.grad_e = np.zeros((n_copies, *forward.e.shape), np.float32)
        self.grad_self = np.zeros((len(forward.self_weights), 1), np.float32)

    def run(self) -> tuple:
        """In the order of the function's arguments."""
        forward, n_linear = self.forward, self.forward.plan.n_linear
        of_blocks: list[list[np.ndarray]] = []
        sums = self._step(len(forward.blocks), None, [])
        for t in reversed(range(len(forward.blocks))):
            sums = self._step(t, sums, of_blocks)
        of_blocks.reverse()
        gradients = []
        for layer, grad_self in enumerate(self.grad_self):
            gradients.append(grad_self)
            for block in of_blocks[layer * n_linear : (layer + 1) * n_linear]:
                gradients += block
        found = [self.grad, self.grad_e.sum(axis=0), *gradients]
        return (None, *(torch.from_numpy(array) for array in found))

    def _step(
        self, t: int, sums: np.ndarray | None, of_blocks: list[list[np.ndarray]]
    ) -> np.ndarray:
        """Go back through block t, then through the rectifier of block t - 1.

        Appends the gradients of the parameters of block t; ``grad`` becomes that of
        what the linear layer and normalisation of block t - 1 give. Past the last block
        there is only a rectifier.
        """
        forward, plan = self.forward, self.forward.plan
        last = forward.blocks[t - 1] if t > 0 else None
        is_state = last is None or last.ends
        state = last.layer + 1 if last is not None and last.ends else 0
        before, before_moments = forward.no_rows, forward.no_moments
        out, factor = forward.states[state], 1.0
        affine = forward.no_moments
        if last is not None:
            before, before_moments = forward.outputs[t - 1], forward.moments[t - 1]
            affine = forward.affine[t - 1]
            if not is_state:
                out = forward.scratch
            elif plan.dropout:
                factor = 1.0 / (1.0 - plan.dropout)
        column = forward.column(state) if is_state else -1
        z, moments = forward.no_rows, forward.no_moments
        gamma, x, weight = forward.no_row, forward.no_rows, forward.no_rows
        means = np.empty((2, len(forward.no_row)), np.float32)
        begins, self_weight, layer = False, np.float32(1.0), 0
        grad, following = self.grad, self.grad
        if sums is not None:
            block = forward.blocks[t]
            z, moments, x = forward.outputs[t], forward.moments[t], forward.sums[t]
            gamma, weight = block.gamma, block.weight
            totals = sums.sum(axis=0)
            means = (totals / len(grad)).astype(np.float32)
            begins, layer = block.begins, block.layer
            self_weight = forward.self_weights[layer]
            following = self.spare
        n_lanes, width = len(forward.lanes), len(forward.no_row)
        grad_weight = np.empty((n_lanes, width, width), np.float32)
        grad_self = np.empty((n_lanes, 1))
        new_sums = np.empty_like(forward.no_sums)

        def task(c: int) -> None:
            run_block_backward(
                forward.lanes[c],
                forward.node_ptr,
                z,
                moments,
                gamma,
                means,
                grad,
                x,
                weight,
                grad_weight[c],
                following,
                begins,
                forward.arcs,
                self_weight,
                forward.states[layer],
                forward.e,
                self.grad_e[c if plan.shares_edges else 0],
                grad_self[c],
                column,
                forward.pooled,
                self.grad_pooled,
                np.float32(factor),
                before,
                before_moments,
                not is_state,
                affine,
                out,
                new_sums[c],
            )

        run_lanes(task, n_lanes)
        if sums is not None:
            if begins:
                self.grad_self[layer] = grad_self.sum()
            else:
                self.grad, self.spare = following, grad
            # Batch normalisation takes the bias of the linear layer out: no gradient.
            of_blocks.append(
                [
                    grad_weight.sum(axis=0),
                    np.zeros_like(block.bias),
                    totals[1].astype(np.float32),
                    totals[0].astype(np.float32),
                ]
            )
        return new_sums


class _Trunk(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, plan: TrunkPlan, h: Tensor, e: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, Tensor]:
        ctx.run = _Pass(plan, h.contiguous(), e.contiguous(), parameters)
        ctx.run.forward()
        last, pooled = ctx.run.states[-1], ctx.run.pooled
        return torch.from_numpy(last), torch.from_numpy(pooled)

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor, grad_pooled: Tensor) -> tuple:
        run, ctx.run = ctx.run, None
        return _Backward(run, grad_h, grad_pooled).run()


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
