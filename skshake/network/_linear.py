"""LaneLinear: a linear layer whose rows are computed in lanes on the CPU.

In: rows. Out: rows; as torch.nn.Linear, and the same bits for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from skshake.network._parallel import run_lanes, split_rows

# Lanes of the rows of a batch, and how many numbers are worth them.
N_LANES, FEWEST_VALUES = 4, 65_536


class LaneLinear(nn.Linear):
    """``torch.nn.Linear``, in lanes where the input is large and on the CPU."""

    def forward(self, x: Tensor) -> Tensor:
        is_plain = x.device.type == "cpu" and x.dtype == self.weight.dtype
        is_cast = torch.is_autocast_enabled(x.device.type)
        if x.numel() < FEWEST_VALUES or not is_plain or is_cast:
            return super().forward(x)
        if torch.compiler.is_compiling():
            return super().forward(x)
        return _Lanes.apply(x, self.weight, self.bias)


class _Lanes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        rows, matrix = x.detach().numpy(), weight.detach().numpy()
        out = np.empty((len(rows), len(matrix)), rows.dtype)
        bounds = split_rows(len(rows), N_LANES)

        def task(c: int) -> None:
            part = slice(bounds[c], bounds[c + 1])
            np.dot(rows[part], matrix.T, out=out[part])

        run_lanes(task, N_LANES)
        return torch.from_numpy(out).add_(bias.detach())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, matrix = (saved.detach().numpy() for saved in ctx.saved_tensors)
        gradient = grad.contiguous().numpy()
        out = np.empty_like(rows)
        of_weight = np.empty((N_LANES, *matrix.shape), rows.dtype)
        bounds = split_rows(len(rows), N_LANES)

        def task(c: int) -> None:
            part = slice(bounds[c], bounds[c + 1])
            np.dot(gradient[part], matrix, out=out[part])
            np.dot(gradient[part].T, rows[part], out=of_weight[c])

        run_lanes(task, N_LANES)
        found = of_weight.sum(axis=0)
        return torch.from_numpy(out), torch.from_numpy(found), grad.sum(dim=0)
