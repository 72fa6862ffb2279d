"""Columns that are hardly categories: what is said of them, and what is not doubted."""

import numpy as np
import pytest

from skshake.graphs import Field
from skshake.hierarchy import (
    describe_doubts,
    doubt_categories,
    doubt_unseen,
    learn_vocabulary,
)
from skshake.hierarchy._categories import WIDEST_TABLE
from skshake.hierarchy._doubts import MANY_CATEGORIES, _count

FIELDS = (
    Field("charge", False, 2),
    Field("id", True, 1),
    Field("name", True, 1, is_text=True),
    Field("kind", True, 2),
)


def _codes(*columns):
    return np.column_stack(columns).astype(np.int32)


def _describe(fields, codes, is_guessed=True):
    known = learn_vocabulary(codes)
    doubts = doubt_categories(fields, known, codes, is_guessed=is_guessed)
    return describe_doubts(doubts, fields)


def test_identifiers_are_told_by_name_and_kind():
    n = 4 * MANY_CATEGORIES
    each, few = np.arange(n), np.arange(n) % 3
    codes = _codes(each, each, few, each)
    said = _describe(FIELDS, codes)
    assert [line.partition(": ")[0] for line in said] == ["id", "name", "kind[:, 1]"]
    assert said[0].endswith("if they are numbers, categorical_features=False says so")
    assert said[1].endswith("leave identifiers out")
    assert said[2].endswith("give them as floats, in a column by itself")
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
    assert bool(_describe(FIELDS[1:2], codes)) == is_told


def test_values_that_fit_has_not_seen_are_told_with_their_share():
    known = learn_vocabulary(_codes(*[np.arange(5)] * 4))
    n = 100
    new = np.where(np.arange(n) < 95, 1_000, 1)
    some = np.where(np.arange(n) < 80, 1_000, 1)
    codes = _codes(new, some, new, np.zeros(n))
    said = [doubt.seen for doubt in doubt_unseen(FIELDS, known, codes)]
    assert [line[: line.index("%")] for line in said] == ["id: 95", "kind[:, 0]: 95"]
    # Few rows say nothing.
    assert doubt_unseen(FIELDS, known, codes[:19]) == []
    assert doubt_unseen(FIELDS, known, codes[:0]) == []
    assert len(doubt_unseen(FIELDS, known, codes[:20])) == 3


def test_of_many_rows_a_sample_is_looked_at():
    known = learn_vocabulary(_codes(np.arange(5)))
    codes = _codes(np.where(np.arange(50_000) % 11, 1_000, 1))
    (doubt,) = doubt_unseen(FIELDS[1:2], known, codes)
    # One row in eleven is known, and so is one in eleven of every fiftieth.
    assert doubt.seen.startswith("id: 91%")


AGE = (Field("age", True, 1),)


def _ages(n_rows, seed):
    return np.random.default_rng(seed).normal(45, 15, n_rows).clip(0, 100).astype(int)


@pytest.mark.parametrize("n_rows", [1_000, 20_000])
def test_integers_that_are_spread_as_numbers_are_told(n_rows, global_random_seed):
    codes = _codes(_ages(n_rows, global_random_seed))
    (said,) = _describe(AGE, codes)
    assert said.startswith(f"age: {n_rows} rows hold ")
    assert "integers that are about as common as the next ones" in said
    # Who says that they are categories is not asked again.
    assert _describe(AGE, codes, is_guessed=False) == []
    # Codes of text have no order.
    assert _describe((Field("age", True, 1, is_text=True),), codes) == []
    # Nor does it matter that codes may be far apart.
    assert len(_describe(AGE, _codes(40_000 * codes[:, 0]))) == 1


def test_categories_in_no_order_are_not_told(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ages = _ages(20_000, global_random_seed)
    shuffled = rng.permutation(101)[ages]
    by_frequency = np.empty(101, int)
    by_frequency[np.argsort(-np.bincount(ages, minlength=101))] = np.arange(101)
    equally_common = rng.integers(0, 100, 20_000)
    for column in (shuffled, by_frequency[ages], equally_common, ages // 4):
        assert _describe(AGE, _codes(column)) == []


def test_one_argument_settles_all_doubts():
    n = 4 * MANY_CATEGORIES
    fields = tuple(Field(name, True, 1) for name in ("id", "kind", "colour", "amount"))
    codes = _codes(np.arange(n), np.arange(n) % 3, np.arange(n) % 2, np.arange(n))
    said = _describe(fields, codes)
    assert [line.partition(": ")[0] for line in said] == ["id", "amount"]
    for line in said:
        assert line.endswith("categorical_features=['colour', 'kind'] says so")


@pytest.mark.parametrize("spread", [50, WIDEST_TABLE])
def test_counts_are_those_of_numpy(spread, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    column = (rng.integers(-40, 40, 500) * spread).astype(np.int32)
    known, counts = np.unique(column, return_counts=True)
    assert _count(column, known).tolist() == counts.tolist()
