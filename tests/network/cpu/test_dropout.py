"""The CPU's dropout drops what plain torch drops."""

import numpy as np
import torch

from skshake._simd import WIDTH
from skshake.network._dropout import drop, hash_counter
from skshake.network._norm import N_ROWS, SCALE
from skshake.network._random import find_streams
from skshake.network._torch_engine import PLAIN
from skshake.network.cpu import _dropout
from skshake.network.cpu._columns import pad
from skshake.network.cpu._engine import CPUEngine
from skshake.network.cpu._sublayers import normalise


def test_the_hash_is_that_of_torch():
    words = [0, 1, 7, 2**31, 2**32 - 1]
    low, high = 5, 2**32 - 3
    stream = torch.tensor((high - 2**32 << 32) + low)
    compiled = [
        int(_dropout.hash_counter(*np.array([word, low, high], np.uint32)))
        for word in words
    ]
    assert hash_counter(torch.tensor(words), stream).tolist() == compiled


def test_fused_layers_and_both_engines_drop_the_same_values():
    h = torch.ones(37, 5)
    z, norm = pad(h.numpy()), np.zeros((N_ROWS, WIDTH), np.float32)
    norm[SCALE] = 1.0
    for stream in torch.from_numpy(find_streams(11, 0, 3)):
        state, rows = stream.numpy().view(np.uint64)[()], np.empty_like(z)
        # Two tiles: rows are numbered as in the batch.
        normalise(0, 5, z[:20], norm, 0.7, state, rows[:20])
        normalise(20, 5, z[20:], norm, 0.7, state, rows[20:])
        expected = rows[:, :5]
        assert (rows[:, 5:] == 0).all()
        for engine in (PLAIN, CPUEngine()):
            found = engine.drop(h, 1 - 0.7, stream)
            assert (found.numpy() == 0).tolist() == (expected == 0).tolist()
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_mask_by_hand():
    stream = np.uint64(123456789 << 32 | 42)
    mask = np.empty(6, np.float32)
    _dropout.fill_mask(0.5, stream, mask)
    expected = drop(torch.ones(6), 0.5, torch.tensor(int(stream)))
    assert set(mask.tolist()) <= {0.0, 2.0}
    assert mask.tolist() == expected.tolist()
