"""What readers share: numbers of rows, and the attributes that are wanted."""

import numpy as np
import pandas as pd
import pytest
import torch

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import build_features
from skshake.graphs._features import TEXT_CODE
from skshake.graphs._records import (
    AttributeNames,
    check_count,
    chosen_columns,
    chosen_of_array,
    chosen_values,
    columns_of,
    count_arcs,
    count_rows,
    given_column,
)
from tests._helpers.kinds import as_ogb


def test_a_negative_number_of_nodes_is_refused():
    with pytest.raises(ValueError, match="Graph 1 has -1 nodes; expected 0 or more"):
        as_graphs([as_ogb(), as_ogb(num_nodes=-1)])


def test_one_array_is_a_column_and_a_table_several():
    x = np.eye(2)
    assert given_column("x", None) == {}
    assert given_column("x", x)["x"] is x
    records = np.array([(1, 0.5)], [("a", int), ("b", float)])
    assert list(given_column("x", records)) == ["a", "b"]
    assert list(given_column("pos", records)) == ["pos.a", "pos.b"]


STORE = {"x": [[1.0]], "z": [6], "pos": None}


def test_chosen_values_are_those_that_are_named():
    assert chosen_values("node", STORE, "x", None, 1, {}) == {"x": [[1.0]]}
    assert chosen_values("node", STORE, "x", ("z", "x"), 1, {}) == {
        "z": [6],
        "x": [[1.0]],
    }
    assert chosen_values("node", STORE, "x", (), 1, {}) == {}
    # What is not there is filled in later, or has no rows to be missing from.
    assert chosen_values("node", STORE, "x", ("pos",), 1, {"pos": 0.0}) == {}
    assert chosen_values("node", STORE, "x", ("pos",), 0, {}) == {}
    for missing in ("pos", "y"):
        with pytest.raises(
            InvalidGraphError,
            match=f"has no node attribute '{missing}', .*it has .'pos', 'x', 'z'.",
        ) as raised:
            chosen_values("node", STORE, "x", (missing,), 1, {})
        assert raised.value.field == missing


def test_columns_of_a_table_are_chosen_by_their_own_names():
    table = pd.DataFrame({"a": [1], "b": [2]})
    found = chosen_values("node", {"x": table, "b": [9]}, "x", ("a", "b"), 1, {})
    # An attribute of its own goes before a column of the same name.
    assert {name: list(values) for name, values in found.items()} == {
        "a": [1],
        "b": [9],
    }


@pytest.mark.parametrize(
    "value", [3, np.int32(3), np.array([3]), torch.tensor(3), np.uint8(3), [3]]
)
def test_numbers_of_nodes_may_come_in_any_type(value):
    count = check_count("num_nodes", value)
    assert type(count) is int
    assert count == 3


def test_nodes_are_numbered_in_32_bits():
    assert check_count("num_nodes", 2**31 - 1) == 2**31 - 1
    assert check_count("num_nodes", 0) == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.0, "num_nodes: expected an integer of 0 or more, got 2.0"),
        (True, "num_nodes: expected an integer of 0 or more, got True"),
        ("3", "num_nodes: expected an integer"),
        (None, "num_nodes: expected an integer"),
        ([1, 2], r"num_nodes: expected an integer of 0 or more, got \[1, 2\]"),
        (np.int64(-2), "has -2 nodes; expected 0 or more"),
        (2**31, "has 2147483648 nodes; expected at most 2147483647"),
        (torch.eye(2).to_sparse(), "num_nodes: expected a dense tensor"),
    ],
    ids=repr,
)
def test_other_numbers_of_nodes_are_refused(value, message):
    with pytest.raises(InvalidGraphError, match=message) as raised:
        check_count("num_nodes", value)
    assert raised.value.field == "num_nodes"


def test_rows_and_arcs_are_counted_without_copies():
    assert count_rows("x", [[1.0, 2.0]] * 3) == count_rows("x", torch.ones(3, 2)) == 3
    assert count_rows("x", np.empty((0, 4))) == 0
    with pytest.raises(InvalidGraphError, match="x: expected one row per node"):
        count_rows("x", 5.0)
    with pytest.raises(InvalidGraphError, match="x: expected rows of one length"):
        count_rows("x", [[1.0], [1.0, 2.0]])
    assert count_arcs([[0, 1, 2], [1, 2, 0]]) == 3
    assert count_arcs(torch.ones(2, 4)) == 4
    for none in ([], [[], []], np.empty((2, 0)), np.empty((0, 2)), 7):
        assert count_arcs(none) == 0


def test_codes_of_strings_are_marked_and_others_are_not():
    codes = np.array([[5], [6]])
    features = build_features([("a", codes, True), ("b", codes, True)], 2, texts=["b"])
    columns = columns_of(features)
    assert columns["a"].dtype == np.int32
    assert columns["b"].dtype == TEXT_CODE
    assert columns["b"].view(np.int32).tolist() == [[5], [6]]


def test_columns_are_chosen_by_their_name_or_that_of_their_array():
    columns = {"x[0]": 0, "x[1]": 1, "z": 2}
    assert chosen_columns("node", columns, None, 1) is columns
    for wanted, kept in (
        (("x[1]",), ["x[1]"]),
        (("x",), ["x[0]", "x[1]"]),
        (("z", "x[0]"), ["x[0]", "z"]),
        ((), []),
    ):
        assert list(chosen_columns("node", columns, wanted, 1)) == kept
    assert list(chosen_columns("node", columns, ("nodes",), 1, array="nodes")) == [
        *columns
    ]
    with pytest.raises(
        InvalidGraphError, match="has no edge attribute 'y', which edge_"
    ):
        chosen_columns("edge", columns, ("z", "y"), 1)
    assert list(chosen_columns("edge", columns, ("z", "y"), 1, defaults={"y": 0})) == [
        "z"
    ]
    # A graph without rows has no attribute to lack.
    assert chosen_columns("edge", columns, ("y",), 0) is columns


def test_arrays_of_nodes_and_edges_have_wishes_of_their_own():
    names = AttributeNames(("x",), (), "weight", {})
    assert chosen_of_array("node", "x", {"a": 1}, 1, names) == {"a": 1}
    assert chosen_of_array("edge", "edge_attr", {"a": 1}, 1, names) == {}
