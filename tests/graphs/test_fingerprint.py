"""Edge weights in the fingerprint of a graph."""

import numpy as np

from skshake.graphs._fingerprint import hash_weights

MASK = 2**64 - 1
PTR = np.array([0, 2, 2, 5, 6])
WEIGHTS = np.array([1.0, 1.0, 0.5, 1.0, 2.0, 3.0])


def _hash(ptr, weights, start):
    fingerprints = np.array(start, np.uint64)
    hash_weights(ptr, weights, fingerprints)
    return fingerprints.tolist()


def _mix(z):
    """SplitMix64's finaliser in integers of Python."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def test_hashes_in_integers_of_python():
    start = [7, 8, 9, MASK]
    expected = list(start)
    for g in (2, 3):
        for weight in WEIGHTS[PTR[g] : PTR[g + 1]]:
            bits = int.from_bytes(np.float64(weight).tobytes(), "little")
            if not np.little_endian:
                bits = int.from_bytes(np.float64(weight).tobytes(), "big")
            expected[g] = _mix((expected[g] + bits + 0x9E3779B97F4A7C15) & MASK)
    assert _hash(PTR, WEIGHTS, start) == expected


def test_weights_of_one_are_no_weights():
    assert _hash(PTR, np.ones(6), [7, 8, 9, 10]) == [7, 8, 9, 10]


def test_each_weight_and_its_place_count_in_its_graph_alone():
    known = _hash(PTR, WEIGHTS, [7, 8, 9, 10])
    assert _hash(np.array([0, 3]), WEIGHTS[2:5], [9]) == known[2:3]
    for order in ([1, 0, 2], [2, 1, 0], [0, 2, 1]):
        assert _hash(np.array([0, 3]), WEIGHTS[2:5][order], [9]) != known[2:3]
    for row in range(6):
        changed = WEIGHTS.copy()
        changed[row] = np.nextafter(changed[row], 9.0)
        differs = np.array(_hash(PTR, changed, [7, 8, 9, 10])) != known
        owner = np.searchsorted(PTR, row, side="right") - 1
        assert differs.tolist() == [g == owner for g in range(4)]
