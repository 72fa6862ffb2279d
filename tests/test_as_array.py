"""Whatever holds values becomes an array of just these values, or is refused."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from skshake._as_array import as_array, is_from, is_missing, is_table, join_arrays


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (3, np.array(3)),
        ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
        ([1, "a"], np.array([1, "a"], object)),
        (["a", "b"], np.array(["a", "b"])),
        (np.ma.array([1.0, 2.0]), np.array([1.0, 2.0])),
        (torch.tensor([1, 2]), np.array([1, 2])),
        (torch.ones(2, requires_grad=True), np.ones(2, np.float32)),
        (torch.ones(2, dtype=torch.bfloat16), np.ones(2, np.float32)),
        ([torch.ones(2), torch.zeros(2)], np.array([[1, 1], [0, 0]], np.float32)),
    ],
)
def test_values_stay_what_they_are(values, expected):
    found = as_array(values)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ma.array([1.0, 2.0], mask=[True, False]), "1 are masked"),
        ([[1, 2], [3]], "ragged"),
        (sparse.csr_array(np.eye(2)), "toarray"),
        (torch.eye(2).to_sparse(), "to_dense"),
        (torch.ones(2, device="meta"), "holds none"),
    ],
)
def test_what_would_lose_values_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        as_array(values)


def test_arrays_and_tensors_are_joined():
    found = join_arrays([torch.ones(1, 2), np.zeros((2, 2))])
    assert found.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_what_is_missing_and_what_has_named_columns():
    assert all(map(is_missing, (None, np.nan, pd.NA, pd.NaT)))
    assert not any(map(is_missing, (0, "", "nan", [], np.zeros(2))))
    assert is_table(pd.DataFrame({"a": [1]}))
    assert is_table(np.zeros(2, [("a", float)]))
    assert not is_table(np.zeros(2))


def test_classes_are_known_without_imports():
    assert is_from(torch.device("cpu"), "torch", "device")
    assert not is_from(torch.device("cpu"), "no.such.module", "device")
