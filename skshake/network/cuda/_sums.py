"""Sums of rows on a GPU: a sparse matrix times a table, without atomics.

In: a CSR matrix and its transpose, and a table. Out: one row per row of the matrix,
with a gradient, which is a product with the transpose.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from skshake.network._csr import CSR
from skshake.network.cuda._launch import ceil_power, count_splits, count_warps


@triton.jit(do_not_specialize=["n_rows"])
def _multiply(
    rowptr,
    col,
    value,
    table,
    out,
    n_rows,
    width,
    SPLITS: tl.constexpr,
    ENTRIES: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """out[s, i] = sum over part s of the entries of row i of value times a table's row.

    Parameters
    ----------
    rowptr, col, value : int64 (n_rows + 1,), int64 and float32 (n_entries,)  # IN
    table : float32 (n_cols, width)  # IN
    out : float32 (SPLITS, n_rows, width)  # OUT
    """
    i, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    c = tl.arange(0, WIDTH)
    first, last = tl.load(rowptr + i), tl.load(rowptr + i + 1)
    length = tl.cdiv(last - first, SPLITS)
    first += split * length
    last = tl.minimum(first + length, last)
    total = tl.zeros([WIDTH], tl.float32)
    for start in range(first, last, ENTRIES):
        k = start + tl.arange(0, ENTRIES)
        j = tl.load(col + k, mask=k < last, other=0)
        v = tl.load(value + k, mask=k < last, other=0.0)
        at = j[:, None] * width + c[None, :]
        states = tl.load(table + at, mask=(c < width)[None, :], other=0.0)
        total += tl.sum(v[:, None] * states, axis=0)
    tl.store(out + (split * n_rows + i) * width + c, total, mask=c < width)


def multiply(rowptr: Tensor, col: Tensor, value: Tensor, table: Tensor) -> Tensor:
    """Weighted sum of rows of a table for each row of a matrix, (n_rows, width)."""
    n_rows, width = len(rowptr) - 1, table.shape[1]
    # Parts of long rows are summed by several programs, and added in order.
    splits = count_splits(len(col), n_rows)
    out = table.new_empty(splits, n_rows, width)
    if out.numel():
        entries = min(16, ceil_power(len(col) / n_rows))
        _multiply[(n_rows, splits)](
            rowptr,
            col,
            value,
            table,
            out,
            n_rows,
            width,
            SPLITS=splits,
            ENTRIES=entries,
            WIDTH=ceil_power(width),
            num_warps=count_warps(entries * width),
        )
    return out[0] if splits == 1 else out.sum(dim=0)


class SumRows(torch.autograd.Function):
    """The product, and its gradient by the table."""

    @staticmethod
    def forward(ctx: Any, csr: CSR, table: Tensor) -> Tensor:
        ctx.transpose = csr.transpose
        return multiply(*csr[:3], table.contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        colptr, _, row, value = ctx.transpose
        return None, multiply(colptr, row, value, grad.contiguous())
