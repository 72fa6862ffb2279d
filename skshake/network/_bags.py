"""Weighted sums of rows of a table: embedded features, and states sent down a level.

In: CSR bags and a table. Out: one row per bag. Compiled and in lanes on the CPU, in
Triton on a GPU in training; elsewhere torch's own ``embedding_bag``.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from skshake.network._kernels import sum_bags, sum_bags_backward
from skshake.network._parallel import LANE_ROWS, count_lanes, run_lanes, split_rows


@cache
def has_triton() -> bool:
    """Whether Triton, which comes with torch for GPUs, is there."""
    return importlib.util.find_spec("triton") is not None


class ByRow(NamedTuple):
    """Entries of bags in the order of the rows that they take: the transposed CSR.

    ``ptr`` (n_rows + 1,), ``entry`` (n_entries,), its place in the bags, ``bag``
    (n_entries,) and ``value`` (n_entries,).
    """

    ptr: Tensor
    entry: Tensor
    bag: Tensor
    value: Tensor


class Bags(NamedTuple):
    """Entries of each bag in CSR order.

    ``offsets`` (n_bags + 1,), ``rows`` (n_entries,) of the table, ``values``
    (n_entries,); ``by_row`` where gradients are found on a GPU.
    """

    offsets: Tensor
    rows: Tensor
    values: Tensor
    by_row: ByRow | None = None


def sort_by_row(bags: Bags, n_rows: int) -> ByRow:
    """Transposed CSR, without asking the device for a number."""
    rows, entry = bags.rows.sort(stable=True)
    each = torch.arange(n_rows + 1, device=rows.device)
    owner = torch.repeat_interleave(bags.offsets.diff(), output_size=len(rows))
    ptr = torch.searchsorted(rows, each)
    return ByRow(ptr, entry, owner[entry], bags.values[entry])


class _CompiledBags(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, bags: Bags, table: Tensor) -> Tensor:
        n_bags = len(bags.offsets) - 1
        ctx.bags, ctx.shape = bags, table.shape
        ctx.bounds = split_rows(n_bags, count_lanes(n_bags))
        table = table.detach().contiguous()
        out = table.new_empty(n_bags, table.shape[1])
        arrays = [t.numpy() for t in (*bags[:3], table, out)]

        def task(c: int) -> None:
            sum_bags(ctx.bounds[c], ctx.bounds[c + 1], *arrays)

        run_lanes(task, len(ctx.bounds) - 1)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        n_lanes = len(ctx.bounds) - 1
        # A large table (states of a level) is written in one go, a small one per lane.
        copies = n_lanes if ctx.shape[0] <= LANE_ROWS else 1
        grad_table = grad.new_zeros(copies, *ctx.shape)
        arrays = [t.numpy() for t in (*ctx.bags[:3], grad.contiguous())]
        tables = list(grad_table.numpy())
        bounds = ctx.bounds if copies > 1 else ctx.bounds[[0, -1]]

        def task(c: int) -> None:
            offsets, rows, values, rows_of_grad = arrays
            sum_bags_backward(
                bounds[c], bounds[c + 1], offsets, rows, values, rows_of_grad, tables[c]
            )

        run_lanes(task, len(bounds) - 1)
        return None, grad_table.sum(dim=0)


class _DeviceBags(torch.autograd.Function):
    """The gradient is a sum of bags too, of the transposed."""

    @staticmethod
    def forward(ctx: Any, bags: Bags, table: Tensor) -> Tensor:
        from skshake.network._bags_cuda import sum_bags

        ctx.by_row = bags.by_row
        return sum_bags(*bags[:3], table.contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        from skshake.network._bags_cuda import sum_bags

        ptr, _, bag, value = ctx.by_row
        return None, sum_bags(ptr, bag, value, grad.contiguous())


def sum_rows(bags: Bags, table: Tensor) -> Tensor:
    """Weighted sum of rows of the table for each bag.

    Parameters
    ----------
    bags : Bags
    table : Tensor of shape (n_rows, width)

    Returns
    -------
    sums : Tensor of shape (n_bags, width)
    """
    is_ours = table.dtype == torch.float32 and not torch.compiler.is_compiling()
    if is_ours and table.device.type == "cpu":
        return _CompiledBags.apply(bags, table)
    is_on_gpu = table.device.type == "cuda" and bags.by_row is not None
    if is_ours and is_on_gpu and has_triton():
        return _DeviceBags.apply(bags, table)
    return embedding_bag(
        bags.rows,
        table,
        bags.offsets,
        mode="sum",
        per_sample_weights=bags.values.to(table.dtype),
        include_last_offset=True,
    )
