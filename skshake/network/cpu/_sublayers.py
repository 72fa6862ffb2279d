"""Kernels of a sublayer: a linear layer, batch normalisation, ReLU and dropout.

In: the rows of a tile, float32; ``width`` is a multiple of WIDTH. Out: as many rows of
an array, and sums over them where batch normalisation needs those of the whole batch.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._simd import WIDTH, load, store, where_positive, zeros
from skshake.network._dropout import LARGEST_HASH
from skshake.network._norm import INVSTD, MEAN, SCALE, SHIFT
from skshake.network.cpu._dropout import hash_counter


@kernel(inline=True)
def _relu(value):
    """max(value, 0), but NaN stays NaN."""
    zero = np.float32(0.0)
    return zero if value <= zero else value


@kernel(inline=True)
def apply_linear(x, transposed, bias, z, sums):
    """z = x weight' + bias, and the sums and sums of squares of its columns.

    Parameters
    ----------
    x : float32 array (n_rows, width)  # IN
    transposed, bias : float32 arrays (width, width), the weight's transpose, and (1,
        width)  # IN
    z : float32 array (n_rows, width)  # OUT
    sums : float64 array (2, width), added to  # IN and OUT
    """
    np.dot(x, transposed, z)
    # Sums of a tile fit float32; those of all tiles are added in float64.
    of_tile = np.empty((2, z.shape[1]), np.float32)
    for v in range(z.shape[1] // WIDTH):
        total, squares, shift = zeros(), zeros(), load(bias, 0, v)
        for i in range(len(z)):
            row = load(z, i, v) + shift
            store(z, i, v, row)
            total, squares = total + row, squares + row * row
        store(of_tile, 0, v, total)
        store(of_tile, 1, v, squares)
    sums += of_tile


@kernel(inline=True)
def find_moments(sums, n_rows, moments):
    """Means and variances of columns.

    Parameters
    ----------
    sums : float64 array (n_lanes, 2, width), see ``apply_linear``  # IN
    n_rows : int  # IN
    moments : float64 array (2, width), means and variances  # OUT
    """
    for c in range(sums.shape[2]):
        total, squares = 0.0, 0.0
        for lane in range(len(sums)):
            total += sums[lane, 0, c]
            squares += sums[lane, 1, c]
        mean = total / n_rows
        variance = squares / n_rows - mean**2
        moments[0, c] = mean
        # NaN stays NaN.
        moments[1, c] = 0.0 if variance < 0.0 else variance


@kernel
def move_running(moments, n_rows, momentum, running_mean, running_var):
    """Move what a batch normalisation has learnt towards a batch's moments.

    Parameters
    ----------
    moments : float64 array (2, width), see ``find_moments``  # IN
    n_rows : int, from which the unbiased variance follows  # IN
    momentum : float  # IN
    running_mean, running_var : float32 arrays (width,)  # IN and OUT
    """
    for c in range(len(running_mean)):
        unbiased = moments[1, c] * n_rows / (n_rows - 1)
        running_mean[c] += momentum * (moments[0, c] - running_mean[c])
        running_var[c] += momentum * (unbiased - running_var[c])


@kernel(inline=True)
def find_norm(moments, eps, weight, bias, norm):
    """What a normalisation multiplies by and adds.

    Parameters
    ----------
    moments : float64 array (2, width), means and variances  # IN
    eps : float  # IN
    weight, bias : float32 arrays (width,), of the normalisation  # IN
    norm : float32 array (4, width), see ``skshake.network._norm``  # OUT
    """
    for c in range(len(weight)):
        norm[MEAN, c] = moments[0, c]
        norm[INVSTD, c] = 1.0 / np.sqrt(moments[1, c] + eps)
        norm[SCALE, c] = weight[c] * norm[INVSTD, c]
        norm[SHIFT, c] = bias[c] - norm[MEAN, c] * norm[SCALE, c]


@kernel(inline=True)
def normalise(first, n_columns, z, norm, keep, stream, out):
    """out = relu(z scale + shift), of which a fraction ``keep`` is kept, divided by it.

    Parameters
    ----------
    first, n_columns : int, row of the batch that is the first here, and the network's
        own width, without padding  # IN
    z : float32 array (n_rows, width)  # IN
    norm : float32 array (4, width)  # IN
    keep : float, 1 drops nothing  # IN
    stream : uint64, state of the random numbers; the row of the batch and the column
        number them  # IN
    out : float32 array (n_rows, width)  # OUT
    """
    scale, shift, width = norm[SCALE], norm[SHIFT], z.shape[1]
    if keep >= 1.0:
        for i in range(len(z)):
            for c in range(width):
                out[i, c] = _relu(z[i, c] * scale[c] + shift[c])
        return
    out[:, n_columns:] = 0.0
    limit = np.uint32(keep * LARGEST_HASH)
    factor = np.float32(1.0 / keep)
    key, second_key = np.uint32(stream), np.uint32(stream >> np.uint64(32))
    for i in range(len(z)):
        for c in range(n_columns):
            place = np.uint32((first + i) * n_columns + c)
            bits = hash_counter(place, key, second_key)
            is_kept = np.float32(bits < limit)
            out[i, c] = _relu(z[i, c] * scale[c] + shift[c]) * factor * is_kept


@kernel(inline=True)
def relu_dropout_backward(out, grad, factor, z, norm, sums):
    """Gradient before ReLU and dropout, in place, and its sums for the normalisation.

    What ``normalise`` gave says which values passed both: those above 0.

    Parameters
    ----------
    out : float32 array (n_rows, width), see ``normalise``  # IN
    grad : float32 array (n_rows, width), gradient of ``out``  # IN and OUT
    factor : float32, by which dropout multiplied  # IN
    z, norm : see ``normalise``; xhat = (z - mean) invstd  # IN
    sums : float64 array (2, width), of the gradient, and of it times xhat; added to
        # IN and OUT
    """
    of_tile = np.empty((2, z.shape[1]), np.float32)
    for v in range(z.shape[1] // WIDTH):
        mean, invstd = load(norm, MEAN, v), load(norm, INVSTD, v)
        total, products = zeros(), zeros()
        for i in range(len(z)):
            of_row = load(grad, i, v) * factor
            passed = where_positive(load(out, i, v), of_row)
            store(grad, i, v, passed)
            xhat = (load(z, i, v) - mean) * invstd
            total, products = total + passed, products + passed * xhat
        store(of_tile, 0, v, total)
        store(of_tile, 1, v, products)
    sums += of_tile


@kernel(inline=True)
def find_means(sums, n_rows, totals, means):
    """Sums over lanes of a gradient and of it times xhat, and their means over rows.

    Parameters
    ----------
    sums : float64 array (n_lanes, 2, width), see ``relu_dropout_backward``  # IN
    n_rows : int  # IN
    totals : float64 array (2, width): gradients of the normalisation's bias and weight
        # OUT
    means : float32 array (2, width)  # OUT
    """
    for row in range(2):
        for c in range(sums.shape[2]):
            total = 0.0
            for lane in range(len(sums)):
                total += sums[lane, row, c]
            totals[row, c] = total
            means[row, c] = total / n_rows


@kernel(inline=True)
def normalise_backward(z, norm, means, grad, out):
    """Gradient before batch normalisation.

    grad = scale (grad - mean(grad) - xhat mean(grad xhat)), as the batch's own moments
    have gradients too.

    Parameters
    ----------
    z : float32 array (n_rows, width), before normalisation  # IN
    norm : float32 array (4, width)  # IN
    means : float32 array (2, width), see ``find_means``  # IN
    grad : float32 array (n_rows, width)  # IN
    out : float32 array (n_rows, width)  # OUT
    """
    for v in range(z.shape[1] // WIDTH):
        mean, invstd = load(norm, MEAN, v), load(norm, INVSTD, v)
        scale = load(norm, SCALE, v)
        mean_grad, mean_product = load(means, 0, v), load(means, 1, v)
        for i in range(len(z)):
            xhat = (load(z, i, v) - mean) * invstd
            centred = load(grad, i, v) - mean_grad - xhat * mean_product
            store(out, i, v, scale * centred)


@kernel(inline=True)
def apply_linear_backward(x, weight, grad, grad_x, grad_weight, product):
    """Gradients of ``apply_linear``; that of the bias is 0 before a normalisation.

    Parameters
    ----------
    x : as above  # IN
    weight : float32 array (width, width)  # IN
    grad : float32 array (n_rows, width), gradient of ``z``  # IN
    grad_x : float32 array (n_rows, width)  # OUT
    grad_weight : float32 array (width, width), added to  # IN and OUT
    product : float32 array (width, width)  # SCRATCH
    """
    np.dot(grad.T, x, product)
    for r in range(product.shape[0]):
        for c in range(product.shape[1]):
            grad_weight[r, c] += product[r, c]
    np.dot(grad, weight, grad_x)
