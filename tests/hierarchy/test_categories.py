"""Vocabularies: slots of categories by hand, by dictionaries."""

import pickle

import numpy as np
import pytest

from skshake.hierarchy import Vocabulary, learn_vocabulary
from skshake.hierarchy._categories import WIDEST_TABLE, _find_bounds, _mark

CODES = np.array([[3, -7], [5, 8], [3, 8], [9, 8]], np.int32)


def _slots(vocabulary, codes):
    return vocabulary.slots_of(np.asarray(codes, np.int32)).tolist()


def _slots_of_dictionary(vocabulary, codes):
    slots, first = [], 0
    for known, column in zip(vocabulary.categories, np.transpose(codes), strict=True):
        numbers = {code: first + k for k, code in enumerate(known.tolist(), 1)}
        slots.append([numbers.get(code, first) for code in column.tolist()])
        first += len(known) + 1
    return np.transpose(slots).tolist()


def test_slots_by_hand():
    vocabulary = learn_vocabulary(CODES)
    assert [known.tolist() for known in vocabulary.categories] == [[3, 5, 9], [-7, 8]]
    # Unseen, 3, 5, 9; unseen, -7, 8.
    assert vocabulary.n_slots == 7
    assert vocabulary.unseen_slots.tolist() == [0, 4]
    assert _slots(vocabulary, CODES) == [[1, 5], [2, 6], [1, 6], [3, 6]]
    strangers = [[2, -8], [4, 0], [10, 9], [2**31 - 1, -(2**31)]]
    assert _slots(vocabulary, strangers) == [[0, 4]] * 4


@pytest.mark.parametrize("spread", [5, 1_000, WIDEST_TABLE - 1, WIDEST_TABLE, 2**30])
def test_slots_are_those_of_a_dictionary(spread, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(-spread, spread, (40, 3)).astype(np.int32)
    codes[:2, 1] = 0, spread
    vocabulary = learn_vocabulary(codes)
    for known, column in zip(vocabulary.categories, codes.T, strict=True):
        assert known.dtype == np.int32
        assert known.tolist() == np.unique(column).tolist()
    near = codes + rng.integers(-1, 2, codes.shape).astype(np.int32)
    far = rng.integers(-(2**31), 2**31, (20, 3)).astype(np.int32)
    for others in (codes, near, far):
        before = others.copy()
        assert _slots(vocabulary, others) == _slots_of_dictionary(vocabulary, others)
        assert (others == before).all()


def test_columns_without_rows_know_nothing():
    vocabulary = learn_vocabulary(np.empty((0, 2), np.int32))
    assert vocabulary.n_slots == 2
    assert _slots(vocabulary, [[0, 5]]) == [[0, 1]]
    assert learn_vocabulary(np.empty((3, 0), np.int32)).n_slots == 0


def test_pickles_hold_categories_alone():
    vocabulary = learn_vocabulary(CODES)
    size = len(pickle.dumps(vocabulary))
    expected = _slots(vocabulary, CODES)
    assert len(pickle.dumps(vocabulary)) == size
    assert _slots(pickle.loads(pickle.dumps(vocabulary)), CODES) == expected


def test_bounds_and_marks_by_hand():
    bounds = np.empty((2, 2), np.int64)
    _find_bounds(CODES, bounds)
    assert bounds.tolist() == [[3, -7], [9, 8]]
    is_seen = np.zeros(7, np.bool_)
    _mark(CODES, 0, 3, is_seen)
    assert np.flatnonzero(is_seen).tolist() == [0, 2, 6]


def test_bounds_and_marks_are_those_of_numpy(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(-(2**31), 2**31, (30, 4)).astype(np.int32)
    bounds = np.empty((2, 4), np.int64)
    _find_bounds(codes, bounds)
    assert bounds.tolist() == [codes.min(axis=0).tolist(), codes.max(axis=0).tolist()]
    small = (codes % 50).astype(np.int32)
    is_seen = np.zeros(60, np.bool_)
    _mark(small, 2, -5, is_seen)
    assert np.flatnonzero(is_seen).tolist() == (np.unique(small[:, 2]) + 5).tolist()


def test_slots_are_ranks_among_what_was_seen(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(-5, 20, (50, 3)).astype(np.int32)
    vocabulary = learn_vocabulary(codes[:10])
    assert vocabulary.slots_of(codes).tolist() == _slots_of_dictionary(
        vocabulary, codes
    )
    assert learn_vocabulary(codes[:0]).slots_of(codes).max(axis=0).tolist() == [0, 1, 2]


def test_slots_reach_the_ends_of_the_integers():
    ends = np.array([-(2**31), 2**31 - 1], np.int32)
    codes = np.array([[-(2**31)], [0], [2**31 - 1]], np.int32)
    assert Vocabulary((ends,)).slots_of(codes).ravel().tolist() == [1, 0, 2]
