"""A linear layer whose rows are computed in lanes on the CPU.

In: rows, a weight, a bias. Out: rows; as torch.nn.functional.linear, and the same bits
for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from skshake.network._threads import run_tasks, split_rows

# Lanes of the rows of a batch, and how many numbers are worth them.
N_LANES, FEWEST_VALUES = 4, 65_536


class Linear(torch.autograd.Function):
    """x weight' + bias, and its gradients."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        rows, matrix = x.detach().numpy(), weight.detach().numpy()
        out = np.empty((len(rows), len(matrix)), rows.dtype)
        bounds = split_rows(len(rows), N_LANES)

        def task(lane: int) -> None:
            part = slice(bounds[lane], bounds[lane + 1])
            np.dot(rows[part], matrix.T, out=out[part])

        run_tasks(task, N_LANES)
        return torch.from_numpy(out).add_(bias.detach())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, matrix = (saved.detach().numpy() for saved in ctx.saved_tensors)
        gradient = grad.contiguous().numpy()
        out = np.empty_like(rows)
        of_weight = np.empty((N_LANES, *matrix.shape), rows.dtype)
        bounds = split_rows(len(rows), N_LANES)

        def task(lane: int) -> None:
            part = slice(bounds[lane], bounds[lane + 1])
            np.dot(gradient[part], matrix, out=out[part])
            np.dot(gradient[part].T, rows[part], out=of_weight[lane])

        run_tasks(task, N_LANES)
        found = of_weight.sum(axis=0)
        return torch.from_numpy(out), torch.from_numpy(found), grad.sum(dim=0)
