"""One column of a table as a list, whatever the table is."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from skshake import InvalidGraphError
from skshake.graphs import items_of_column

ITEMS = ["a", {"edge_index": []}, None]


def _array(items, shape):
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(shape)


def _subclass_that_iterates_labels(items):
    class Series(pd.Series):
        def __iter__(self):
            return iter(self.index)

    return Series(items, index=[5, 3, 9])


TABLES = {
    "frame": lambda: pd.DataFrame({"graph": pd.Series(ITEMS)}),
    "series": lambda: pd.Series(ITEMS, index=[5, 3, 9]),
    "series that iterates over labels": lambda: _subclass_that_iterates_labels(ITEMS),
    "dictionary": lambda: {"graph": ITEMS},
    "mapping": lambda: MappingProxyType({"graph": ITEMS}),
    "dictionary of a series": lambda: {"graph": pd.Series(ITEMS)},
    "array": lambda: _array(ITEMS, (3, 1)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_items_of_one_column(kind):
    found = items_of_column(TABLES[kind](), "graphs")
    assert isinstance(found, list)
    assert found == ITEMS


@pytest.mark.parametrize(
    ("library", "make"), [("polars", "DataFrame"), ("pyarrow", "table")]
)
def test_columns_of_other_tables(library, make):
    table = getattr(pytest.importorskip(library), make)({"smiles": ["C", "CC"]})
    assert items_of_column(table, "molecules") == ["C", "CC"]


@pytest.mark.parametrize(
    "thing",
    [
        ITEMS,
        {"edge_index": [], "num_nodes": 0},
        "text",
        None,
        np.eye(3),
        _array(ITEMS, (3,)),
        np.array([["C"], ["CC"]]),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_table_comes_back(thing):
    assert items_of_column(thing, "graphs") is thing


REFUSED = {
    "no column": (pd.DataFrame(index=[0, 1]), r"the columns \[\]"),
    "two columns": (
        pd.DataFrame({"graph": [1], "source": [2]}),
        r"DataFrame with the columns \['graph', 'source'\]",
    ),
    "a key and no column": ({"a": 1}, "a dictionary in which 'a' is of type int"),
    "a key and text": ({"a": "CCO"}, "a dictionary in which 'a' is of type str"),
    "two keys": ({"x": [], "y": []}, r"a dictionary with the keys \['x', 'y'\]"),
    "equal names": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        r"the columns \['a', 'a'\]",
    ),
    "three dimensions": (_array([1, 2], (2, 1, 1)), r"of shape \(2, 1, 1\)"),
    "two columns of objects": (_array([1, 2], (1, 2)), r"of shape \(1, 2\)"),
    "no dimension": (np.array(None), r"of shape \(\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_no_column_or_several_are_refused(case):
    table, came = REFUSED[case]
    with pytest.raises(InvalidGraphError, match=rf"one column of them, got .*{came}"):
        items_of_column(table, "graphs")


def test_tables_of_edges_get_a_hint_where_graphs_are_meant():
    table = pd.DataFrame({"source": [1], "target": [2]})
    with pytest.raises(InvalidGraphError, match="graphs_from_edgelist reads tables"):
        items_of_column(table, "graphs")
    with pytest.raises(InvalidGraphError, match="a list of molecules") as raised:
        items_of_column(table, "molecules")
    assert "graphs_from_edgelist" not in str(raised.value)
