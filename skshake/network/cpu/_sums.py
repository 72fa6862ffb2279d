"""Sums of rows on the CPU, in lanes: a sparse matrix times a table.

In: a CSR matrix and a table. Out: one row per row of the matrix, with a gradient.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from skshake._jit import kernel
from skshake.network._csr import CSR, as_numpy
from skshake.network._threads import LANE_ROWS, count_lanes, run_tasks, split_rows


@kernel
def multiply(first, last, csr, table, out):
    """out[i] = sum over the entries of row i of value times the table's row ``col``.

    Parameters
    ----------
    first, last : int, rows to write  # IN
    csr : CSR of numpy arrays  # IN
    table : float32 array (n_cols, width)  # IN
    out : float32 array (n_rows, width)  # OUT
    """
    rowptr, col, value = csr.rowptr, csr.col, csr.value
    width = table.shape[1]
    for i in range(first, last):
        for c in range(width):
            out[i, c] = 0.0
        for k in range(rowptr[i], rowptr[i + 1]):
            j, v = col[k], value[k]
            for c in range(width):
                out[i, c] += v * table[j, c]


@kernel
def multiply_backward(first, last, csr, grad, grad_table):
    """Add to the table's gradient (n_cols, width)  # IN and OUT; the rest as above.

    Rows of the matrix may share rows of the table, so that two threads must not write
    to one ``grad_table``.
    """
    rowptr, col, value = csr.rowptr, csr.col, csr.value
    width = grad.shape[1]
    for i in range(first, last):
        for k in range(rowptr[i], rowptr[i + 1]):
            j, v = col[k], value[k]
            for c in range(width):
                grad_table[j, c] += v * grad[i, c]


class SumRows(torch.autograd.Function):
    """The product, and its gradient by the table."""

    @staticmethod
    def forward(ctx: Any, csr: CSR, table: Tensor) -> Tensor:
        n_rows = len(csr.rowptr) - 1
        ctx.csr, ctx.shape = as_numpy(csr._replace(transpose=None)), table.shape
        ctx.bounds = split_rows(n_rows, count_lanes(n_rows))
        table = table.detach().contiguous()
        out = table.new_empty(n_rows, table.shape[1])
        arrays = ctx.csr, table.numpy(), out.numpy()

        def task(lane: int) -> None:
            multiply(ctx.bounds[lane], ctx.bounds[lane + 1], *arrays)

        run_tasks(task, len(ctx.bounds) - 1)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        n_lanes = len(ctx.bounds) - 1
        # A large table (states of a level) is written in one go, a small one per lane.
        copies = n_lanes if ctx.shape[0] <= LANE_ROWS else 1
        grad_table = grad.new_zeros(copies, *ctx.shape)
        csr, rows, tables = ctx.csr, grad.contiguous().numpy(), list(grad_table.numpy())
        bounds = ctx.bounds if copies > 1 else ctx.bounds[[0, -1]]

        def task(lane: int) -> None:
            first, last = bounds[lane], bounds[lane + 1]
            multiply_backward(first, last, csr, rows, tables[lane])

        run_tasks(task, len(bounds) - 1)
        return None, grad_table.sum(dim=0)
