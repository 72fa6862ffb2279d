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
from skshake._simd import WIDTH
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
from skshake.network.cpu._tiles import LARGEST_USUAL_TILE, find_room


@kernel(inline=True)
def linear_output(t, first, last, tape):
    """Rows of what the linear layer of sublayer ``t`` gives."""
    return tape.outputs[t % len(tape.outputs), first:last]


@kernel(inline=True)
def find_state(t, first, last, batch, tape, n_linear, dropout, out):
    """Rows of the state that round t finishes; written to ``out``, but for the first.

    Parameters
    ----------
    t : int  # IN
    first, last : int, rows of the tile  # IN
    batch : BatchArrays  # IN
    tape : Tape, of which sublayer ``t - 1`` is read  # IN
    n_linear : int, sublayers of a layer  # IN
    dropout : Dropout  # IN
    out : float32 array (last - first, width)  # OUT

    Returns
    -------
    state : float32 array (last - first, width)
    """
    if t == 0:
        return batch.h[first:last]
    keep, stream = 1.0, np.uint64(0)
    if t % n_linear == 0:
        # The sublayer before was the last of its layer.
        keep, stream = dropout.keep, dropout.streams[t // n_linear - 1]
    z, norm = linear_output(t - 1, first, last, tape), tape.norms[t - 1]
    normalise(first, dropout.n_columns, z, norm, keep, stream, out)
    return out


@kernel(inline=True)
def _forward_tile(t, tile, batch, weights, dropout, tape, scratch, sums):
    """Round t of one tile.

    ``scratch`` (2, n_rows, width) is of this thread alone; ``sums`` (2, width) are
    those of the lane, see below.
    """
    first, last, first_graph, last_graph = tile[0], tile[1], tile[2], tile[3]
    layer, begins_layer = t // weights.n_linear, t % weights.n_linear == 0
    is_last_round = t == len(weights.linear)
    room = scratch[0, : last - first]
    if is_last_round:
        room = tape.last[first:last]
    state = find_state(t, first, last, batch, tape, weights.n_linear, dropout, room)
    # States before the first layer and after each are pooled, side by side.
    if begins_layer and tape.pooled.shape[1] > 0:
        start = layer * N_POOLINGS * state.shape[1] // WIDTH
        pool_graphs(first_graph, last_graph, batch.node_ptr, state, start, tape.pooled)
    if not is_last_round:
        x = state
        if begins_layer:
            x = scratch[1, : last - first]
            self_weight = weights.self_weight[layer]
            sum_messages(first, last, batch.arcs, self_weight, state, batch.e, x)
        z = linear_output(t, first, last, tape)
        apply_linear(x, weights.transposed[t], weights.bias[t], z, sums)


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
    scratch = np.empty((2, LARGEST_USUAL_TILE, batch.h.shape[1]), np.float32)
    for t in range(n_sublayers + 1):
        while True:
            lane = take_next(counters, t)
            if lane >= n_lanes:
                break
            of_lane = sums[t, lane]
            for k in range(lane_ptr[lane], lane_ptr[lane + 1]):
                tile = lanes.tiles[k]
                room = find_room(tile, scratch)
                _forward_tile(t, tile, batch, weights, dropout, tape, room, of_lane)
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
