"""Triton kernels of message passing: sums over the arcs of each node, and back.

In: rows of a batch padded to a fixed capacity. Out: rows. There are no atomics, so
equal seeds give equal bits. :mod:`skshake.network.cpu._messages` holds the same for the
CPU.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def sum_messages(
    rowptr,
    col,
    edge,
    weight,
    epsilon,
    h,
    e,
    out,
    width,
    ARCS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """out[i] = (1 + epsilon) h[i] + sum over arcs of weight relu(h[col] + e[edge])."""
    i = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    total = tl.load(h + i * width + c, mask=is_column, other=0.0)
    total *= 1.0 + tl.load(epsilon)
    first, last = tl.load(rowptr + i), tl.load(rowptr + i + 1)
    for start in range(first, last, ARCS):
        arc = start + tl.arange(0, ARCS)
        is_arc = arc < last
        j = tl.load(col + arc, mask=is_arc, other=0)
        k = tl.load(edge + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(h + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        sent += tl.load(e + k[:, None] * width + c[None, :], mask=ok, other=0.0)
        # ReLU; a NaN stays one.
        sent = tl.where(sent < 0.0, 0.0, sent)
        total += tl.sum(w[:, None] * sent, axis=0)
    tl.store(out + i * width + c, total, mask=is_column)


@triton.jit
def sum_messages_backward(
    rowptr,
    col,
    edge,
    weight,
    epsilon,
    h,
    e,
    grad,
    grad_h,
    grad_epsilon,
    width,
    ARCS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Gradient of ``h``; arcs are symmetric, so it is a gather like the sum itself.

    Parameters
    ----------
    grad : float32 (n_nodes, width), gradient of ``out``  # IN
    grad_h : float32 (n_nodes, width)  # OUT
    grad_epsilon : float32 (n_nodes,), share of each node in that of ``epsilon``  # OUT
    """
    i = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    own = tl.load(h + i * width + c, mask=is_column, other=0.0)
    total = tl.load(grad + i * width + c, mask=is_column, other=0.0)
    tl.store(grad_epsilon + i, tl.sum(total * own, axis=0))
    total *= 1.0 + tl.load(epsilon)
    first, last = tl.load(rowptr + i), tl.load(rowptr + i + 1)
    for start in range(first, last, ARCS):
        arc = start + tl.arange(0, ARCS)
        is_arc = arc < last
        j = tl.load(col + arc, mask=is_arc, other=0)
        k = tl.load(edge + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(e + k[:, None] * width + c[None, :], mask=ok, other=0.0)
        back = tl.load(grad + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        passed = tl.where(own[None, :] + sent > 0.0, w[:, None] * back, 0.0)
        total += tl.sum(passed, axis=0)
    tl.store(grad_h + i * width + c, total, mask=is_column)


@triton.jit(do_not_specialize=["n_edges"])
def add_edge_gradients(
    colptr,
    perm,
    row,
    col,
    weight,
    h,
    e,
    grad,
    grad_e,
    n_edges,
    width,
    SPLITS: tl.constexpr,
    ARCS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Add part s of the gradient of ``e`` from one layer to grad_e[s].

    Parameters
    ----------
    colptr, perm, row : arcs of each edge state, and the node that each arc's message
        goes to, see ``Transpose``  # IN
    grad_e : float32 (SPLITS, n_edges, width)  # IN and OUT
    """
    k, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    own = tl.load(e + k * width + c, mask=is_column, other=0.0)
    first, last = tl.load(colptr + k), tl.load(colptr + k + 1)
    length = tl.cdiv(last - first, SPLITS)
    first += split * length
    last = tl.minimum(first + length, last)
    at = grad_e + (split * n_edges + k) * width + c
    total = tl.load(at, mask=is_column, other=0.0)
    for start in range(first, last, ARCS):
        entry = start + tl.arange(0, ARCS)
        is_arc = entry < last
        arc = tl.load(perm + entry, mask=is_arc, other=0)
        i = tl.load(row + entry, mask=is_arc, other=0)
        j = tl.load(col + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(h + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        back = tl.load(grad + i[:, None] * width + c[None, :], mask=ok, other=0.0)
        passed = tl.where(own[None, :] + sent > 0.0, w[:, None] * back, 0.0)
        total += tl.sum(passed, axis=0)
    tl.store(at, total, mask=is_column)
