"""Compiled passes over the rows of a batch, forward and backward.

In: float32 rows of one chunk and what they point to. Out: rows or sums in place. Each
kernel works on rows ``first`` to ``last`` only and releases the GIL.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel


@kernel(inline=True)
def _rectify(value):
    """max(value, 0), but NaN stays NaN, so that a training that explodes is noticed."""
    return value * np.float32(value > np.float32(0.0))


@kernel(inline=True)
def sum_messages(first, last, indptr, neighbour, edge, weight, self_weight, h, e, out):
    """out[i] = self_weight h[i] + sum over arcs of weight relu(h[j] + e[edge]).

    Parameters
    ----------
    first, last : int, rows to write  # IN
    indptr, neighbour, edge : int64 arrays (n_nodes + 1,), (n_arcs,), (n_arcs,)  # IN
    weight : float32 array (n_arcs,)  # IN
    self_weight : float32  # IN
    h, e : float32 arrays (n_nodes, width), (n_edge_states, width)  # IN
    out : float32 array (n_nodes, width)  # OUT
    """
    width = h.shape[1]
    for i in range(first, last):
        for c in range(width):
            out[i, c] = self_weight * h[i, c]
        for arc in range(indptr[i], indptr[i + 1]):
            j, k, w = neighbour[arc], edge[arc], weight[arc]
            for c in range(width):
                out[i, c] += w * _rectify(h[j, c] + e[k, c])


@kernel(inline=True)
def sum_messages_backward(
    first,
    last,
    indptr,
    neighbour,
    edge,
    weight,
    self_weight,
    h,
    e,
    grad,
    grad_h,
    grad_e,
):
    """Add gradients of ``sum_messages``; arcs are symmetric, so both are gathers.

    Parameters
    ----------
    first, last, indptr, neighbour, edge, weight, self_weight, h, e : as above  # IN
    grad : float32 array (n_nodes, width), gradient of ``out``  # IN
    grad_h : float32 array (n_nodes, width)  # OUT at the rows
    grad_e : float32 array (n_edge_states, width)  # IN and OUT

    Returns
    -------
    grad_self : float, gradient of ``self_weight``
    """
    width = h.shape[1]
    # Column by column, which a processor adds many at once.
    own = np.zeros(width, np.float32)
    for i in range(first, last):
        for c in range(width):
            own[c] += grad[i, c] * h[i, c]
        for c in range(width):
            grad_h[i, c] = self_weight * grad[i, c]
        for arc in range(indptr[i], indptr[i + 1]):
            j, k, w = neighbour[arc], edge[arc], weight[arc]
            for c in range(width):
                gate = np.float32(h[i, c] + e[k, c] > 0.0)
                passed = w * grad[j, c] * gate
                grad_h[i, c] += passed
                grad_e[k, c] += passed
    total = np.float32(0.0)
    for c in range(width):
        total += own[c]
    return total


@kernel(inline=True)
def apply_linear(first, last, x, weight, bias, z, sums):
    """z = x weight' + bias, and the sums and sums of squares of its columns.

    Parameters
    ----------
    first, last : int  # IN
    x : float32 array (n_rows, width)  # IN
    weight, bias : float32 arrays (width, width), (width,)  # IN
    z : float32 array (n_rows, width)  # OUT
    sums : float64 array (2, width)  # IN and OUT, added to
    """
    np.dot(x[first:last], weight.T, z[first:last])
    # Sums of a tile fit float32; those of all tiles are added in float64.
    total, squares = np.zeros_like(bias), np.zeros_like(bias)
    for i in range(first, last):
        for c in range(z.shape[1]):
            z[i, c] += bias[c]
            total[c] += z[i, c]
            squares[c] += z[i, c] * z[i, c]
    for c in range(z.shape[1]):
        sums[0, c] += total[c]
        sums[1, c] += squares[c]


@kernel(inline=True)
def find_moments(sums, n_rows, statistics):
    """Means and variances of columns.

    Parameters
    ----------
    sums : float64 array (n_lanes, 2, width), see ``apply_linear``  # IN
    n_rows : int  # IN
    statistics : float64 array (2, width), means and variances  # OUT
    """
    for c in range(sums.shape[2]):
        total, squares = 0.0, 0.0
        for lane in range(len(sums)):
            total += sums[lane, 0, c]
            squares += sums[lane, 1, c]
        mean = total / n_rows
        spread = squares / n_rows - mean**2
        statistics[0, c] = mean
        # NaN stays NaN.
        statistics[1, c] = 0.0 if spread < 0.0 else spread


@kernel
def move_running(statistics, n_rows, momentum, running_mean, running_var):
    """Move what a batch normalisation has learnt towards a batch's statistics.

    Parameters
    ----------
    statistics : float64 array (2, width), see ``find_moments``  # IN
    n_rows : int, from which the unbiased variance follows  # IN
    momentum : float  # IN
    running_mean, running_var : float32 arrays (width,)  # IN and OUT
    """
    for c in range(len(running_mean)):
        unbiased = statistics[1, c] * n_rows / (n_rows - 1)
        running_mean[c] += momentum * (statistics[0, c] - running_mean[c])
        running_var[c] += momentum * (unbiased - running_var[c])


@kernel(inline=True)
def find_affine(statistics, eps, gamma, beta, moments, affine):
    """Mean and inverse spread, and what a normalisation multiplies by and adds.

    Parameters
    ----------
    statistics : float64 array (2, width), means and variances  # IN
    eps : float  # IN
    gamma, beta : float32 arrays (width,)  # IN
    moments : float32 array (2, width), mean and inverse spread  # OUT
    affine : float32 array (2, width), factor and shift  # OUT
    """
    for c in range(len(gamma)):
        moments[0, c] = statistics[0, c]
        moments[1, c] = 1.0 / np.sqrt(statistics[1, c] + eps)
        affine[0, c] = gamma[c] * moments[1, c]
        affine[1, c] = beta[c] - moments[0, c] * affine[0, c]


@kernel(inline=True)
def normalise(first, last, z, scale, shift, keep, stream, out):
    """out = relu(z scale + shift), of which a share ``keep`` is kept, divided by it.

    Parameters
    ----------
    first, last : int  # IN
    z : float32 array (n_rows, width)  # IN
    scale, shift : float32 arrays (width,)  # IN
    keep : float, 1 drops nothing  # IN
    stream : uint64, state of the random numbers; row and column number them  # IN
    out : float32 array (n_rows, width)  # OUT
    """
    width = z.shape[1]
    if keep >= 1.0:
        for i in range(first, last):
            for c in range(width):
                out[i, c] = _rectify(z[i, c] * scale[c] + shift[c])
        return
    limit = np.uint32(keep * 4294967295.0)
    factor = np.float32(1.0 / keep)
    key, second_key = np.uint32(stream), np.uint32(stream >> np.uint64(32))
    for i in range(first, last):
        for c in range(width):
            bits = _hash(np.uint32(i * width + c), key, second_key)
            is_kept = np.float32(bits < limit)
            out[i, c] = _rectify(z[i, c] * scale[c] + shift[c]) * factor * is_kept


@kernel
def fill_mask(keep, stream, mask):
    """1 / keep where dropout keeps a value, 0 elsewhere; see ``normalise``.

    Parameters
    ----------
    keep : float  # IN
    stream : uint64  # IN
    mask : float32 array (n_values,)  # OUT
    """
    limit = np.uint32(keep * 4294967295.0)
    factor = np.float32(1.0 / keep)
    key, second_key = np.uint32(stream), np.uint32(stream >> np.uint64(32))
    for i in range(len(mask)):
        bits = _hash(np.uint32(i), key, second_key)
        mask[i] = factor * np.float32(bits < limit)


@kernel(inline=True)
def _hash(x, key, second_key):
    """32 random bits of a counter under two keys (finaliser of Ellis, lowbias32).

    In 32 bits, so that a processor hashes many counters at once.
    """
    x = np.uint32(x + key)
    x = np.uint32(x ^ np.uint32(x >> np.uint32(16)))
    x = np.uint32(x * np.uint32(0x7FEB352D))
    x = np.uint32(x ^ np.uint32(x >> np.uint32(15)))
    x = np.uint32(np.uint32(x + second_key) * np.uint32(0x846CA68B))
    return np.uint32(x ^ np.uint32(x >> np.uint32(16)))


@kernel(inline=True)
def open_gates(first, last, out, grad, factor, z, mean, scale, sums):
    """Gradient before the rectifier, in place, and its sums for the normalisation.

    Parameters
    ----------
    first, last : int  # IN
    out : float32 array (n_rows, width), what the rectifier (and dropout) let pass  # IN
    grad : float32 array (n_rows, width), gradient of ``out``  # IN and OUT
    factor : float32, by which dropout multiplied  # IN
    z, mean, scale : as in ``close_normalisation``  # IN
    sums : float64 array (2, width), of the gradient, and of it times xhat  # IN, OUT
    """
    zero = np.float32(0.0)
    total, products = np.zeros_like(mean), np.zeros_like(mean)
    for i in range(first, last):
        for c in range(z.shape[1]):
            passed = grad[i, c] * factor * np.float32(out[i, c] > zero)
            grad[i, c] = passed
            total[c] += passed
            products[c] += passed * ((z[i, c] - mean[c]) * scale[c])
    for c in range(z.shape[1]):
        sums[0, c] += total[c]
        sums[1, c] += products[c]


@kernel(inline=True)
def normalise_backward(first, last, z, mean, scale, gamma, means, grad):
    """Gradient before batch normalisation, in place.

    Parameters
    ----------
    first, last : int  # IN
    z : float32 array (n_rows, width), before normalisation  # IN
    mean, scale, gamma : float32 arrays (width,), xhat = (z - mean) scale  # IN
    means : float32 array (2, width), means of the gradient and of it times xhat  # IN
    grad : float32 array (n_rows, width)  # IN and OUT
    """
    for i in range(first, last):
        for c in range(z.shape[1]):
            xhat = (z[i, c] - mean[c]) * scale[c]
            centred = grad[i, c] - means[0, c] - xhat * means[1, c]
            grad[i, c] = gamma[c] * scale[c] * centred


@kernel(inline=True)
def pool_graphs(first_graph, last_graph, node_ptr, h, column, out):
    """Mean, maximum and scaled sum of each graph's rows.

    Parameters
    ----------
    first_graph, last_graph : int  # IN
    node_ptr : int64 array (n_graphs + 1,)  # IN
    h : float32 array (n_rows, width)  # IN
    column : int, of ``out`` at which the mean begins  # IN
    out : float32 array (n_graphs, n_columns)  # OUT at 3 width columns
    """
    width = h.shape[1]
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g], node_ptr[g + 1]
        mean = out[g, column : column + width]
        most = out[g, column + width : column + 2 * width]
        total = out[g, column + 2 * width : column + 3 * width]
        for c in range(width):
            mean[c] = 0.0
            most[c] = h[first, c] if first < last else np.float32(0.0)
        for i in range(first, last):
            for c in range(width):
                mean[c] += h[i, c]
                most[c] = max(most[c], h[i, c])
        n_nodes = max(last - first, 1)
        for c in range(width):
            total[c] = mean[c] / np.float32(np.sqrt(n_nodes))
            mean[c] /= np.float32(n_nodes)


@kernel(inline=True)
def pool_graphs_backward(
    first_graph, last_graph, node_ptr, h, column, out, grad, grad_h
):
    """Add gradients of ``pool_graphs``; equal maxima share theirs.

    Parameters
    ----------
    first_graph, last_graph, node_ptr, h, column, out : as above  # IN
    grad : float32 array (n_graphs, n_columns), gradient of ``out``  # IN
    grad_h : float32 array (n_rows, width)  # IN and OUT
    """
    width = h.shape[1]
    even, share = np.empty(width, np.float32), np.empty(width, np.float32)
    for g in range(first_graph, last_graph):
        first, last = node_ptr[g], node_ptr[g + 1]
        if first == last:
            continue
        n_nodes = last - first
        most = out[g, column + width : column + 2 * width]
        share[:] = 0.0
        for i in range(first, last):
            for c in range(width):
                share[c] += np.float32(h[i, c] == most[c])
        for c in range(width):
            even[c] = grad[g, column + c] / np.float32(n_nodes)
            even[c] += grad[g, column + 2 * width + c] / np.float32(np.sqrt(n_nodes))
            # No row equals a maximum of NaN.
            share[c] = grad[g, column + width + c] / max(share[c], np.float32(1.0))
        for i in range(first, last):
            for c in range(width):
                is_most = np.float32(h[i, c] == most[c])
                grad_h[i, c] += even[c] + is_most * share[c]


@kernel
def sum_bags(first, last, offsets, rows, values, table, out):
    """out[i] = sum over the entries of bag i of value times a row of the table.

    Parameters
    ----------
    first, last : int, bags  # IN
    offsets, rows : int64 arrays (n_bags + 1,), (n_entries,)  # IN
    values : float32 array (n_entries,)  # IN
    table : float32 array (n_table, width)  # IN
    out : float32 array (n_bags, width)  # OUT
    """
    width = table.shape[1]
    for i in range(first, last):
        for c in range(width):
            out[i, c] = 0.0
        for k in range(offsets[i], offsets[i + 1]):
            row, value = rows[k], values[k]
            for c in range(width):
                out[i, c] += value * table[row, c]


@kernel
def sum_bags_backward(first, last, offsets, rows, values, grad, grad_table):
    """Add to the table's gradient (n_table, width)  # IN and OUT; the rest as above."""
    width = grad.shape[1]
    for i in range(first, last):
        for k in range(offsets[i], offsets[i + 1]):
            row, value = rows[k], values[k]
            for c in range(width):
                grad_table[row, c] += value * grad[i, c]


@kernel
def copy_ranges(first, last, starts, counts, graphs, width, values, shift, at, out):
    """Copy the ranges of some graphs one after the other.

    Parameters
    ----------
    first, last : int, places among ``graphs``  # IN
    starts, counts : int64 arrays (n_all,), ranges of all graphs  # IN
    graphs : int64 array (n_graphs,)  # IN
    width : int, values of a row  # IN
    values : array (n_rows * width,)  # IN
    shift : array (n_graphs,) to add to values, or (0,)  # IN
    at : int, row of ``out`` that they begin at  # IN
    out : array like values  # OUT
    """
    at *= width
    for place in range(first, last):
        start, count = starts[graphs[place]] * width, counts[graphs[place]] * width
        for k in range(count):
            out[at + k] = values[start + k]
        if len(shift):
            for k in range(count):
                out[at + k] += shift[place]
        at += count


@kernel
def append_sizes(indptr, slots, shares, sizes, n_slots, out_slots, out_shares):
    """Append two entries to each row: the logarithm of a size, and 1.

    Parameters
    ----------
    indptr, slots, shares : arrays (n_rows + 1,), (n_entries,), (n_entries,)  # IN
    sizes : int64 array (n_rows,)  # IN
    n_slots : int, slot of the first; that of the second follows  # IN
    out_slots, out_shares : arrays (n_entries + 2 n_rows,)  # OUT
    """
    at = 0
    for i in range(len(sizes)):
        for k in range(indptr[i], indptr[i + 1]):
            out_slots[at], out_shares[at] = slots[k], shares[k]
            at += 1
        out_slots[at], out_shares[at] = n_slots, np.log(sizes[i])
        out_slots[at + 1], out_shares[at + 1] = n_slots + 1, 1.0
        at += 2
