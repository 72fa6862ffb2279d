"""SplitMix64 against its published outputs, and hashes that lose nothing."""

import numpy as np

from skshake._splitmix import hash_rows, mix, next_state, nth_state, unit

# First outputs of the reference implementation for the seed 1234567
# (https://prng.di.unimi.it/splitmix64.c).
OUTPUTS = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def test_outputs_are_the_published_ones():
    state = np.uint64(1234567)
    for n, expected in enumerate(OUTPUTS, 1):
        # Kernels give integers of Python back.
        state = np.uint64(next_state(state))
        assert mix(state) == expected
        assert state == nth_state(np.uint64(1234567), n)
        assert unit(state) == (expected >> 11) / 2**53


def test_hashes_depend_on_each_row_and_nothing_else():
    rng = np.random.default_rng(0)
    values = rng.integers(2**32, size=(6, 2), dtype=np.uint32)
    ptr = np.array([0, 2, 2, 6])

    def hashes(ptr, values):
        found = np.zeros(len(ptr) - 1, np.uint64)
        hash_rows(ptr, values, found)
        return found

    whole = hashes(ptr, values)
    assert len(set(whole.tolist())) == 3
    assert hashes(np.array([0, 4]), values[2:]) == whole[2]
    changed = values.copy()
    changed[0, 1] ^= 1
    assert (hashes(ptr, changed) != whole).tolist() == [True, False, False]
