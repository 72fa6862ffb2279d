"""Vectors against arithmetic of numpy in float32."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from skshake._jit import IS_COMPILED, kernel
from skshake._simd import (
    WIDTH,
    load,
    maximum,
    relu,
    repeat,
    store,
    where_equal,
    where_positive,
    zeros,
)


@kernel
def _compute(a, b, factor, out):
    total = zeros()
    for row in range(len(a)):
        total = total + load(a, row, 0) * load(b, row, 0) * factor
        store(out, row, 0, total)


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


@kernel
def _compare(a, b, out):
    for v in range(a.shape[1] // WIDTH):
        one, other = load(a, 0, v), load(b, 0, v)
        store(out, 0, v, relu(one))
        store(out, 1, v, where_positive(one, other))
        store(out, 2, v, where_equal(one, other, repeat(7)))
        store(out, 3, v, maximum(one, other))
        store(out, 4, v, (one - other) / repeat(2.0))


def test_other_operations_are_those_of_numpy():
    """In two vectors of a row, with numbers that are none."""
    values = np.array([-1.5, -0.0, 0.0, 1.0, np.inf, -np.inf, np.nan], np.float32)
    pairs = np.stack(np.meshgrid(values, values), -1).reshape(-1, 2)
    a, b = np.resize(pairs, (2 * WIDTH, 2)).T.copy()[:, None]
    out = np.empty((5, 2 * WIDTH), np.float32)
    _compare(a, b, out)
    with np.errstate(invalid="ignore"):
        expected = [
            np.where(a <= 0, 0, a),
            np.where(a > 0, b, 0),
            np.where(a == b, 7, 0),
            np.maximum(a, b),
            (a - b) / np.float32(2),
        ]
    np.testing.assert_array_equal(out, np.concatenate(expected))
