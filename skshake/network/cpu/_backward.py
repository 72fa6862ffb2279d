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
from skshake.network._readouts import N_POOLINGS
from skshake.network.cpu._barrier import await_all, note_done, take_next
from skshake.network.cpu._messages import sum_messages_backward
from skshake.network.cpu._pooling import pool_graphs_backward
from skshake.network.cpu._sublayers import (
    apply_linear_backward,
    find_means,
    normalise,
    normalise_backward,
    relu_dropout_backward,
)


@kernel(inline=True)
def _state_of_round(t, first, last, batch, weights, tape):
    """The state that round t of forward finished; within a layer it is found again."""
    if t == 0:
        return batch.h
    if t % weights.n_linear == 0:
        return tape.states[t // weights.n_linear - 1]
    z, norm = tape.outputs[t - 1], tape.norms[t - 1]
    normalise(first, last, z, norm, 1.0, np.uint64(0), tape.hidden)
    return tape.hidden


@kernel(inline=True)
def _backward_tile(t, lane, tile, batch, weights, keep, tape, grads, place, scratch):
    """Round t of one tile.

    ``place`` says which half of ``grads.rows`` holds the gradient of what round t gave;
    ``scratch`` is a pair of arrays of this thread alone: means of the gradient (2,
    width) and room for a product (width, width).
    """
    first, last, first_graph, last_graph = tile[0], tile[1], tile[2], tile[3]
    means, product = scratch
    layer, begins_layer = t // weights.n_linear, t % weights.n_linear == 0
    state = _state_of_round(t, first, last, batch, weights, tape)
    given, spare = grads.rows[place], grads.rows[1 - place]
    # The last round started nothing from its state: the gradient given is that of it.
    of_state = given
    if t < len(weights.linear):
        x, of_x = state, spare
        if begins_layer:
            x = tape.inputs[layer]
        normalise_backward(first, last, tape.outputs[t], tape.norms[t], means, given)
        weight, of_weight = weights.linear[t], grads.linear[t, lane]
        apply_linear_backward(first, last, x, weight, given, of_x, of_weight, product)
        of_state = of_x
        if begins_layer:
            # Neighbours are in the same graph, so in this tile: all rows of ``of_x``
            # that are read are there, and ``given`` is spent.
            of_state = given
            of_e = grads.edges[min(lane, len(grads.edges) - 1)]
            s, e, arcs = weights.self_weight[layer], batch.e, batch.arcs
            grads.self_weight[layer, lane] += sum_messages_backward(
                first, last, arcs, s, state, e, of_x, of_state, of_e
            )
    if begins_layer and tape.pooled.shape[1] > 0:
        column, node_ptr = layer * N_POOLINGS * state.shape[1], batch.node_ptr
        pooled, of_pooled = tape.pooled, grads.pooled
        pool_graphs_backward(
            first_graph,
            last_graph,
            node_ptr,
            state,
            column,
            pooled,
            of_pooled,
            of_state,
        )
    if t > 0:
        factor = np.float32(1.0 / keep) if begins_layer else np.float32(1.0)
        z, norm, sums = tape.outputs[t - 1], tape.norms[t - 1], grads.sums[t - 1, lane]
        relu_dropout_backward(first, last, state, of_state, factor, z, norm, sums)


@kernel
def run_backward(counters, lanes, batch, weights, keep, tape, grads):
    """Run all rounds, from the last to the first.

    Parameters
    ----------
    counters, lanes, batch, weights, tape : see ``run_forward``  # IN
    keep : float, fraction that dropout kept  # IN
    grads : Gradients; partial sums begin as zeros. The gradient of ``batch.h`` is in
        the half of ``rows`` that ``place_of_gradient`` says  # IN and OUT
    """
    lane_ptr, n_sublayers = lanes.lane_ptr, len(weights.linear)
    n_lanes, n_rows, width = len(lane_ptr) - 1, len(batch.h), batch.h.shape[1]
    means = np.empty((2, width), np.float32)
    scratch = (means, np.empty((width, width), np.float32))
    place = 0
    for t in range(n_sublayers, -1, -1):
        if t < n_sublayers:
            find_means(grads.sums[t], n_rows, grads.norm_parameters[t], means)
        while True:
            lane = take_next(counters, t)
            if lane >= n_lanes:
                break
            for k in range(lane_ptr[lane], lane_ptr[lane + 1]):
                tile = lanes.tiles[k]
                _backward_tile(
                    t, lane, tile, batch, weights, keep, tape, grads, place, scratch
                )
            note_done(counters, t)
        await_all(counters, t, n_lanes)
        if t < n_sublayers and t % weights.n_linear != 0:
            place = 1 - place


def place_of_gradient(n_sublayers: int, n_linear: int) -> int:
    """Which half of ``Gradients.rows`` ends as the gradient of the first state.

    The halves change roles in each round within a layer.
    """
    n_within = n_sublayers - n_sublayers // n_linear
    return n_within % 2
