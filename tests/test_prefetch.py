"""prefetch leaves everything as it is, wherever it points."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from skshake._jit import IS_COMPILED, kernel
from skshake._prefetch import prefetch


@kernel
def _copy_from(array, positions, out):
    for k in range(len(positions)):
        prefetch(array, positions[k])
    out[:] = array


def test_any_position_may_be_fetched():
    array, out = np.arange(5.0), np.empty(5)
    _copy_from(array, np.array([0, 4, -1, 5, -(2**40), 2**40]), out)
    assert (out == array).all()


@pytest.mark.skipif(not IS_COMPILED, reason="plain functions take anything")
def test_only_contiguous_rows_are_taken():
    with pytest.raises(TypingError):
        _copy_from(np.arange(10.0)[::2], np.array([0]), np.empty(5))
