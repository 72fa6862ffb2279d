"""Plain arrays of whatever values come in, and nothing lost on the way."""

import decimal
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from skshake._as_array import (
    JOINED_AT_ONCE,
    as_array,
    is_from,
    is_missing,
    is_table,
    join_arrays,
    join_rows,
)

LISTS = [
    (3, 3),
    (2.5, 2.5),
    ("a", "a"),
    (True, True),
    (np.float64(0.5), 0.5),
    ([1, 2], [1, 2]),
    ((1.5, 2), [1.5, 2.0]),
    ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    (["a", "b"], ["a", "b"]),
    ([], []),
    (range(3), [0, 1, 2]),
    (pd.Series([1, 2], index=[7, 5]), [1, 2]),
    (torch.tensor([[1, 2]]), [[1, 2]]),
    (torch.tensor([1.5], requires_grad=True), [1.5]),
    (torch.tensor([1.5, -2.0], dtype=torch.bfloat16), [1.5, -2.0]),
    (torch.tensor([1.5]).to(torch.float8_e5m2), [1.5]),
    ([torch.tensor([1, 2]), torch.tensor([3, 4])], [[1, 2], [3, 4]]),
    (np.ma.array([1, 2], mask=[False, False]), [1, 2]),
]


@pytest.mark.parametrize(
    ("values", "expected"), LISTS, ids=lambda value: repr(value)[:30]
)
def test_arrays_hold_just_these_values(values, expected):
    found = as_array(values)
    assert type(found) is np.ndarray
    assert found.tolist() == expected


def test_arrays_and_tensors_are_not_copied():
    array = np.arange(3.0)
    assert np.shares_memory(as_array(array), array)
    tensor = torch.arange(3.0)
    assert np.shares_memory(as_array(tensor), tensor.numpy())


def test_subclasses_of_arrays_become_plain():
    class Array(np.ndarray):
        pass

    assert type(as_array(np.eye(2).view(Array))) is np.ndarray


def test_small_floats_of_torch_are_float32():
    for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn):
        assert as_array(torch.ones(2).to(dtype)).dtype == np.float32
    assert as_array(torch.ones(2, dtype=torch.float64)).dtype == np.float64


def test_numbers_beside_strings_stay_numbers():
    found = as_array([["a", 1.5], ["b", 2]])
    assert found.dtype == object
    assert found.tolist() == [["a", 1.5], ["b", 2]]
    assert as_array([b"a", b"b"]).dtype.kind == "S"


LOST = {
    "ragged": ([[1.0], [1.0, 2.0]], "rows of one length, got a ragged list"),
    "sparse": (sparse.csr_array(np.eye(2)), "a dense array, got a scipy sparse one"),
    "masked": (
        np.ma.array([1, 2, 3], mask=[True, False, True]),
        "an array of which 2 are masked",
    ),
    "masked in a list": (
        [np.ma.array([1, 2], mask=[True, False]), [1, 2]],
        "an array of which 1 are masked",
    ),
    "masked record": (
        np.ma.array([(1, 2.0)], [("a", int), ("b", float)], mask=[(False, True)]),
        "an array of which 1 are masked",
    ),
    "sparse tensor": (
        torch.eye(2).to_sparse(),
        "a dense tensor, got one of layout torch",
    ),
    "meta tensor": (torch.empty(2, device="meta"), "a tensor on the device 'meta'"),
}


@pytest.mark.parametrize("case", LOST)
def test_values_that_would_be_lost_are_refused(case):
    values, message = LOST[case]
    with pytest.raises(ValueError, match=f"^expected .*{message}"):
        as_array(values)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("make", [np.asarray, torch.from_numpy, np.ndarray.tolist])
def test_parts_are_joined(make, axis):
    parts = [np.arange(4).reshape(2, 2), np.arange(4, 8).reshape(2, 2)]
    found = join_arrays(list(map(make, parts)), axis)
    assert found.tolist() == np.concatenate(parts, axis).tolist()
    mixed = join_arrays([parts[0], torch.from_numpy(parts[1])], axis)
    assert mixed.tolist() == found.tolist()


def test_tensors_that_need_a_gradient_are_joined():
    parts = [torch.ones(2, requires_grad=True), torch.zeros(1)]
    assert join_arrays(parts).tolist() == [1, 1, 0]


def test_tables_have_names():
    assert is_table(np.zeros(2, [("a", int)]))
    assert is_table(pd.DataFrame({"a": [1]}))
    for other in (np.eye(2), [[1]], pd.Series([1]), torch.eye(2), {"a": [1]}, None):
        assert not is_table(other)


def test_missing_values_of_all_libraries():
    missing = [
        None,
        float("nan"),
        np.float32("nan"),
        np.datetime64("NaT"),
        pd.NaT,
        pd.NA,
        decimal.Decimal("nan"),
    ]
    assert all(is_missing(value) for value in missing)
    present = ["", 0, 0.0, False, np.inf, [], (), "nan", np.zeros(2), pd.Timestamp(0)]
    assert not any(is_missing(value) for value in present)


def test_classes_are_recognised_without_an_import(monkeypatch):
    assert is_from(torch.eye(2), "torch", "Tensor")
    assert not is_from(np.eye(2), "torch", "Tensor")
    assert not is_from(np.eye(2), "numpy", "NoSuchClass")
    assert not is_from(np.eye(2), "no_such_module", "ndarray")
    assert "no_such_module" not in sys.modules


@pytest.mark.parametrize("last", [2**31 - 1, 2**31, -(2**31) - 1, 2**40 + 1])
def test_rows_of_integers_come_in_32_bits_if_they_fit(last):
    parts = [torch.tensor([[k, -k]]) for k in range(2 * JOINED_AT_ONCE)]
    parts.append(torch.tensor([[1, last]]))
    joined = join_rows(parts)
    assert joined.dtype == (np.int32 if last < 2**31 and last > 0 else np.int64)
    assert joined.tolist() == [part.tolist()[0] for part in parts]


@pytest.mark.parametrize("dtype", ["float64", "uint64", "int32", "float32", "bool"])
def test_rows_of_other_types_are_joined_as_numpy_does(dtype):
    parts = [np.ones((2, 3), np.int64)] * (JOINED_AT_ONCE + 1)
    parts.append(np.ones((1, 3), dtype))
    for each in (parts, parts[::-1]):
        expected, joined = np.concatenate(each), join_rows(each)
        assert joined.tolist() == expected.tolist()
        assert joined.dtype in (expected.dtype, np.int32)
    with pytest.raises(ValueError, match="dimension"):
        join_rows([*parts, np.ones((1, 2), np.int64)])
