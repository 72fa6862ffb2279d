"""A linear layer whose rows are computed in lanes on the CPU.

In: rows, a weight, a bias. Out: rows; as torch.nn.functional.linear, and the same bits
for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from skshake.network._threads import count_lanes, run_tasks, split_rows

# The rows of a batch are cut into at least so many lanes, if they hold so many numbers.
FEWEST_LANES, FEWEST_VALUES = 4, 65_536


class Linear(torch.autograd.Function):
    """x weight' + bias, and its gradients."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        rows, matrix = x.detach().numpy(), weight.detach().numpy()
        out = np.empty((len(rows), len(matrix)), rows.dtype)
        bounds = _cut(len(rows))

        def task(lane: int) -> None:
            part = slice(bounds[lane], bounds[lane + 1])
            np.dot(rows[part], matrix.T, out=out[part])

        run_tasks(task, len(bounds) - 1)
        return torch.from_numpy(out).add_(bias.detach())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        rows, matrix = (saved.detach().numpy() for saved in ctx.saved_tensors)
        gradient = grad.contiguous().numpy()
        # Features need no gradient.
        out = np.empty(rows.shape, rows.dtype) if ctx.needs_input_grad[0] else None
        bounds = _cut(len(rows))
        of_weight = np.empty((len(bounds) - 1, *matrix.shape), rows.dtype)

        def task(lane: int) -> None:
            part = slice(bounds[lane], bounds[lane + 1])
            if out is not None:
                np.dot(gradient[part], matrix, out=out[part])
            np.dot(gradient[part].T, rows[part], out=of_weight[lane])

        run_tasks(task, len(bounds) - 1)
        of_rows = None if out is None else torch.from_numpy(out)
        return of_rows, torch.from_numpy(of_weight.sum(axis=0)), grad.sum(dim=0)


def _cut(n_rows: int) -> np.ndarray:
    """Where lanes begin, and the last one ends."""
    return split_rows(n_rows, max(FEWEST_LANES, count_lanes(n_rows)))
