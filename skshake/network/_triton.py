"""GPU kernels of the trunk, in Triton: no atomics, so equal seeds give equal bits.

In: rows of a batch padded to a fixed capacity; how many of them count is read on the
device. Out: rows or sums in place. :mod:`skshake.network._kernels` holds the same for
the CPU. This module is imported where there is a GPU, or in Triton's interpreter.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n_bags"])
def sum_bags(
    offsets,
    rows,
    values,
    table,
    out,
    n_bags,
    width,
    SPLITS: tl.constexpr,
    ENTRIES: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """out[s, i] = sum over part s of the entries of bag i of value times a row.

    Parameters
    ----------
    offsets, rows, values : int64 (n_bags + 1,), int64 and float32 (n_entries,)  # IN
    table : float32 (n_rows, width)  # IN
    out : float32 (SPLITS, n_bags, width)  # OUT
    """
    i, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    c = tl.arange(0, WIDTH)
    first, last = tl.load(offsets + i), tl.load(offsets + i + 1)
    length = tl.cdiv(last - first, SPLITS)
    first += split * length
    last = tl.minimum(first + length, last)
    total = tl.zeros([WIDTH], tl.float32)
    for start in range(first, last, ENTRIES):
        k = start + tl.arange(0, ENTRIES)
        row = tl.load(rows + k, mask=k < last, other=0)
        value = tl.load(values + k, mask=k < last, other=0.0)
        at = row[:, None] * width + c[None, :]
        states = tl.load(table + at, mask=(c < width)[None, :], other=0.0)
        total += tl.sum(value[:, None] * states, axis=0)
    tl.store(out + (split * n_bags + i) * width + c, total, mask=c < width)


@triton.jit
def sum_messages(
    indptr,
    neighbour,
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
    """out[i] = (1 + epsilon) h[i] + sum over arcs of weight relu(h[j] + e[edge])."""
    i = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    total = tl.load(h + i * width + c, mask=is_column, other=0.0)
    total *= 1.0 + tl.load(epsilon)
    first, last = tl.load(indptr + i), tl.load(indptr + i + 1)
    for start in range(first, last, ARCS):
        arc = start + tl.arange(0, ARCS)
        is_arc = arc < last
        j = tl.load(neighbour + arc, mask=is_arc, other=0)
        k = tl.load(edge + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(h + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        sent += tl.load(e + k[:, None] * width + c[None, :], mask=ok, other=0.0)
        total += tl.sum(w[:, None] * tl.maximum(sent, 0.0), axis=0)
    tl.store(out + i * width + c, total, mask=is_column)


@triton.jit
def sum_messages_backward(
    indptr,
    neighbour,
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
    first, last = tl.load(indptr + i), tl.load(indptr + i + 1)
    for start in range(first, last, ARCS):
        arc = start + tl.arange(0, ARCS)
        is_arc = arc < last
        j = tl.load(neighbour + arc, mask=is_arc, other=0)
        k = tl.load(edge + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(e + k[:, None] * width + c[None, :], mask=ok, other=0.0)
        back = tl.load(grad + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        passed = tl.where(own[None, :] + sent > 0.0, w[:, None] * back, 0.0)
        total += tl.sum(passed, axis=0)
    tl.store(grad_h + i * width + c, total, mask=is_column)


@triton.jit(do_not_specialize=["n_edges"])
def edge_gradients(
    edge_ptr,
    arc_of_entry,
    target,
    neighbour,
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
    edge_ptr, arc_of_entry, target : arcs of each row, and the node that each arc's
        message goes to, see ``ByRow``  # IN
    grad_e : float32 (SPLITS, n_edges, width)  # IN and OUT
    """
    k, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    c = tl.arange(0, WIDTH)
    is_column = c < width
    own = tl.load(e + k * width + c, mask=is_column, other=0.0)
    first, last = tl.load(edge_ptr + k), tl.load(edge_ptr + k + 1)
    length = tl.cdiv(last - first, SPLITS)
    first += split * length
    last = tl.minimum(first + length, last)
    at = grad_e + (split * n_edges + k) * width + c
    total = tl.load(at, mask=is_column, other=0.0)
    for start in range(first, last, ARCS):
        entry = start + tl.arange(0, ARCS)
        is_arc = entry < last
        arc = tl.load(arc_of_entry + entry, mask=is_arc, other=0)
        i = tl.load(target + entry, mask=is_arc, other=0)
        j = tl.load(neighbour + arc, mask=is_arc, other=0)
        w = tl.load(weight + arc, mask=is_arc, other=0.0)
        ok = is_arc[:, None] & is_column[None, :]
        sent = tl.load(h + j[:, None] * width + c[None, :], mask=ok, other=0.0)
        back = tl.load(grad + i[:, None] * width + c[None, :], mask=ok, other=0.0)
        passed = tl.where(own[None, :] + sent > 0.0, w[:, None] * back, 0.0)
        total += tl.sum(passed, axis=0)
    tl.store(at, total, mask=is_column)


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
def find_affine(
    sums,
    n_rows,
    gamma,
    beta,
    running_mean,
    running_variance,
    momentum,
    tiny,
    affine,
    width,
    N_SHARES: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """What batch normalisation multiplies by and adds; moves its running statistics.

    Parameters
    ----------
    sums : float32 (N_SHARES, 2, width), see ``sum_columns``  # IN
    gamma, beta : float32 (width,)  # IN
    running_mean, running_variance : float32 (width,)  # IN and OUT
    affine : float32 (4, width), mean, inverse spread, factor, shift  # OUT
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
    known = tl.load(running_variance + c, mask=ok, other=0.0)
    unbiased = tl.where(is_batch, unbiased, known)
    tl.store(running_variance + c, known + momentum * (unbiased - known), mask=ok)
    variance = tl.where(is_batch, variance, known.to(tl.float64))
    scale = (1.0 / tl.sqrt(variance + tiny)).to(tl.float32)
    factor = tl.load(gamma + c, mask=ok, other=0.0) * scale
    shift = tl.load(beta + c, mask=ok, other=0.0) - mean * factor
    tl.store(affine + c, mean, mask=ok)
    tl.store(affine + width + c, scale, mask=ok)
    tl.store(affine + 2 * width + c, factor, mask=ok)
    tl.store(affine + 3 * width + c, shift, mask=ok)


@triton.jit
def _hash(at, stream):
    """32 random bits of a counter under the two halves of a stream (lowbias32)."""
    x = at.to(tl.uint32) + stream.to(tl.uint32)
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = x ^ (x >> 15)
    x = (x + (stream >> 32).to(tl.uint32)) * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit(do_not_specialize=["capacity"])
def normalise(
    z,
    affine,
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
    """out = relu(z factor + shift), of which a share ``keep`` is kept, divided by it.

    Kept are those whose hash under the stream, int64 (1,), is among the first
    ``n_kept``. Rows that do not count become 0.
    """
    c = tl.arange(0, WIDTH)
    is_column = c < width
    factor = tl.load(affine + 2 * width + c, mask=is_column, other=0.0)
    shift = tl.load(affine + 3 * width + c, mask=is_column, other=0.0)
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = i[:, None] * width + c[None, :]
    ok = (i < capacity)[:, None] & is_column[None, :]
    x = tl.load(z + at, mask=ok, other=0.0) * factor[None, :] + shift[None, :]
    # A NaN stays one, so that a training that explodes is noticed.
    x = tl.where(x < 0.0, 0.0, x)
    if DROPS:
        is_kept = _hash(at, tl.load(stream)).to(tl.int64) < n_kept
        x = tl.where(is_kept, x / keep, 0.0)
    x = tl.where((i < tl.load(n_rows))[:, None], x, 0.0)
    tl.store(out + at, x, mask=ok)


@triton.jit
def open_gates(
    out,
    grad,
    z,
    affine,
    n_rows,
    multiplier,
    sums,
    width,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Gradient before the rectifier, in place, and its sums for the normalisation.

    Parameters
    ----------
    out : float32 (capacity, width), what rectifier and dropout let pass  # IN
    grad : float32 (capacity, width)  # IN and OUT
    z, affine : see ``find_affine``  # IN
    multiplier : float, by which dropout multiplied  # IN
    sums : float32 (n_shares, 2, width), of the gradient, and of it times xhat  # OUT
    """
    share, c = tl.program_id(0), tl.arange(0, WIDTH)
    is_column = c < width
    mean = tl.load(affine + c, mask=is_column, other=0.0)
    scale = tl.load(affine + width + c, mask=is_column, other=0.0)
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
        passed = tl.load(grad + at, mask=ok, other=0.0) * multiplier
        passed = tl.where(is_open, passed, 0.0)
        xhat = (tl.load(z + at, mask=ok, other=0.0) - mean[None, :]) * scale[None, :]
        tl.store(grad + at, passed, mask=ok)
        total += tl.sum(passed, axis=0)
        products += tl.sum(passed * xhat, axis=0)
    at = sums + share * 2 * width + c
    tl.store(at, total, mask=is_column)
    tl.store(at + width, products, mask=is_column)


@triton.jit(do_not_specialize=["capacity"])
def normalise_backward(
    z,
    affine,
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
    mean = tl.load(affine + c, mask=is_column, other=0.0)
    scale = tl.load(affine + width + c, mask=is_column, other=0.0)
    factor = tl.load(affine + 2 * width + c, mask=is_column, other=0.0)
    # Statistics that did not come from the rows have no gradient.
    share = tl.where(n > 1, 1.0 / tl.maximum(n, 1).to(tl.float32), 0.0)
    average = tl.load(totals + c, mask=is_column, other=0.0) * share
    product = tl.load(totals + width + c, mask=is_column, other=0.0) * share
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = i[:, None] * width + c[None, :]
    ok = (i < capacity)[:, None] & is_column[None, :]
    xhat = (tl.load(z + at, mask=ok, other=0.0) - mean[None, :]) * scale[None, :]
    centred = tl.load(grad + at, mask=ok, other=0.0) - average[None, :]
    centred -= xhat * product[None, :]
    out = tl.where((i < n)[:, None], factor[None, :] * centred, 0.0)
    tl.store(grad + at, out, mask=ok)


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


@triton.jit
def copy_slices(
    batch,
    table,
    most_batches,
    sources,
    targets,
    sizes,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Copy one batch's slice of each array, and fill the rest with its last value.

    Parameters
    ----------
    batch : int64 (1,), number of the batch  # IN
    table : int64 (n_arrays, most_batches, 3), start and length of each slice, and what
        to take from each value; -1 takes its first value  # IN
    sources, targets : int64 (n_arrays,), addresses  # IN
    sizes : int64 (n_arrays,), values to write  # IN
    WIDE : bool, whether values are int64, else 32 bits  # IN
    """
    a, block = tl.program_id(0), tl.program_id(1)
    row = table + (a * most_batches + tl.load(batch)) * 3
    start, length, shift = tl.load(row), tl.load(row + 1), tl.load(row + 2)
    size = tl.load(sizes + a)
    # An empty slice has no last value.
    there = tl.where(length > 0, size, 0)
    if WIDE:
        source = tl.load(sources + a).to(tl.pointer_type(tl.int64))
        target = tl.load(targets + a).to(tl.pointer_type(tl.int64))
    else:
        source = tl.load(sources + a).to(tl.pointer_type(tl.int32))
        target = tl.load(targets + a).to(tl.pointer_type(tl.int32))
    for first in range(block * BLOCK, size, tl.num_programs(1) * BLOCK):
        t = first + tl.arange(0, BLOCK)
        at = start + tl.minimum(t, length - 1)
        value = tl.load(source + at, mask=t < there, other=0)
        if WIDE:
            taken = shift
            if shift < 0:
                taken = tl.load(source + start)
            value -= tl.where(length > 0, taken, 0)
        tl.store(target + t, value, mask=t < size)
