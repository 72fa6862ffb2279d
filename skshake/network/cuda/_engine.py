"""CUDAEngine: kernels of Triton for float32, and whole steps as CUDA graphs.

In: what :class:`skshake.network._torch_engine.Engine` takes, with transposes of all
sparse matrices in training. Out: the same, faster, and the same bits each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from skshake.network._csr import CSR
from skshake.network._torch_engine import DEVICE_WINDOW_ROWS, Engine, LevelPlan
from skshake.network.batches import DeviceHierarchies
from skshake.network.cuda._conv_stack import run_conv_stack
from skshake.network.cuda._graphs import CUDAGraphs
from skshake.network.cuda._sums import SumRows


@dataclass(frozen=True)
class CUDAEngine(Engine):
    """Computes on a GPU; layers one by one in torch, unless it fuses them."""

    window_rows: int = DEVICE_WINDOW_ROWS

    needs_transposes = True

    @property
    def uses_torch_threads(self) -> bool:
        return False

    def sum_rows(self, csr: CSR, table: Tensor) -> Tensor:
        return SumRows.apply(csr, table)

    def run_layers(
        self,
        layers: Sequence[nn.Module],
        plan: LevelPlan,
        h: Tensor,
        edge_states: Tensor,
    ) -> tuple[Tensor, Tensor]:
        # Gradients in evaluation are asked for by users of the network alone.
        works = plan.is_training or not torch.is_grad_enabled()
        if not (self.fuses and works):
            return super().run_layers(layers, plan, h, edge_states)
        return run_conv_stack(cast(Any, layers), plan, h, edge_states)

    def make_differentiator(
        self,
        optimizer: torch.optim.Optimizer,
        data: DeviceHierarchies,
        differentiate: Callable[..., Tensor],
    ) -> Callable[..., Tensor] | None:
        if not self.fuses:
            return None
        return CUDAGraphs(optimizer, data, differentiate)
