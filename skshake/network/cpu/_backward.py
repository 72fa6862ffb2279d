"""All sublayers of a level backward, in one kernel that each thread calls.

In: a batch, parameters, the tape of forward, and counters that the threads share. Out:
gradients.

Round t goes back through what round t of forward did, from the last to the first: the
linear layer of sublayer t and its normalisation (whose means over all rows the round
before has summed), messages where a layer begins, pooling, and then ReLU and dropout of
sublayer t - 1. Threads wait for each other between rounds, as those means need all
rows.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._simd import WIDTH
from skshake.network._readouts import N_POOLINGS
from skshake.network.cpu._barrier import await_all, note_done, take_next
from skshake.network.cpu._forward import find_state, linear_output
from skshake.network.cpu._messages import sum_messages, sum_messages_backward
from skshake.network.cpu._pooling import pool_graphs_backward
from skshake.network.cpu._sublayers import (
    apply_linear_backward,
    find_means,
    normalise_backward,
    relu_dropout_backward,
)
from skshake.network.cpu._tiles import LARGEST_USUAL_TILE, find_room


@kernel(inline=True)
def _linear_backward(t, lane, rows, batch, weights, tape, state, grads, scratch):
    """Back through sublayer t, and through the messages where it begins a layer.

    ``grads.rows`` holds the gradient of what normalisation gave, and then that of
    ``state``.
    """
    first, last = rows
    tiles, means, product = scratch
    n_rows = last - first
    layer, begins_layer = t // weights.n_linear, t % weights.n_linear == 0
    given = grads.rows[first:last]
    z, of_z = linear_output(t, first, last, tape), tiles[1, :n_rows]
    normalise_backward(z, tape.norms[t], means, given, of_z)
    x, of_x = state, given
    if begins_layer:
        x, of_x = tiles[2, :n_rows], tiles[3, :n_rows]
        s, arcs, e = weights.self_weight[layer], batch.arcs, batch.e
        sum_messages(first, last, arcs, s, state, e, x)
    apply_linear_backward(
        x, weights.linear[t], of_z, of_x, grads.linear[t, lane], product
    )
    if begins_layer:
        of_e = grads.edges[min(lane, len(grads.edges) - 1)]
        grads.self_weight[layer, lane] += sum_messages_backward(
            first, last, arcs, s, state, e, of_x, given, of_e
        )


@kernel(inline=True)
def _backward_tile(t, lane, tile, batch, weights, dropout, tape, grads, scratch):
    """Round t of one tile.

    ``scratch`` is of this thread alone: rows of tiles (4, n_rows, width), means of the
    gradient (2, width) and room for a product (width, width).
    """
    first, last, first_graph, last_graph = tile[0], tile[1], tile[2], tile[3]
    layer, begins_layer = t // weights.n_linear, t % weights.n_linear == 0
    room = scratch[0][0, : last - first]
    state = find_state(t, first, last, batch, tape, weights.n_linear, dropout, room)
    # The last round started nothing from its state: the gradient given is that of it.
    if t < len(weights.linear):
        rows = first, last
        _linear_backward(t, lane, rows, batch, weights, tape, state, grads, scratch)
    of_state = grads.rows[first:last]
    if begins_layer and tape.pooled.shape[1] > 0:
        start = layer * N_POOLINGS * state.shape[1] // WIDTH
        ptr, pooled, of_pooled = batch.node_ptr, tape.pooled, grads.pooled
        pool_graphs_backward(
            first_graph, last_graph, ptr, state, start, pooled, of_pooled, of_state
        )
    if t > 0:
        keep = dropout.keep
        factor = np.float32(1.0 / keep) if begins_layer else np.float32(1.0)
        z, norm = linear_output(t - 1, first, last, tape), tape.norms[t - 1]
        relu_dropout_backward(state, of_state, factor, z, norm, grads.sums[t - 1, lane])


@kernel
def run_backward(counters, lanes, batch, weights, dropout, tape, grads):
    """Run all rounds, from the last to the first.

    Parameters
    ----------
    counters, lanes, batch, weights, dropout, tape : see ``run_forward``  # IN
    grads : Gradients; partial sums begin as zeros  # IN and OUT
    """
    lane_ptr, n_sublayers = lanes.lane_ptr, len(weights.linear)
    n_lanes, n_rows, width = len(lane_ptr) - 1, len(batch.h), batch.h.shape[1]
    means = np.empty((2, width), np.float32)
    usual = np.empty((4, LARGEST_USUAL_TILE, width), np.float32)
    product = np.empty((width, width), np.float32)
    for t in range(n_sublayers, -1, -1):
        if t < n_sublayers:
            find_means(grads.sums[t], n_rows, grads.norm_parameters[t], means)
        while True:
            lane = take_next(counters, t)
            if lane >= n_lanes:
                break
            for k in range(lane_ptr[lane], lane_ptr[lane + 1]):
                tile = lanes.tiles[k]
                scratch = find_room(tile, usual), means, product
                _backward_tile(
                    t, lane, tile, batch, weights, dropout, tape, grads, scratch
                )
            note_done(counters, t)
        await_all(counters, t, n_lanes)
