"""All blocks of a level, forward and backward, in one compiled call of each thread.

In: arrays of the whole batch, and counters that the threads share. Out: rows and sums
in place. A block is cut into lanes of whole graphs; whoever is free takes the next, and
all meet where batch normalisation needs the sums of a block.

Shapes: ``n_layers`` layers of ``n_linear`` blocks each, ``n_blocks`` together, of
``width`` columns; block ``t`` belongs to layer ``t // n_linear``, and state ``l`` is
what layer ``l`` begins with. What a rectifier within a layer gives is not kept:
backward finds it again, which costs less than memory.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._blocks import run_block, run_block_backward
from skshake.network._kernels import find_affine, find_moments
from skshake.network._meeting import await_all, note_done, take_next

# What is pooled from each state: mean, maximum, scaled sum.
N_POOLINGS = 3


@kernel(inline=True)
def _column(state, h, pooled):
    """Where pooled columns of a state begin; -1 if nothing is pooled."""
    return state * N_POOLINGS * h.shape[1] if pooled.shape[1] else -1


@kernel
def run_forward(
    turns,
    n_linear,
    lanes,
    node_ptr,
    arcs,
    h,
    e,
    parameters,
    is_training,
    statistics,
    eps,
    keep,
    streams,
    states,
    inputs,
    outputs,
    scratch,
    sums,
    moments,
    affine,
    pooled,
):
    """Run all blocks, and finish the last.

    Parameters
    ----------
    turns : see ``run_together``, of n_blocks + 1 rounds  # IN and OUT
    n_linear : int  # IN
    lanes : tuple (tiles, lane_ptr), see ``cut``  # IN
    node_ptr, arcs, h, e : see ``run_block``  # IN
    parameters : tuple of float32 arrays, self_weights (n_layers,), weights (n_blocks,
        width, width), then biases, gammas, betas (n_blocks, width)  # IN
    is_training : bool  # IN
    statistics : float64 array (n_blocks, 2, width), means and variances: of the batch
        in training  # OUT, else as learnt  # IN
    eps : float  # IN
    keep : float, share that dropout keeps, 1 if not in training  # IN
    streams : uint64 array (n_layers,), states of dropout's random numbers  # IN
    states : float32 array (n_layers, n_rows, width), after each layer  # OUT
    inputs : float32 array (n_layers, n_rows, width), sums of messages  # OUT
    outputs : float32 array (n_blocks, n_rows, width), of linear layers  # OUT
    scratch : float32 array (n_rows, width)  # OUT
    sums : float64 array (n_blocks, n_lanes, 2, width), see ``apply_linear``  # OUT
    moments, affine : float32 arrays (n_blocks, 2, width), see ``find_affine``  # OUT
    pooled : float32 array (n_graphs, n_columns), no columns pool nothing  # OUT
    """
    self_weights, weights, biases, gammas, betas = parameters
    tiles, lane_ptr = lanes
    n_blocks, n_lanes, n_rows = len(weights), len(lane_ptr) - 1, len(h)
    no_rows, no_row = scratch[:0], np.empty(0, np.float32)
    no_sums = np.empty((2, h.shape[1]))
    for t in range(n_blocks + 1):
        layer, is_state, is_last = t // n_linear, t % n_linear == 0, t == n_blocks
        begins = is_state and not is_last
        before, factor, shift = no_rows, no_row, no_row
        out, kept, stream, column = h, 1.0, np.uint64(0), -1
        if t > 0:
            before, factor, shift = outputs[t - 1], affine[t - 1, 0], affine[t - 1, 1]
            out = scratch
        if t > 0 and is_state:
            out = states[layer - 1]
            kept, stream = keep, streams[layer - 1]
        if is_state:
            column = _column(layer, h, pooled)
        x, z, self_weight, weight, bias = out, no_rows, np.float32(1.0), no_rows, no_row
        if not is_last:
            z, weight, bias = outputs[t], weights[t], biases[t]
            if is_state:
                x, self_weight = inputs[layer], self_weights[layer]
        while True:
            lane = take_next(turns, t)
            if lane >= n_lanes:
                break
            run_block(
                tiles[lane_ptr[lane] : lane_ptr[lane + 1]],
                node_ptr,
                before,
                factor,
                shift,
                kept,
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
                no_sums if is_last else sums[t, lane],
            )
            note_done(turns, t)
        await_all(turns, t, n_lanes)
        if not is_last:
            # Every thread finds the same numbers.
            if is_training:
                find_moments(sums[t], n_rows, statistics[t])
            find_affine(statistics[t], eps, gammas[t], betas[t], moments[t], affine[t])


@kernel
def run_backward(
    turns,
    n_linear,
    lanes,
    node_ptr,
    arcs,
    h,
    e,
    parameters,
    keep,
    states,
    inputs,
    outputs,
    scratch,
    moments,
    affine,
    pooled,
    grad_pooled,
    grads,
    grad_e,
    grad_self,
    grad_weight,
    totals,
    sums,
):
    """Go back through all blocks, from the last to the first.

    Parameters
    ----------
    turns, n_linear, lanes, node_ptr, arcs, h, e, parameters, keep, states, inputs,
    outputs, scratch, moments, affine, pooled : as above  # IN; scratch is spent
    grad_pooled : float32 array (n_graphs, n_columns)  # IN
    grads : float32 array (2, n_rows, width); the first begins as the gradient of the
        last state; that of ``h`` is in the place that ``place_of_gradient`` says  # IN
        and OUT
    grad_e : float32 array (n_copies, n_edge_states, width), of zeros; a copy per lane,
        or one that all share  # IN and OUT
    grad_self : float64 array (n_layers, n_lanes)  # OUT
    grad_weight : float32 array (n_blocks, n_lanes, width, width)  # OUT
    totals : float64 array (n_blocks, 2, width), gradients of beta and gamma  # OUT
    sums : float64 array (n_blocks + 1, n_lanes, 2, width), see ``open_gates``; place t
        belongs to block t - 1  # OUT
    """
    self_weights, weights, _, gammas, _ = parameters
    tiles, lane_ptr = lanes
    n_blocks, n_lanes, n_rows = len(weights), len(lane_ptr) - 1, len(h)
    no_rows, no_row = scratch[:0], np.empty(0, np.float32)
    no_moments = np.empty((2, h.shape[1]), np.float32)
    means = np.empty((2, h.shape[1]), np.float32)
    no_weight, no_self = np.empty((0, 0), np.float32), np.empty(1)
    place = 0
    for t in range(n_blocks, -1, -1):
        layer, is_state, is_last = t // n_linear, t % n_linear == 0, t == n_blocks
        begins = is_state and not is_last
        before, before_moments, before_affine = no_rows, no_moments, no_moments
        out, factor, column = h, 1.0, -1
        if t > 0:
            before, before_moments = outputs[t - 1], moments[t - 1]
            before_affine = affine[t - 1]
            out = scratch
        if t > 0 and is_state:
            out = states[layer - 1]
            factor = 1.0 / keep
        if is_state:
            column = _column(layer, h, pooled)
        z, of_z, gamma, x, weight = no_rows, no_moments, no_row, no_rows, no_rows
        start, self_weight = h, np.float32(1.0)
        grad, following = grads[place], grads[place]
        if not is_last:
            z, of_z, gamma = outputs[t], moments[t], gammas[t]
            x, weight, following = scratch, weights[t], grads[1 - place]
            if is_state:
                x, self_weight = inputs[layer], self_weights[layer]
                start = h if layer == 0 else states[layer - 1]
            for kind in range(2):
                for c in range(h.shape[1]):
                    total = 0.0
                    for lane in range(n_lanes):
                        total += sums[t + 1, lane, kind, c]
                    totals[t, kind, c] = total
                    means[kind, c] = total / n_rows
        while True:
            lane = take_next(turns, t)
            if lane >= n_lanes:
                break
            run_block_backward(
                tiles[lane_ptr[lane] : lane_ptr[lane + 1]],
                node_ptr,
                z,
                of_z,
                gamma,
                means,
                grad,
                x,
                weight,
                no_weight if is_last else grad_weight[t, lane],
                following,
                begins,
                arcs,
                self_weight,
                start,
                e,
                grad_e[min(lane, len(grad_e) - 1)],
                grad_self[layer, lane : lane + 1] if begins else no_self,
                column,
                pooled,
                grad_pooled,
                np.float32(factor),
                before,
                before_moments,
                not is_state,
                before_affine,
                out,
                sums[t, lane],
            )
            note_done(turns, t)
        await_all(turns, t, n_lanes)
        if not is_last and not is_state:
            place = 1 - place


def place_of_gradient(n_blocks: int, n_linear: int) -> int:
    """Which of two buffers ends as the gradient of the first state."""
    n_within = n_blocks - n_blocks // n_linear
    return n_within % 2
