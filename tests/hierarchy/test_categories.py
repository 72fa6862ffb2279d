"""Vocabularies: slots of categories by hand, by dictionaries, and their warnings."""

import pickle

import numpy as np
import pytest

from skshake.graphs import Field
from skshake.hierarchy import Vocabulary, learn_vocabulary
from skshake.hierarchy._categories import (
    MANY_CATEGORIES,
    WIDEST_TABLE,
    _find_bounds,
    _mark,
    describe_unlearnable,
    describe_unseen,
)

CODES = np.array([[3, -7], [5, 8], [3, 8], [9, 8]], np.int32)


def _slots(vocabulary, codes):
    """Slots as the kernel of pooling finds them."""
    codes, tables = vocabulary.tables_for(np.asarray(codes, np.int32))
    slots = np.empty(codes.shape, int)
    for c in range(codes.shape[1]):
        low, first, end = tables.low[c], tables.first[c], tables.first[c + 1]
        slots[:, c] = tables.table[
            np.clip(first + codes[:, c] - low + 1, first, end - 1)
        ]
    return slots.tolist()


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


FIELDS = (
    Field("charge", False, 2),
    Field("id", True, 1),
    Field("name", True, 1, is_text=True),
    Field("kind", True, 2),
)


def _codes(*columns):
    return np.column_stack(columns).astype(np.int32)


def test_identifiers_are_told_by_name_and_kind():
    n = 4 * MANY_CATEGORIES
    each, few = np.arange(n), np.arange(n) % 3
    codes = _codes(each, each, few, each)
    said = describe_unlearnable(FIELDS, learn_vocabulary(codes), codes)
    assert [line.partition(": ")[0] for line in said] == ["id", "name", "kind[:, 1]"]
    assert said[0].endswith("give floats or categorical_features=False")
    assert said[1].endswith("leave identifiers out")
    assert f"{n} rows hold {n} categories" in said[0]


@pytest.mark.parametrize(
    ("column", "is_told"),
    [
        (np.arange(MANY_CATEGORIES), True),
        # Too few to say.
        (np.arange(MANY_CATEGORIES - 1), False),
        # Each comes five times, which is still rare, or six times.
        (np.arange(200) // 5, True),
        (np.arange(204) // 6, False),
        # One common category among them, with 5 % of the rows or with more.
        (np.append(np.arange(190), np.full(10, 500)), True),
        (np.append(np.arange(180), np.full(20, 500)), False),
    ],
)
def test_rare_categories_are_those_that_hardly_come_again(column, is_told):
    codes = _codes(column)
    said = describe_unlearnable(FIELDS[1:2], learn_vocabulary(codes), codes)
    assert bool(said) == is_told


def test_values_that_fit_has_not_seen_are_told_with_their_share():
    known = learn_vocabulary(_codes(*[np.arange(5)] * 4))
    n = 100
    new = np.where(np.arange(n) < 95, 1_000, 1)
    some = np.where(np.arange(n) < 80, 1_000, 1)
    codes = _codes(new, some, new, np.zeros(n))
    said = describe_unseen(FIELDS, known, codes)
    assert [line[: line.index("%")] for line in said] == ["id: 95", "kind[:, 0]: 95"]
    # Few rows say nothing.
    assert describe_unseen(FIELDS, known, codes[:19]) == []
    assert describe_unseen(FIELDS, known, codes[:0]) == []
    assert len(describe_unseen(FIELDS, known, codes[:20])) == 3


def test_of_many_rows_a_sample_is_looked_at():
    known = learn_vocabulary(_codes(np.arange(5)))
    codes = _codes(np.where(np.arange(50_000) % 11, 1_000, 1))
    (said,) = describe_unseen(FIELDS[1:2], known, codes)
    # One row in eleven is known, and so is one in eleven of every fiftieth.
    assert said.startswith("id: 91%")


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
