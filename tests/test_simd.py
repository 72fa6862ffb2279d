"""Vectors against arithmetic of numpy in float32."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from skshake._jit import IS_COMPILED, kernel
from skshake._simd import WIDTH, load, store, zeros


@kernel
def _compute(a, b, factor, out):
    total = zeros()
    for row in range(len(a)):
        total = total + load(a, row) * load(b, row) * factor
        store(out, row, total)


def test_sums_and_products_are_those_of_numpy():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5, WIDTH)).astype(np.float32)
    out, expected = np.empty_like(a), np.zeros(WIDTH, np.float32)
    # A part that begins anywhere in memory.
    _compute(a[1:], b[1:], np.float32(0.3), out[1:])
    for row in range(1, 5):
        # Rounded after each product, as on a processor without fused ones.
        expected = expected + a[row] * b[row] * np.float32(0.3)
        assert (out[row] == expected).all()


@pytest.mark.skipif(not IS_COMPILED, reason="types are those of compiled code")
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_rows_of_other_numbers_are_refused(dtype):
    rows = np.zeros((2, WIDTH), dtype)
    with pytest.raises(TypingError):
        _compute(rows, rows, np.float32(1), rows)
