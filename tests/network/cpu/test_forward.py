"""The forward pass of one layer, by hand."""

import numpy as np
import pytest

from skshake._simd import WIDTH
from skshake.network._csr import BatchArcs
from skshake.network._norm import N_ROWS
from skshake.network.cpu._columns import cut_off_parts, pad
from skshake.network.cpu._forward import run_forward
from skshake.network.cpu._records import (
    BatchArrays,
    Dropout,
    Lanes,
    Moments,
    Tape,
    Weights,
)


def float32(values):
    return np.array(values, np.float32)


@pytest.mark.parametrize("lane_ptr", [[0, 2], [0, 1, 2]], ids=["1 lane", "2 lanes"])
def test_a_layer_by_hand(lane_ptr):
    # Two graphs: an edge between states 1 and 2, and a node with state 3 by itself.
    arcs = BatchArcs(
        np.array([0, 1, 2, 2]), np.array([1, 0]), np.array([0, 0]), float32([1, 1])
    )
    batch = BatchArrays(
        np.array([0, 2, 3]), arcs, pad(float32([[1], [2], [3]])), pad(float32([[0.5]]))
    )
    weight = pad(float32([[[2]]]), n_axes=2)
    weights = Weights(
        n_linear=1,
        self_weight=float32([1]),
        linear=weight,
        transposed=weight,
        bias=pad(float32([[[1]]])),
        norm_weight=pad(float32([[3]])),
        norm_bias=pad(float32([[10]])),
    )
    moments = Moments(True, 1e-9, np.empty((1, 2, WIDTH)))
    tape = Tape(
        outputs=np.empty((1, 3, WIDTH), np.float32),
        norms=np.empty((1, N_ROWS, WIDTH), np.float32),
        last=np.empty((3, WIDTH), np.float32),
        pooled=np.empty((2, 6 * WIDTH), np.float32),
    )
    lanes = Lanes(np.array([[0, 2, 0, 1], [2, 3, 1, 2]]), np.array(lane_ptr))
    run_forward(
        np.zeros((2, 2), np.int64),
        lanes,
        batch,
        weights,
        moments,
        Dropout(1.0, np.zeros(1, np.uint64), 1),
        tape,
        np.zeros((2, lanes.n_lanes, 2, WIDTH)),
    )
    # 1 + (2 + 0.5), 2 + (1 + 0.5), 3; twice that, plus 1.
    assert tape.outputs[0, :, 0].tolist() == [8, 8, 7]
    mean, deviation = 23 / 3, (2 / 9) ** 0.5
    np.testing.assert_allclose(moments.values[0, :, 0], [mean, deviation**2])
    states = 3 * (np.array([8, 8, 7]) - mean) / deviation + 10
    np.testing.assert_allclose(tape.last[:, 0], states, rtol=1e-5)
    assert (tape.last[:, 1:] == 0).all()
    # Mean, maximum and scaled sum, of the first state and of the last.
    first = [[1.5, 2, 3 / 2**0.5], [3, 3, 3]]
    last = [[states[0], states[0], 2**0.5 * states[0]], [states[2]] * 3]
    pooled = cut_off_parts(tape.pooled, 1)
    np.testing.assert_allclose(pooled, np.hstack([first, last]), rtol=1e-5)
