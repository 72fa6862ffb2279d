"""Sorting of the first entries."""

import numpy as np
import pytest

from skshake.hierarchy._sorting import sort_first


@pytest.mark.parametrize("n", [0, 1, 2, 10, 500])
def test_the_first_entries_are_sorted_and_no_others(n, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values = rng.integers(0, 50, 510).astype(np.int32)
    expected = np.concatenate([np.sort(values[:n]), values[n:]])
    sort_first(values, n)
    assert values.tolist() == expected.tolist()
