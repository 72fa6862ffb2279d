"""All layers of one level in one autograd function: the GPU's path through the network.

In: node states, edge states, the parameters of the layers. Out: states after the last
layer and pooled states of all layers, as :mod:`skshake.network._trunk` gives on the
CPU. Matrix products are torch's, everything between them is ours. Rows may be padded:
those behind the last graph are 0 and have no gradient. Nothing asks the device for a
number, so that a whole step can be captured (:mod:`skshake.network._captured`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from skshake.network import _triton as kernels
from skshake.network._bags_cuda import ceil_power, count_splits, count_warps
from skshake.network._passes import N_POOLINGS
from skshake.network._random import count_kept
from skshake.network._trunk import BLOCK, TrunkPlan

# Programs that share the rows where sums over all of them are needed.
N_SHARES = 128
# Rows, and columns, that one program holds at once.
ROWS, COLUMNS = 16, 16


class _Rows:
    """How kernels are launched over the rows of one batch of states."""

    def __init__(self, plan: TrunkPlan, h: Tensor) -> None:
        self.capacity, self.width = h.shape
        # Rows that count; on the device, because the host may not know them.
        self.n_rows = plan.node_ptr[-1:]
        self.wide = {"width": self.width, "WIDTH": ceil_power(self.width)}
        self.blocks = (-(-self.capacity // ROWS),)
        n_arcs = len(plan.arcs.neighbour) / max(self.capacity, 1)
        self.n_arcs = min(16, ceil_power(n_arcs))
        self.arcs = plan.arcs
        self.indices = (plan.arcs.indptr, plan.arcs.neighbour, plan.arcs.edge)

    def sum_messages(self, epsilon: Tensor, h: Tensor, e: Tensor) -> Tensor:
        out = torch.empty_like(h)
        kernels.sum_messages[(self.capacity,)](
            *self.indices,
            self.arcs.weight,
            epsilon,
            h,
            e,
            out,
            ARCS=self.n_arcs,
            num_warps=count_warps(self.n_arcs * self.width),
            **self.wide,
        )
        return out

    def sum_messages_backward(
        self, epsilon: Tensor, h: Tensor, e: Tensor, grad: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Gradients of the states and of epsilon."""
        grad_h, grad_epsilon = torch.empty_like(h), h.new_empty(self.capacity)
        kernels.sum_messages_backward[(self.capacity,)](
            *self.indices,
            self.arcs.weight,
            epsilon,
            h,
            e,
            grad,
            grad_h,
            grad_epsilon,
            ARCS=self.n_arcs,
            num_warps=count_warps(self.n_arcs * self.width),
            **self.wide,
        )
        return grad_h, grad_epsilon.sum().view(1)

    def add_edge_gradients(
        self, h: Tensor, e: Tensor, grad: Tensor, grad_e: Tensor
    ) -> None:
        """Add a layer's gradient of the edge states to (n_splits, n_edges, width)."""
        assert self.arcs.by_edge is not None
        splits, n_edges, _ = grad_e.shape
        if not n_edges:
            return
        n_arcs = min(16, ceil_power(len(self.arcs.neighbour) / n_edges))
        kernels.edge_gradients[(n_edges, splits)](
            *self.arcs.by_edge[:3],
            self.arcs.neighbour,
            self.arcs.weight,
            h,
            e,
            grad,
            grad_e,
            n_edges,
            SPLITS=splits,
            ARCS=n_arcs,
            num_warps=count_warps(n_arcs * self.width),
            **self.wide,
        )

    def find_affine(
        self, z: Tensor, norm: torch.nn.BatchNorm1d, gamma: Tensor, beta: Tensor
    ) -> Tensor:
        """Batch normalisation in training, see the kernel."""
        sums = z.new_empty(N_SHARES, 2, self.width)
        kernels.sum_columns[(N_SHARES,)](
            z, self.n_rows, sums, ROWS=ROWS, num_warps=4, **self.wide
        )
        affine = z.new_empty(4, self.width)
        kernels.find_affine[(-(-self.width // COLUMNS),)](
            sums,
            self.n_rows,
            gamma,
            beta,
            norm.running_mean,
            norm.running_var,
            norm.momentum,
            norm.eps,
            affine,
            self.width,
            N_SHARES=N_SHARES,
            COLUMNS=COLUMNS,
            num_warps=4,
        )
        assert norm.num_batches_tracked is not None
        norm.num_batches_tracked.add_(1)
        return affine

    def normalise(
        self, z: Tensor, affine: Tensor, keep: float, stream: Tensor | None, out: Tensor
    ) -> None:
        kernels.normalise[self.blocks](
            z,
            affine,
            self.n_rows,
            keep,
            count_kept(keep),
            self.n_rows if stream is None else stream,
            out,
            self.capacity,
            DROPS=stream is not None,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )

    def through_block(
        self, out: Tensor, grad: Tensor, z: Tensor, affine: Tensor, multiplier: float
    ) -> Tensor:
        """Gradient before the normalisation, in place; sums (2, width) on the way."""
        sums = z.new_empty(N_SHARES, 2, self.width)
        kernels.open_gates[(N_SHARES,)](
            out,
            grad,
            z,
            affine,
            self.n_rows,
            multiplier,
            sums,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )
        totals = sums.sum(dim=0)
        kernels.normalise_backward[self.blocks](
            z,
            affine,
            totals,
            self.n_rows,
            grad,
            self.capacity,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )
        return totals


class _Pooling:
    """Pooled states of all layers, and their gradients."""

    def __init__(self, plan: TrunkPlan, rows: _Rows, states: Tensor) -> None:
        self.plan, self.rows, self.states = plan, rows, states
        n_graphs, self.n_states = len(plan.node_ptr) - 1, len(states)
        shape = (n_graphs, self.n_states, N_POOLINGS, rows.width)
        self.pooled = states.new_empty(shape)
        self.ties = states.new_empty(n_graphs, self.n_states, rows.width)
        kernels.pool_graphs[(n_graphs, self.n_states)](
            plan.node_ptr,
            states,
            self.pooled,
            self.ties,
            rows.capacity,
            n_states=self.n_states,
            ROWS=ROWS,
            num_warps=4,
            **rows.wide,
        )

    def number_rows(self) -> None:
        """Note the graph of each row, for the gradients."""
        rows, node_ptr = self.rows, self.plan.node_ptr
        self.owner = node_ptr.new_empty(rows.capacity)
        kernels.number_rows[(len(node_ptr) - 1,)](node_ptr, self.owner, ROWS=128)

    def add_gradient(self, s: int, grad_pooled: Tensor, grad: Tensor) -> None:
        rows = self.rows
        kernels.pool_graphs_backward[rows.blocks](
            self.plan.node_ptr,
            self.owner,
            self.states[s],
            self.pooled,
            self.ties,
            grad_pooled,
            rows.n_rows,
            grad,
            s,
            rows.capacity,
            n_states=self.n_states,
            ROWS=ROWS,
            num_warps=4,
            **rows.wide,
        )


class _Pass:
    """Arrays of one pass forward; backward needs them."""

    def __init__(
        self, plan: TrunkPlan, h: Tensor, e: Tensor, parameters: tuple[Tensor, ...]
    ) -> None:
        self.plan, self.e, self.rows = plan, e, _Rows(plan, h)
        per_layer = 1 + BLOCK * plan.n_linear
        self.layers = [
            parameters[first : first + per_layer]
            for first in range(0, len(parameters), per_layer)
        ]
        self.states = h.new_empty(1 + len(self.layers), *h.shape)
        self.states[0] = h
        self.keep = 1.0 if plan.streams is None else 1.0 - plan.dropout
        # Of each block: its input, what its linear layer gives, the normalisation.
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.affine: list[Tensor] = []
        self.pooling: _Pooling | None = None

    def forward(self) -> tuple[Tensor, Tensor]:
        plan, rows = self.plan, self.rows
        norms = iter(plan.norms)
        for layer, (epsilon, *blocks) in enumerate(self.layers):
            x = rows.sum_messages(epsilon, self.states[layer], self.e)
            for first in range(0, len(blocks), BLOCK):
                weight, bias, gamma, beta = blocks[first : first + BLOCK]
                z = torch.addmm(bias, x, weight.T)
                norm = next(norms)
                if plan.is_training:
                    affine = rows.find_affine(z, norm, gamma, beta)
                else:
                    affine = _known_affine(norm)
                if plan.is_training:
                    self.inputs.append(x)
                    self.outputs.append(z)
                    self.affine.append(affine)
                if first + BLOCK < len(blocks):
                    x = torch.empty_like(z)
                    rows.normalise(z, affine, 1.0, None, x)
                else:
                    stream = None
                    if plan.streams is not None:
                        stream = plan.streams[layer : layer + 1]
                    out = self.states[layer + 1]
                    rows.normalise(z, affine, self.keep, stream, out)
        if not plan.pools:
            return self.states[-1], self.e.new_empty(0)
        self.pooling = _Pooling(plan, rows, self.states)
        # The states are not changed any more, but autograd wants its own tensor.
        return self.states[-1], self.pooling.pooled.flatten(1)

    def backward(self, grad: Tensor, grad_pooled: Tensor, needs_edges: bool) -> tuple:
        """In the order of the function's arguments."""
        rows, plan = self.rows, self.plan
        grad, grad_pooled = grad.clone(), grad_pooled.contiguous()
        if self.pooling is not None:
            self.pooling.number_rows()
        splits = count_splits(len(plan.arcs.neighbour), len(self.e))
        grad_e = self.e.new_zeros(splits, *self.e.shape)
        gradients: list[Tensor] = []
        t = len(self.outputs)
        for layer in reversed(range(len(self.layers))):
            epsilon, *blocks = self.layers[layer]
            out, multiplier = self.states[layer + 1], 1.0 / self.keep
            self._add_pooled(layer + 1, grad_pooled, grad)
            of_layer: list[Tensor] = []
            for first in reversed(range(0, len(blocks), BLOCK)):
                t -= 1
                x, z, affine = self.inputs[t], self.outputs[t], self.affine[t]
                totals = rows.through_block(out, grad, z, affine, multiplier)
                # Batch normalisation takes the bias out: no gradient.
                of_block = [grad.T @ x, torch.zeros_like(blocks[first + 1])]
                of_layer = [*of_block, totals[1], totals[0], *of_layer]
                grad = grad @ blocks[first]
                out, multiplier = x, 1.0
            h = self.states[layer]
            if needs_edges:
                rows.add_edge_gradients(h, self.e, grad, grad_e)
            grad, grad_epsilon = rows.sum_messages_backward(epsilon, h, self.e, grad)
            gradients = [grad_epsilon, *of_layer, *gradients]
        self._add_pooled(0, grad_pooled, grad)
        return None, grad, grad_e.sum(dim=0), *gradients

    def _add_pooled(self, state: int, grad_pooled: Tensor, grad: Tensor) -> None:
        if self.pooling is not None:
            self.pooling.add_gradient(state, grad_pooled, grad)


def _known_affine(norm: torch.nn.BatchNorm1d) -> Tensor:
    """Batch normalisation by its running statistics."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = torch.rsqrt(norm.running_var + norm.eps)
    factor = norm.weight * scale
    shift = norm.bias - norm.running_mean * factor
    return torch.stack([norm.running_mean, scale, factor, shift])


class _Trunk(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, plan: TrunkPlan, h: Tensor, e: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, Tensor]:
        ctx.run = _Pass(plan, h.contiguous(), e.contiguous(), parameters)
        return ctx.run.forward()

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor, grad_pooled: Tensor) -> tuple:
        run, ctx.run = ctx.run, None
        return run.backward(grad_h, grad_pooled, ctx.needs_input_grad[2])


def run_trunk(
    plan: TrunkPlan, h: Tensor, e: Tensor, layers: list[list[Tensor]]
) -> tuple[Tensor, Tensor]:
    """Run all layers of a level on the GPU; see ``run_trunk`` of the CPU."""
    parameters = [parameter for layer in layers for parameter in layer]
    return _Trunk.apply(plan, h, e, *parameters)
