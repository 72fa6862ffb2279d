"""Vocabularies: each code has a slot, those that were not seen share one."""

import numpy as np

from skshake.hierarchy import Vocabulary, learn_vocabulary


def test_slots_by_hand():
    vocabulary = Vocabulary(
        (np.array([3, 5], np.int32), np.array([-(2**31), 2**31 - 1], np.int32))
    )
    codes = np.array(
        [[3, 7], [5, -(2**31)], [4, 2**31 - 1], [-9, 0], [99, 0]], np.int32
    )
    # Slots: unseen, 3, 5 of the first column; unseen and both ends of the second.
    expected = [[1, 3], [2, 4], [0, 5], [0, 3], [0, 3]]
    assert vocabulary.slots_of(codes).tolist() == expected


def test_slots_are_ranks_among_what_was_seen(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(-5, 20, (50, 3)).astype(np.int32)
    vocabulary = learn_vocabulary(codes[:10])
    slots = vocabulary.slots_of(codes)
    for c, (known, first) in enumerate(
        zip(vocabulary.categories, vocabulary.unseen_slots, strict=True)
    ):
        ranks = {code: rank for rank, code in enumerate(known.tolist(), 1)}
        expected = [first + ranks.get(code, 0) for code in codes[:, c].tolist()]
        assert slots[:, c].tolist() == expected
    assert learn_vocabulary(codes[:0]).slots_of(codes).max(axis=0).tolist() == [0, 1, 2]
