"""CPUEngine: kernels of numba in lanes of threads, for float32.

In: what :class:`skshake.network._torch_engine.Engine` takes. Out: the same, faster, and
the same bits for any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from skshake.network._csr import CSR
from skshake.network._torch_engine import Engine, LevelPlan
from skshake.network.cpu._conv_stack import run_conv_stack
from skshake.network.cpu._dropout import fill_mask
from skshake.network.cpu._linear import FEWEST_VALUES, Linear
from skshake.network.cpu._sums import SumRows

# From so many rows on, features are encoded in lanes: the other threads would wait.
FEWEST_ROWS = 32_768


@dataclass(frozen=True)
class CPUEngine(Engine):
    """Computes on the CPU; layers one by one in torch, unless it fuses them."""

    @property
    def has_flat_weights(self) -> bool:
        # To move one parameter takes one call; but a user's layers may freeze some.
        return self.fuses

    @property
    def uses_torch_threads(self) -> bool:
        return not self.fuses

    def sum_rows(self, csr: CSR, table: Tensor) -> Tensor:
        return SumRows.apply(csr, table)

    def linear(self, layer: nn.Linear, x: Tensor) -> Tensor:
        if x.numel() < FEWEST_VALUES:
            return super().linear(layer, x)
        return Linear.apply(x, layer.weight, layer.bias)

    def run_mlp(self, layers: nn.Sequential, x: Tensor) -> Tensor:
        if len(x) < FEWEST_ROWS:
            return super().run_mlp(layers, x)
        for layer in layers:
            x = self.linear(layer, x) if isinstance(layer, nn.Linear) else layer(x)
        return x

    def drop(self, h: Tensor, rate: float, stream: Tensor | None) -> Tensor:
        if stream is None or rate == 0.0:
            return h
        mask = np.empty(tuple(h.shape), np.float32)
        state = stream.numpy().view(np.uint64)[()]
        fill_mask(1.0 - rate, state, mask.reshape(-1))
        return h * torch.from_numpy(mask)

    def run_layers(
        self,
        layers: Sequence[nn.Module],
        plan: LevelPlan,
        h: Tensor,
        edge_states: Tensor,
    ) -> tuple[Tensor, Tensor]:
        # Statistics of one row are not those of a batch, and gradients in evaluation
        # are asked for by users of the network alone.
        works = len(h) > 1 if plan.is_training else not torch.is_grad_enabled()
        if not (self.fuses and works):
            return super().run_layers(layers, plan, h, edge_states)
        return run_conv_stack(cast(Any, layers), plan, h, edge_states)
