"""Columns with names: structured arrays and tables, each column by itself."""

import numpy as np
import pandas as pd
import pytest

from skshake import InvalidGraphError, as_graphs
from skshake.graphs._named_columns import named_columns, without_objects

RECORDS = np.array([(1, 0.5), (2, 1.5)], [("charge", int), ("mass", float)])


def _listed(columns):
    return {name: np.asarray(values).tolist() for name, values in columns.items()}


@pytest.mark.parametrize("values", [RECORDS, pd.DataFrame(RECORDS)], ids=type)
def test_columns_of_x_keep_their_names_and_others_are_prefixed(values):
    for name, prefix in (("x", ""), ("edge_attr", ""), ("pos", "pos.")):
        assert _listed(named_columns(name, values)) == {
            f"{prefix}charge": [1, 2],
            f"{prefix}mass": [0.5, 1.5],
        }


def test_nested_records_join_their_names():
    nested = np.array(
        [((1, 2), 0.5), ((3, 4), 1.5)],
        [("at", [("row", int), ("column", int)]), ("mass", float)],
    )
    assert _listed(named_columns("x", nested)) == {
        "at.row": [1, 3],
        "at.column": [2, 4],
        "mass": [0.5, 1.5],
    }
    assert list(named_columns("pos", nested)) == [
        "pos.at.row",
        "pos.at.column",
        "pos.mass",
    ]


def test_arrays_and_frames_without_names_are_one_column():
    plain = np.eye(2)
    assert named_columns("x", plain)["x"] is plain
    assert _listed(named_columns("x", pd.DataFrame(plain))) == {"x": plain.tolist()}
    # One label that is text makes a table.
    mixed = pd.DataFrame(plain, columns=[0, "mass"])
    assert list(named_columns("x", mixed)) == ["0", "mass"]


def test_equal_names_are_refused():
    table = pd.DataFrame(np.eye(2), columns=["1", 1])
    nested = np.array([(1, (2,))], [("at.row", int), ("at", [("row", int)])])
    for values in (table, nested):
        with pytest.raises(InvalidGraphError, match="x: expected columns of different"):
            named_columns("x", values)


def test_masked_records_are_refused():
    masked = np.ma.array(RECORDS, mask=[(False, True), (False, False)])
    with pytest.raises(
        InvalidGraphError, match="x: expected values everywhere"
    ) as raised:
        named_columns("x", masked)
    assert raised.value.field == "x"


def test_object_arrays_of_numbers_are_plain_again():
    rows = np.empty(2, object)
    rows[:] = [np.array([0, 1]), np.array([1, 2])]
    assert without_objects("edge_index", rows).tolist() == [[0, 1], [1, 2]]
    assert without_objects("edge_index", np.array([1, 2], object)).dtype.kind == "i"
    for other in (np.eye(2), [1, 2], None):
        assert without_objects("edge_index", other) is other
    rows[1] = np.array([3])
    with pytest.raises(InvalidGraphError, match="edge_index: expected rows of one"):
        without_objects("edge_index", rows)


def test_tables_become_fields_of_graphs():
    table = pd.DataFrame({"element": ["C", "N"], "charge": [0.5, -1.0]})
    features = as_graphs([(np.ones((2, 2)), table)]).node_features
    assert [(f.name, f.is_text) for f in features.fields] == [
        ("charge", False),
        ("element", True),
    ]
    assert features.numeric.tolist() == [[0.5], [-1.0]]
