"""Kernels of a sublayer: a linear layer, batch normalisation, ReLU and dropout.

In: rows ``first`` to ``last`` of a batch, float32. Out: the same rows of an array, and
sums over them where batch normalisation needs those of the whole batch.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._dropout import LARGEST_HASH
from skshake.network._norm import INVSTD, MEAN, SCALE, SHIFT
from skshake.network.cpu._dropout import hash_counter
from skshake.network.cpu._messages import relu


@kernel(inline=True)
def apply_linear(first, last, x, weight, bias, z, sums):
    """z = x weight' + bias, and the sums and sums of squares of its columns.

    Parameters
    ----------
    first, last : int  # IN
    x : float32 array (n_rows, width)  # IN
    weight, bias : float32 arrays (width, width), (width,)  # IN
    z : float32 array (n_rows, width)  # OUT
    sums : float64 array (2, width), added to  # IN and OUT
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
def normalise(first, last, z, norm, keep, stream, out):
    """out = relu(z scale + shift), of which a fraction ``keep`` is kept, divided by it.

    Parameters
    ----------
    first, last : int  # IN
    z : float32 array (n_rows, width)  # IN
    norm : float32 array (4, width)  # IN
    keep : float, 1 drops nothing  # IN
    stream : uint64, state of the random numbers; row and column number them  # IN
    out : float32 array (n_rows, width)  # OUT
    """
    scale, shift, width = norm[SCALE], norm[SHIFT], z.shape[1]
    if keep >= 1.0:
        for i in range(first, last):
            for c in range(width):
                out[i, c] = relu(z[i, c] * scale[c] + shift[c])
        return
    limit = np.uint32(keep * LARGEST_HASH)
    factor = np.float32(1.0 / keep)
    key, second_key = np.uint32(stream), np.uint32(stream >> np.uint64(32))
    for i in range(first, last):
        for c in range(width):
            bits = hash_counter(np.uint32(i * width + c), key, second_key)
            is_kept = np.float32(bits < limit)
            out[i, c] = relu(z[i, c] * scale[c] + shift[c]) * factor * is_kept


@kernel(inline=True)
def relu_dropout_backward(first, last, out, grad, factor, z, norm, sums):
    """Gradient before ReLU and dropout, in place, and its sums for the normalisation.

    What ``normalise`` gave says which values passed both: those above 0.

    Parameters
    ----------
    first, last : int  # IN
    out : float32 array (n_rows, width), see ``normalise``  # IN
    grad : float32 array (n_rows, width), gradient of ``out``  # IN and OUT
    factor : float32, by which dropout multiplied  # IN
    z, norm : see ``normalise``; xhat = (z - mean) invstd  # IN
    sums : float64 array (2, width), of the gradient, and of it times xhat; added to
        # IN and OUT
    """
    mean, invstd, zero = norm[MEAN], norm[INVSTD], np.float32(0.0)
    total, products = np.zeros_like(mean), np.zeros_like(mean)
    for i in range(first, last):
        for c in range(z.shape[1]):
            passed = grad[i, c] * factor * np.float32(out[i, c] > zero)
            grad[i, c] = passed
            total[c] += passed
            products[c] += passed * ((z[i, c] - mean[c]) * invstd[c])
    for c in range(z.shape[1]):
        sums[0, c] += total[c]
        sums[1, c] += products[c]


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
def normalise_backward(first, last, z, norm, means, grad):
    """Gradient before batch normalisation, in place.

    grad = scale (grad - mean(grad) - xhat mean(grad xhat)), as the batch's own moments
    have gradients too.

    Parameters
    ----------
    first, last : int  # IN
    z : float32 array (n_rows, width), before normalisation  # IN
    norm : float32 array (4, width)  # IN
    means : float32 array (2, width), see ``find_means``  # IN
    grad : float32 array (n_rows, width)  # IN and OUT
    """
    mean, invstd, scale = norm[MEAN], norm[INVSTD], norm[SCALE]
    for i in range(first, last):
        for c in range(z.shape[1]):
            xhat = (z[i, c] - mean[c]) * invstd[c]
            centred = grad[i, c] - means[0, c] - xhat * means[1, c]
            grad[i, c] = scale[c] * centred


@kernel(inline=True)
def apply_linear_backward(first, last, x, weight, grad, grad_x, grad_weight, product):
    """Gradients of ``apply_linear``; that of the bias is 0 before a normalisation.

    Parameters
    ----------
    first, last : int  # IN
    x, weight : as above  # IN
    grad : float32 array (n_rows, width), gradient of ``z``  # IN
    grad_x : float32 array (n_rows, width)  # OUT at the rows
    grad_weight : float32 array (width, width), added to  # IN and OUT
    product : float32 array (width, width)  # SCRATCH
    """
    np.dot(grad[first:last].T, x[first:last], product)
    for r in range(product.shape[0]):
        for c in range(product.shape[1]):
            grad_weight[r, c] += product[r, c]
    np.dot(grad[first:last], weight, grad_x[first:last])
