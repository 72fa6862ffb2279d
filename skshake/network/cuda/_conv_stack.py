"""The conv stack of a level as one autograd function on a GPU.

In: a plan, node states, edge states, layers. Out: states after the last layer and
pooled states of all layers, as :mod:`skshake.network.cpu._conv_stack` gives on the CPU.
Matrix products are torch's, everything between them is ours. Rows may
be padded: those behind the last graph are 0 after a layer, and have no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from skshake.network._layers import (
    SublayerParameters,
    SumLayer,
    flat_parameters,
    split_parameters,
)
from skshake.network._torch_engine import LevelPlan
from skshake.network.cuda._launch import GraphPooling, Launcher, count_splits


def run_conv_stack(
    layers: Sequence[SumLayer], plan: LevelPlan, h: Tensor, edge_states: Tensor
) -> tuple[Tensor, Tensor]:
    """Run all layers of a level on the GPU; see ``run_conv_stack`` of the CPU."""
    norms = [norm for layer in layers for norm in layer.norms]
    parameters = flat_parameters(layers)
    return _ConvStack.apply(plan, norms, h, edge_states, *parameters)


class _ConvStack(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        plan: LevelPlan,
        norms: list[nn.BatchNorm1d],
        h: Tensor,
        edge_states: Tensor,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        ctx.pass_ = _Pass(plan, h.contiguous(), edge_states.contiguous(), parameters)
        return ctx.pass_.forward(norms)

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor, grad_pooled: Tensor) -> tuple[Any, ...]:
        pass_, ctx.pass_ = ctx.pass_, None
        needs_edges = ctx.needs_input_grad[3]
        return None, None, *pass_.backward(grad_h, grad_pooled, needs_edges)


class _Noted(NamedTuple):
    """What backward needs of a sublayer.

    Its input, what its linear layer gave, and the normalisation (4, width).
    """

    x: Tensor
    z: Tensor
    norm: Tensor


class _Pass:
    """Arrays of one pass forward; backward needs them."""

    def __init__(
        self, plan: LevelPlan, h: Tensor, e: Tensor, parameters: tuple[Tensor, ...]
    ) -> None:
        self.plan, self.e, self.launcher = plan, e, Launcher(plan, h)
        self.layers = split_parameters(parameters, plan.n_linear)
        self.states = h.new_empty(1 + len(self.layers), *h.shape)
        self.states[0] = h
        self.keep = 1.0 if plan.streams is None else 1.0 - plan.dropout
        self.noted: list[_Noted] = []
        self.pooling: GraphPooling | None = None

    def forward(self, norms: list[nn.BatchNorm1d]) -> tuple[Tensor, Tensor]:
        """States after the last layer, and pooled states."""
        left = iter(norms)
        for layer, (epsilon, sublayers) in enumerate(self.layers):
            x = self.launcher.sum_messages(epsilon, self.states[layer], self.e)
            for sublayer in sublayers[:-1]:
                z, norm = self._apply_linear(sublayer, next(left), x)
                x = torch.empty_like(z)
                self.launcher.normalise(z, norm, 1.0, None, x)
            z, norm = self._apply_linear(sublayers[-1], next(left), x)
            stream = None
            if self.plan.streams is not None:
                stream = self.plan.streams[layer : layer + 1]
            out = self.states[layer + 1]
            self.launcher.normalise(z, norm, self.keep, stream, out)
        if not self.plan.pools:
            return self.states[-1], self.e.new_empty(len(self.plan.node_ptr) - 1, 0)
        self.pooling = GraphPooling(self.plan, self.launcher, self.states)
        # The states are not changed any more, but autograd wants its own tensor.
        return self.states[-1], self.pooling.pooled.flatten(1)

    def _apply_linear(
        self, sublayer: SublayerParameters, norm_layer: nn.BatchNorm1d, x: Tensor
    ) -> tuple[Tensor, Tensor]:
        """What a linear layer gives, and its normalisation; both noted for backward."""
        z = torch.addmm(sublayer.bias, x, sublayer.weight.T)
        if not self.plan.is_training:
            return z, _known_norm(norm_layer)
        norm = self.launcher.find_norm(
            z, norm_layer, sublayer.norm_weight, sublayer.norm_bias
        )
        self.noted.append(_Noted(x, z, norm))
        return z, norm

    def backward(
        self, grad: Tensor, grad_pooled: Tensor, needs_edges: bool
    ) -> list[Tensor]:
        """Gradients of states, edge states and parameters, in this order."""
        rows, plan = self.launcher, self.plan
        grad, grad_pooled = grad.clone(), grad_pooled.contiguous()
        if self.pooling is not None:
            self.pooling.number_rows()
        splits = count_splits(len(plan.arcs.col), len(self.e))
        grad_e = self.e.new_zeros(splits, *self.e.shape)
        gradients: list[Tensor] = []
        for layer in reversed(range(len(self.layers))):
            self._add_pooled(layer + 1, grad_pooled, grad)
            grad, of_sublayers = self._through_sublayers(layer, grad)
            h, epsilon = self.states[layer], self.layers[layer].epsilon
            if needs_edges:
                rows.add_edge_gradients(h, self.e, grad, grad_e)
            grad, grad_epsilon = rows.sum_messages_backward(epsilon, h, self.e, grad)
            gradients = [grad_epsilon, *of_sublayers, *gradients]
        self._add_pooled(0, grad_pooled, grad)
        return [grad, grad_e.sum(dim=0), *gradients]

    def _through_sublayers(
        self, layer: int, grad: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """Gradients of a layer's sum of messages and of its sublayers' parameters."""
        out, factor = self.states[layer + 1], 1.0 / self.keep
        gradients: list[Tensor] = []
        # ``through_sublayer`` overwrites ``grad``, of which nobody else holds a part.
        for sublayer in reversed(self.layers[layer].sublayers):
            x, z, norm = self.noted.pop()
            totals = self.launcher.through_sublayer(out, grad, z, norm, factor)
            # Batch normalisation takes the bias out: no gradient.
            of_linear = [grad.T @ x, torch.zeros_like(sublayer.bias)]
            gradients = [*of_linear, totals[1], totals[0], *gradients]
            grad = grad @ sublayer.weight
            out, factor = x, 1.0
        return grad, gradients

    def _add_pooled(self, state: int, grad_pooled: Tensor, grad: Tensor) -> None:
        if self.pooling is not None:
            self.pooling.add_gradient(state, grad_pooled, grad)


def _known_norm(layer: nn.BatchNorm1d) -> Tensor:
    """Batch normalisation by its running statistics, float32 (4, width)."""
    assert layer.running_mean is not None
    assert layer.running_var is not None
    invstd = torch.rsqrt(layer.running_var + layer.eps)
    scale = layer.weight * invstd
    shift = layer.bias - layer.running_mean * scale
    return torch.stack([layer.running_mean, invstd, scale, shift])
