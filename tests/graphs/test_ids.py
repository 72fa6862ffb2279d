"""Ids as numbers from 0, without two of them becoming one."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from skshake import InvalidGraphError
from skshake.graphs._ids import array_of, integers, join_integers, number_ids

LARGE = 2**53


def _objects(*values):
    return np.fromiter(values, object, len(values))


def test_ids_of_several_columns_by_hand():
    ids, (one, other) = number_ids(
        "nodes", [np.array([30, 10]), np.array([20, 30, 30])]
    )
    assert ids.tolist() == [10, 20, 30]
    assert one.tolist() == [2, 0]
    assert other.tolist() == [1, 2, 2]
    assert one.dtype == np.int64


@pytest.mark.parametrize("kind", ["integers", "text"])
def test_numbers_are_places_among_the_sorted_ids(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    columns = [rng.integers(-20, 20, n) for n in (15, 0, 30)]
    if kind == "text":
        columns = [np.char.add("node ", column.astype(str)) for column in columns]
    known = sorted({value for column in columns for value in column.tolist()})
    ids, numbers = number_ids("nodes", columns)
    assert ids.tolist() == known
    for column, found in zip(columns, numbers, strict=True):
        assert found.tolist() == [known.index(value) for value in column.tolist()]


def test_whole_numbers_of_all_types_are_the_same_ids():
    columns = [
        np.array([1, 2], np.int8),
        np.array([2, 3], np.uint64),
        np.array([1.0, 3.0]),
        np.array([True]),
        _objects(Decimal(3), 2, np.float32(1.0)),
    ]
    ids, numbers = number_ids("nodes", columns)
    assert ids.tolist() == [1, 2, 3]
    found = [column.tolist() for column in numbers]
    assert found == [[0, 1], [1, 2], [0, 2], [0], [2, 1, 0]]


def test_large_integers_are_told_apart():
    signed, unsigned = (
        np.array([LARGE, -1]),
        np.array([LARGE + 1, 2**64 - 1], np.uint64),
    )
    for columns in ([signed, unsigned], [_objects(LARGE, -1), unsigned]):
        ids, numbers = number_ids("graphs", columns)
        assert ids.tolist() == [-1, LARGE, LARGE + 1, 2**64 - 1]
        assert [column.tolist() for column in numbers] == [[1, 0], [2, 3]]


def test_fractions_beside_integers_are_compared_exactly():
    columns = [np.array([LARGE + 1, 1]), np.array([0.5, 1.0])]
    ids, numbers = number_ids("graphs", columns)
    assert ids.tolist() == [0.5, 1, LARGE + 1]
    assert [column.tolist() for column in numbers] == [[2, 1], [0, 1]]


def test_an_empty_column_has_no_type():
    for empty in (np.empty(0), np.empty(0, "U1"), np.empty(0, object)):
        ids, (first, second) = number_ids("nodes", [empty, np.array(["b", "a"])])
        assert ids.tolist() == ["a", "b"]
        assert first.tolist() == []
        assert second.tolist() == [1, 0]
    ids, (none,) = number_ids("nodes", [np.empty(0, np.int64)])
    assert len(ids) == len(none) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            [np.array([1]), np.array(["1"])],
            "either text or numbers, got numbers and text",
        ),
        ([_objects(1, "1"), np.array([1])], "got numbers and text"),
        ([np.array(["1"]), np.array([b"1"])], "got bytes and text"),
        ([np.array(["2020"], "M8[Y]"), np.array([1])], "got dates and numbers"),
        (
            [np.array([1, 2]), np.array([2.0**53])],
            r"9007199254740992.0 is a float .float64",
        ),
        ([_objects(1, np.float32(2**24))], r"1.6777216e\+07 is a float .float32"),
        ([np.array([1.0, np.inf])], "inf is a float"),
        ([_objects(1j, 2j)], "values that can be sorted"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_ids_that_could_be_confused_are_refused(columns, message):
    with pytest.raises(InvalidGraphError, match=f"names of nodes: .*{message}"):
        number_ids("nodes", columns)


def test_text_and_numbers_in_one_column_are_refused():
    # What pandas makes of a column of a large file that it reads in chunks.
    with pytest.raises(InvalidGraphError, match="either text or numbers"):
        number_ids("nodes", [_objects(1, "1")])


def test_whole_numbers_get_a_type_that_holds_them():
    assert integers([]).dtype == np.int64
    assert integers([-(2**63), 2**63 - 1]).dtype == np.int64
    assert integers([0, 2**63]).dtype == np.uint64
    for values in ([-1, 2**63], [2**64], [-(2**63) - 1]):
        found = integers(values)
        assert found.dtype == object
        assert found.tolist() == values


def test_arrays_of_values_keep_integers_exact():
    assert array_of([1, 2]).dtype.kind == "i"
    assert array_of([1, 0.5]).tolist() == [1.0, 0.5]
    assert array_of(["a", "b"]).tolist() == ["a", "b"]
    for values in (
        [LARGE + 1, 2**63],
        [np.int64(-1), np.uint64(LARGE + 1)],
        [-1, 2**63],
    ):
        found = array_of(iter(values))
        assert found.tolist() == [int(value) for value in values]
    assert array_of([Fraction(1, 2), 1]).dtype == object


def test_signed_and_unsigned_integers_are_joined_exactly():
    signed, unsigned = np.array([[-1], [2]]), np.array([[LARGE + 1]], np.uint64)
    found = join_integers([signed, unsigned])
    assert found.dtype == np.int64
    assert found.tolist() == [[-1], [2], [LARGE + 1]]
    found = join_integers([signed.T, np.array([[2**63]], np.uint64)], axis=1)
    assert found.dtype == object
    assert found.tolist() == [[-1, 2, 2**63]]
    plain = join_integers([np.array([1], np.int8), np.array([300], np.int16)])
    assert plain.tolist() == [1, 300]
