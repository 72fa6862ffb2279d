"""One lane of one block of the trunk, forward and backward, in one compiled call.

In: arrays of the whole batch, and the tiles of it that the lane has. Out: rows and sums
in place. Small tiles stay in the cache from one kernel to the next.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._kernels import (
    apply_linear,
    normalise,
    normalise_backward,
    open_gates,
    pool_graphs,
    pool_graphs_backward,
    sum_messages,
    sum_messages_backward,
)


@kernel(inline=True)
def run_block(
    tiles,
    node_ptr,
    before,
    factor,
    shift,
    keep,
    stream,
    out,
    column,
    pooled,
    begins,
    arcs,
    self_weight,
    e,
    x,
    weight,
    bias,
    z,
    sums,
):
    """Finish the block before, pool its states, sum messages, apply a linear layer.

    Parameters
    ----------
    tiles : int64 array (n_tiles, 4), first and last row, first and last graph  # IN
    node_ptr : int64 array (n_graphs + 1,)  # IN
    before, factor, shift, keep, stream, out : see ``normalise``; ``before`` has no rows
        where ``out`` is there already  # IN, OUT
    column, pooled : see ``pool_graphs``; a negative column pools nothing  # IN, OUT
    begins : bool, whether a layer begins with the sum of messages  # IN
    arcs, self_weight, e, x : see ``sum_messages``; ``x`` is ``out`` where none are
        summed  # IN, OUT
    weight, bias, z, sums : see ``apply_linear``; no rows in ``z`` at the end  # IN, OUT
    """
    indptr, neighbour, edge, arc_weight = arcs
    sums[:] = 0.0
    for k in range(len(tiles)):
        first, last, first_graph, last_graph = tiles[k]
        if len(before):
            normalise(first, last, before, factor, shift, keep, stream, out)
        if column >= 0:
            pool_graphs(first_graph, last_graph, node_ptr, out, column, pooled)
        if begins:
            sum_messages(
                first, last, indptr, neighbour, edge, arc_weight, self_weight, out, e, x
            )
        if len(z):
            apply_linear(first, last, x, weight, bias, z, sums)


@kernel(inline=True)
def run_block_backward(
    tiles,
    node_ptr,
    z,
    moments,
    gamma,
    means,
    grad,
    x,
    weight,
    grad_weight,
    following,
    begins,
    arcs,
    self_weight,
    h,
    e,
    grad_e,
    grad_self,
    column,
    pooled,
    grad_pooled,
    factor,
    before,
    before_moments,
    finds_out,
    before_affine,
    out,
    sums,
):
    """Gradients of one block, then back through the rectifier of the block before.

    Parameters
    ----------
    tiles, node_ptr : as above  # IN
    z, moments, gamma, means, grad : see ``normalise_backward``, ``find_affine``; ``z``
        has no rows behind the last block, where only the rectifier is passed  # IN;
        grad is spent
    x, weight : input of the linear layer and its weight  # IN
    grad_weight : float32 array (width, width)  # OUT
    following : float32 array (n_rows, width), gradient of ``x``; behind the last block
        the gradient of what it gives, the same as ``grad``  # IN, OUT
    begins, arcs, self_weight, h, e, grad_e : see ``sum_messages_backward``; where a
        layer begins, ``grad`` becomes the gradient of ``h``  # IN, OUT
    grad_self : float64 array (1,), gradient of ``self_weight``  # OUT
    column, pooled, grad_pooled : see ``pool_graphs_backward``, of the state ``out``; a
        negative column adds nothing  # IN
    factor, before, before_moments, out, sums : see ``open_gates``, of the block before;
        ``before`` has no rows at the first block  # IN, OUT
    finds_out, before_affine : whether ``out`` (then the same as ``x``) was not kept and
        is found again, and by what ``normalise`` finds it  # IN
    """
    indptr, neighbour, edge, arc_weight = arcs
    result = grad if begins else following
    sums[:] = 0.0
    grad_weight[:] = 0.0
    grad_self[0] = 0.0
    product = np.empty_like(grad_weight)
    for k in range(len(tiles)):
        first, last, first_graph, last_graph = tiles[k]
        if finds_out:
            normalise(
                first,
                last,
                before,
                before_affine[0],
                before_affine[1],
                1.0,
                np.uint64(0),
                out,
            )
        if len(z):
            normalise_backward(
                first, last, z, moments[0], moments[1], gamma, means, grad
            )
            np.dot(grad[first:last].T, x[first:last], product)
            for r in range(product.shape[0]):
                for c in range(product.shape[1]):
                    grad_weight[r, c] += product[r, c]
            np.dot(grad[first:last], weight, following[first:last])
        if begins:
            grad_self[0] += sum_messages_backward(
                first,
                last,
                indptr,
                neighbour,
                edge,
                arc_weight,
                self_weight,
                h,
                e,
                following,
                grad,
                grad_e,
            )
        if column >= 0:
            pool_graphs_backward(
                first_graph,
                last_graph,
                node_ptr,
                out,
                column,
                pooled,
                grad_pooled,
                result,
            )
        if len(before):
            open_gates(
                first,
                last,
                out,
                result,
                factor,
                before,
                before_moments[0],
                before_moments[1],
                sums,
            )
