"""Triton kernels of batch normalisation, ReLU and dropout, forward and backward.

In: rows of a batch padded to a fixed capacity; how many of them count is read on the
device. Out: rows in place, and sums over them: one program sums one share of the rows,
and the shares are added in order, without atomics. Matrix products are torch's.
:mod:`skshake.network.cpu._sublayers` holds the same for the CPU.
"""

from __future__ import annotations

import triton
import triton.language as tl

from skshake.network import _norm

# Rows of a normalisation's array, as constants of kernels.
MEAN, INVSTD = tl.constexpr(_norm.MEAN), tl.constexpr(_norm.INVSTD)
SCALE, SHIFT = tl.constexpr(_norm.SCALE), tl.constexpr(_norm.SHIFT)


@triton.jit
def sum_columns(z, n_rows, sums, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Sums and sums of squares of the columns of one share of the rows.

    Parameters
    ----------
    z : float32 (capacity, width)  # IN
    n_rows : int64 (1,), rows that count  # IN
    sums : float32 (n_shares, 2, width)  # OUT
    """
    share, c = tl.program_id(0), tl.arange(0, WIDTH)
    n = tl.load(n_rows)
    length = tl.cdiv(n, tl.num_programs(0))
    first = share * length
    last = tl.minimum(first + length, n)
    total = tl.zeros([WIDTH], tl.float32)
    squares = tl.zeros([WIDTH], tl.float32)
    for start in range(first, last, ROWS):
        i = start + tl.arange(0, ROWS)
        ok = (i < last)[:, None] & (c < width)[None, :]
        x = tl.load(z + i[:, None] * width + c[None, :], mask=ok, other=0.0)
        total += tl.sum(x, axis=0)
        squares += tl.sum(x * x, axis=0)
    at = sums + share * 2 * width + c
    tl.store(at, total, mask=c < width)
    tl.store(at + width, squares, mask=c < width)


@triton.jit
def find_norm(
    sums,
    n_rows,
    weight,
    bias,
    running_mean,
    running_var,
    momentum,
    eps,
    norm,
    width,
    N_SHARES: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """What batch normalisation multiplies by and adds; moves its running statistics.

    Parameters
    ----------
    sums : float32 (N_SHARES, 2, width), see ``sum_columns``  # IN
    weight, bias : float32 (width,)  # IN
    running_mean, running_var : float32 (width,)  # IN and OUT
    norm : float32 (4, width), see ``skshake.network._norm``  # OUT
    """
    c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    ok = c < width
    share = tl.arange(0, N_SHARES)
    at = sums + share[:, None] * 2 * width + c[None, :]
    n = tl.load(n_rows).to(tl.float64)
    total = tl.load(at, mask=ok[None, :], other=0.0).to(tl.float64)
    squares = tl.load(at + width, mask=ok[None, :], other=0.0).to(tl.float64)
    mean = tl.sum(total, axis=0) / tl.maximum(n, 1.0)
    variance = tl.sum(squares, axis=0) / tl.maximum(n, 1.0) - mean * mean
    variance = tl.maximum(variance, 0.0)
    unbiased = (variance * n / tl.maximum(n - 1.0, 1.0)).to(tl.float32)
    # Fewer than two rows say nothing: what is known is used, and kept.
    is_batch = n > 1.0
    known = tl.load(running_mean + c, mask=ok, other=0.0)
    mean = tl.where(is_batch, mean.to(tl.float32), known)
    tl.store(running_mean + c, known + momentum * (mean - known), mask=ok)
    known = tl.load(running_var + c, mask=ok, other=0.0)
    unbiased = tl.where(is_batch, unbiased, known)
    tl.store(running_var + c, known + momentum * (unbiased - known), mask=ok)
    variance = tl.where(is_batch, variance, known.to(tl.float64))
    invstd = (1.0 / tl.sqrt(variance + eps)).to(tl.float32)
    scale = tl.load(weight + c, mask=ok, other=0.0) * invstd
    shift = tl.load(bias + c, mask=ok, other=0.0) - mean * scale
    tl.store(norm + width * MEAN + c, mean, mask=ok)
    tl.store(norm + width * INVSTD + c, invstd, mask=ok)
    tl.store(norm + width * SCALE + c, scale, mask=ok)
    tl.store(norm + width * SHIFT + c, shift, mask=ok)


@triton.jit
def hash_counter(at, stream):
    """32 random bits of a counter under the two halves of a stream (lowbias32)."""
    x = at.to(tl.uint32) + stream.to(tl.uint32)
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = x ^ (x >> 15)
    x = (x + (stream >> 32).to(tl.uint32)) * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit(do_not_specialize=["capacity"])
def normalise(
    z,
    norm,
    n_rows,
    keep,
    n_kept,
    stream,
    out,
    capacity,
    width,
    DROPS: tl.constexpr,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """out = relu(z scale + shift), of which a fraction ``keep`` is kept, divided by it.

    Kept are those whose hash under the stream, int64 (1,), is among the first
    ``n_kept``. Rows that do not count become 0.
    """
    c = tl.arange(0, WIDTH)
    is_column = c < width
    scale = tl.load(norm + width * SCALE + c, mask=is_column, other=0.0)
    shift = tl.load(norm + width * SHIFT + c, mask=is_column, other=0.0)
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = i[:, None] * width + c[None, :]
    ok = (i < capacity)[:, None] & is_column[None, :]
    x = tl.load(z + at, mask=ok, other=0.0) * scale[None, :] + shift[None, :]
    # A NaN stays one, so that a training that explodes is noticed.
    x = tl.where(x < 0.0, 0.0, x)
    if DROPS:
        is_kept = hash_counter(at, tl.load(stream)).to(tl.int64) < n_kept
        x = tl.where(is_kept, x / keep, 0.0)
    x = tl.where((i < tl.load(n_rows))[:, None], x, 0.0)
    tl.store(out + at, x, mask=ok)


@triton.jit
def relu_dropout_backward(
    out,
    grad,
    z,
    norm,
    n_rows,
    factor,
    sums,
    width,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Gradient before ReLU and dropout, in place, and its sums for the normalisation.

    Parameters
    ----------
    out : float32 (capacity, width), what ReLU and dropout let pass  # IN
    grad : float32 (capacity, width)  # IN and OUT
    z, norm : see ``find_norm``  # IN
    factor : float, by which dropout multiplied  # IN
    sums : float32 (n_shares, 2, width), of the gradient, and of it times xhat  # OUT
    """
    share, c = tl.program_id(0), tl.arange(0, WIDTH)
    is_column = c < width
    mean = tl.load(norm + width * MEAN + c, mask=is_column, other=0.0)
    invstd = tl.load(norm + width * INVSTD + c, mask=is_column, other=0.0)
    n = tl.load(n_rows)
    length = tl.cdiv(n, tl.num_programs(0))
    first = share * length
    last = tl.minimum(first + length, n)
    total = tl.zeros([WIDTH], tl.float32)
    products = tl.zeros([WIDTH], tl.float32)
    for start in range(first, last, ROWS):
        i = start + tl.arange(0, ROWS)
        ok = (i < last)[:, None] & is_column[None, :]
        at = i[:, None] * width + c[None, :]
        is_open = tl.load(out + at, mask=ok, other=0.0) > 0.0
        passed = tl.load(grad + at, mask=ok, other=0.0) * factor
        passed = tl.where(is_open, passed, 0.0)
        xhat = (tl.load(z + at, mask=ok, other=0.0) - mean[None, :]) * invstd[None, :]
        tl.store(grad + at, passed, mask=ok)
        total += tl.sum(passed, axis=0)
        products += tl.sum(passed * xhat, axis=0)
    at = sums + share * 2 * width + c
    tl.store(at, total, mask=is_column)
    tl.store(at + width, products, mask=is_column)


@triton.jit(do_not_specialize=["capacity"])
def normalise_backward(
    z,
    norm,
    totals,
    n_rows,
    grad,
    capacity,
    width,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Gradient before batch normalisation, in place; 0 in rows that do not count.

    Parameters
    ----------
    totals : float32 (2, width), sums of the gradient and of it times xhat  # IN
    grad : float32 (capacity, width)  # IN and OUT
    """
    c = tl.arange(0, WIDTH)
    is_column = c < width
    n = tl.load(n_rows)
    mean = tl.load(norm + width * MEAN + c, mask=is_column, other=0.0)
    invstd = tl.load(norm + width * INVSTD + c, mask=is_column, other=0.0)
    scale = tl.load(norm + width * SCALE + c, mask=is_column, other=0.0)
    # Statistics that did not come from the rows have no gradient.
    share = tl.where(n > 1, 1.0 / tl.maximum(n, 1).to(tl.float32), 0.0)
    average = tl.load(totals + c, mask=is_column, other=0.0) * share
    product = tl.load(totals + width + c, mask=is_column, other=0.0) * share
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = i[:, None] * width + c[None, :]
    ok = (i < capacity)[:, None] & is_column[None, :]
    xhat = (tl.load(z + at, mask=ok, other=0.0) - mean[None, :]) * invstd[None, :]
    centred = tl.load(grad + at, mask=ok, other=0.0) - average[None, :]
    centred -= xhat * product[None, :]
    out = tl.where((i < n)[:, None], scale[None, :] * centred, 0.0)
    tl.store(grad + at, out, mask=ok)
