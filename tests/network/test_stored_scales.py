"""Moments of rows that come in pieces are those of all rows."""

import numpy as np

from skshake.network._stored_scales import _Moments


def test_moments_of_pieces(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = rng.normal(1e4, [1.0, 100.0], size=(1_000, 2)).astype(np.float32)
    moments = _Moments()
    for piece in (*np.split(rows, [1, 1, 400]), rows[:0]):
        moments.add(piece)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0, dtype=float), rtol=1e-12)
    np.testing.assert_allclose(moments.spread, rows.std(axis=0, dtype=float), rtol=1e-9)
    assert _Moments().n_rows == 0
