"""Columns keep the names that they came with."""

import numpy as np
import pandas as pd
import pytest

from skshake import InvalidGraphError
from skshake.graphs._named_columns import named_columns, without_objects


def listed(columns):
    return {name: np.asarray(values).tolist() for name, values in columns.items()}


def test_plain_arrays_have_one_name():
    assert listed(named_columns("x", [1, 2])) == {"x": [1, 2]}
    # A frame that numbers its columns is a plain array.
    assert listed(named_columns("x", pd.DataFrame([[1, 2]]))) == {"x": [[1, 2]]}


def test_columns_of_tables_and_records_are_attributes():
    frame = pd.DataFrame({"charge": [0.5], "element": ["C"]})
    expected = {"charge": [0.5], "element": ["C"]}
    assert listed(named_columns("x", frame)) == expected
    nested = np.zeros(1, [("charge", float), ("position", [("up", int)])])
    assert [*named_columns("x", nested)] == ["charge", "position.up"]
    # Beside "x" and "edge_attr" the array's own name says something.
    assert [*named_columns("atoms", frame)] == ["atoms.charge", "atoms.element"]


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["1", 1])
    with pytest.raises(InvalidGraphError, match="'1' twice"):
        named_columns("x", frame)


def test_objects_of_rows_are_arrays():
    rows = np.empty(2, object)
    rows[:] = [[1, 2], [3, 4]]
    assert without_objects("edge_index", rows).tolist() == [[1, 2], [3, 4]]
    rows[1] = [3]
    with pytest.raises(InvalidGraphError, match="edge_index: expected rows of one"):
        without_objects("edge_index", rows)
