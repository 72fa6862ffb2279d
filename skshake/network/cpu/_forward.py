"""All sublayers of a level forward, in one kernel that each thread calls.

In: a batch, parameters, and counters that the threads share. Out: a tape.

Round t finishes sublayer t - 1 (normalisation, ReLU, dropout), pools the state that is
then complete, and starts sublayer t (messages where a layer begins, and the linear
layer); round 0 finishes nothing, and the last round starts nothing. Within a round each
tile goes through all of these while its rows are in the cache. Threads wait for each
other between rounds alone, where batch normalisation needs the sums of all rows.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._readouts import N_POOLINGS
from skshake.network.cpu._barrier import await_all, note_done, take_next
from skshake.network.cpu._messages import sum_messages
from skshake.network.cpu._pooling import pool_graphs
from skshake.network.cpu._sublayers import (
    apply_linear,
    find_moments,
    find_norm,
    normalise,
)


@kernel(inline=True)
def _forward_tile(t, tile, batch, weights, dropout, tape, sums):
    """Round t of one tile; ``sums`` (2, width) are those of the lane, see below."""
    first, last, first_graph, last_graph = tile[0], tile[1], tile[2], tile[3]
    layer, begins_layer = t // weights.n_linear, t % weights.n_linear == 0
    is_last_round = t == len(weights.linear)
    state = batch.h
    if t > 0:
        state, keep, stream = tape.hidden, 1.0, np.uint64(0)
        if begins_layer:
            # The sublayer before was the last of its layer.
            state = tape.states[layer - 1]
            keep, stream = dropout.keep, dropout.streams[layer - 1]
        z, norm = tape.outputs[t - 1], tape.norms[t - 1]
        normalise(first, last, z, norm, keep, stream, state)
    # States before the first layer and after each are pooled, side by side.
    if begins_layer and tape.pooled.shape[1] > 0:
        column = layer * N_POOLINGS * state.shape[1]
        pool_graphs(first_graph, last_graph, batch.node_ptr, state, column, tape.pooled)
    if not is_last_round:
        x = state
        if begins_layer:
            x = tape.inputs[layer]
            self_weight = weights.self_weight[layer]
            sum_messages(first, last, batch.arcs, self_weight, state, batch.e, x)
        weight, bias = weights.linear[t], weights.bias[t]
        apply_linear(first, last, x, weight, bias, tape.outputs[t], sums)


@kernel
def run_forward(counters, lanes, batch, weights, moments, dropout, tape, sums):
    """Run all rounds.

    Parameters
    ----------
    counters : int64 array (2, n_sublayers + 1), see ``run_together``  # IN and OUT
    lanes : Lanes  # IN
    batch : BatchArrays  # IN
    weights : Weights  # IN
    moments : Moments  # OUT in training, else IN
    dropout : Dropout  # IN
    tape : Tape  # OUT
    sums : float64 array (n_sublayers + 1, n_lanes, 2, width), zeros, see
        ``apply_linear``; the last round leaves its place as it is  # OUT
    """
    lane_ptr, n_sublayers = lanes.lane_ptr, len(weights.linear)
    n_lanes = len(lane_ptr) - 1
    for t in range(n_sublayers + 1):
        while True:
            lane = take_next(counters, t)
            if lane >= n_lanes:
                break
            of_lane = sums[t, lane]
            for k in range(lane_ptr[lane], lane_ptr[lane + 1]):
                tile = lanes.tiles[k]
                _forward_tile(t, tile, batch, weights, dropout, tape, of_lane)
            note_done(counters, t)
        await_all(counters, t, n_lanes)
        if t < n_sublayers:
            # Every thread finds, and writes, the same numbers; it needs no barrier to
            # read its own.
            if moments.of_batch:
                find_moments(sums[t], len(batch.h), moments.values[t])
            norm_weight, norm_bias = weights.norm_weight[t], weights.norm_bias[t]
            values, norm = moments.values[t], tape.norms[t]
            find_norm(values, moments.eps, norm_weight, norm_bias, norm)
