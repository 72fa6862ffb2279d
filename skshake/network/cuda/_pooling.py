"""Triton kernels that pool the rows of each graph: mean, maximum and scaled sum.

In: rows of a batch padded to a fixed capacity. Out: one row per graph, and back.
:mod:`skshake.network.cpu._pooling` holds the same for the CPU.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def number_rows(node_ptr, owner, ROWS: tl.constexpr):
    """owner[i] = graph of row i."""
    g = tl.program_id(0)
    last = tl.load(node_ptr + g + 1)
    for start in range(tl.load(node_ptr + g), last, ROWS):
        i = start + tl.arange(0, ROWS)
        tl.store(owner + i, g.to(tl.int64), mask=i < last)


@triton.jit(do_not_specialize=["capacity"])
def pool_graphs(
    node_ptr,
    states,
    pooled,
    ties,
    capacity,
    width,
    n_states,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Mean, maximum and scaled sum of each graph's rows of each state.

    Parameters
    ----------
    node_ptr : int64 (n_graphs + 1,)  # IN
    states : float32 (n_states, capacity, width)  # IN
    pooled : float32 (n_graphs, n_states, 3, width)  # OUT
    ties : float32 (n_graphs, n_states, width), rows that have the maximum  # OUT
    """
    g, s = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    first, last = tl.load(node_ptr + g), tl.load(node_ptr + g + 1)
    rows = states + s * capacity * width
    total = tl.zeros([WIDTH], tl.float32)
    most = tl.full([WIDTH], float("-inf"), tl.float32)
    for start in range(first, last, ROWS):
        i = start + tl.arange(0, ROWS)
        ok = (i < last)[:, None] & is_column[None, :]
        at = rows + i[:, None] * width + c[None, :]
        total += tl.sum(tl.load(at, mask=ok, other=0.0), axis=0)
        x = tl.load(at, mask=ok, other=float("-inf"))
        most = tl.maximum(most, tl.max(x, axis=0))
    equal = tl.zeros([WIDTH], tl.float32)
    for start in range(first, last, ROWS):
        i = start + tl.arange(0, ROWS)
        ok = (i < last)[:, None] & is_column[None, :]
        at = rows + i[:, None] * width + c[None, :]
        x = tl.load(at, mask=ok, other=float("nan"))
        equal += tl.sum((x == most[None, :]).to(tl.float32), axis=0)
    most = tl.where(last > first, most, 0.0)
    n_nodes = tl.maximum(last - first, 1).to(tl.float32)
    at = pooled + (g * n_states + s) * 3 * width + c
    tl.store(at, total / n_nodes, mask=is_column)
    tl.store(at + width, most, mask=is_column)
    tl.store(at + 2 * width, total / tl.sqrt(n_nodes), mask=is_column)
    tl.store(ties + (g * n_states + s) * width + c, equal, mask=is_column)


@triton.jit(do_not_specialize=["s", "capacity"])
def pool_graphs_backward(
    node_ptr,
    owner,
    state,
    pooled,
    ties,
    grad_pooled,
    n_rows,
    grad,
    s,
    capacity,
    width,
    n_states,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Add the gradient of the pooled columns of state ``s``; equal maxima share theirs.

    Parameters
    ----------
    owner : int64 (capacity,), see ``number_rows``  # IN
    state : float32 (capacity, width)  # IN
    pooled, ties : see ``pool_graphs``  # IN
    grad_pooled : float32, as ``pooled``  # IN
    grad : float32 (capacity, width)  # IN and OUT
    """
    c = tl.arange(0, WIDTH)
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    counts = i < tl.load(n_rows)
    g = tl.load(owner + i, mask=counts, other=0)
    n_nodes = tl.load(node_ptr + g + 1, mask=counts, other=1)
    n_nodes -= tl.load(node_ptr + g, mask=counts, other=0)
    n_nodes = tl.maximum(n_nodes, 1).to(tl.float32)[:, None]
    ok = counts[:, None] & (c < width)[None, :]
    of_graph = g[:, None] * n_states + s
    column = of_graph * 3 * width + c[None, :]
    at = i[:, None] * width + c[None, :]
    added = tl.load(grad_pooled + column, mask=ok, other=0.0) / n_nodes
    total = tl.load(grad_pooled + column + 2 * width, mask=ok, other=0.0)
    added += total / tl.sqrt(n_nodes)
    most = tl.load(pooled + column + width, mask=ok, other=0.0)
    equal = tl.load(ties + of_graph * width + c[None, :], mask=ok, other=1.0)
    share = tl.load(grad_pooled + column + width, mask=ok, other=0.0)
    is_most = tl.load(state + at, mask=ok, other=0.0) == most
    added += tl.where(is_most, share / tl.maximum(equal, 1.0), 0.0)
    old = tl.load(grad + at, mask=ok, other=0.0)
    tl.store(grad + at, old + added, mask=ok)
