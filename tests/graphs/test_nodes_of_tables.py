"""Nodes of tables: of their own, shared by graphs, and the ends of edges among them."""

import numpy as np
import pytest

from skshake import InvalidGraphError
from skshake.graphs._frames import as_table
from skshake.graphs._nodes_of_tables import (
    Nodes,
    number_ends,
    own_nodes,
    place_tables,
    shared_nodes,
)
from skshake.graphs._placing import Ids, choose_rows

# Graphs: ("p", 1), ("p", 2), ("q", 2).
EDGES = as_table("edges", {"case": ["q", "p", "p", "p"], "month": [2, 1, 2, 1]})
# What nodes are called, by number.
KNOWN = np.array(["a", "b", "c", "d"])


def nodes_of(**columns):
    return as_table("nodes", columns)


def test_a_table_that_names_graphs_owns_their_nodes():
    nodes = nodes_of(case=["q", "p", "r"], month=[2, 1, 1])
    columns = ("case", "month")
    placed, of_rows, _ = place_tables(EDGES, nodes, columns, None)
    # A graph that nodes alone name is one without edges.
    assert placed.ids.tolist() == [("p", 1), ("p", 2), ("q", 2), ("r", 1)]
    assert [rows.tolist() for rows in of_rows] == [[2, 0, 1, 0], [2, 0, 3]]
    placed, of_rows, _ = place_tables(EDGES, nodes, columns, [("q", 2), ("z", 3)])
    assert placed.ids.tolist() == [("q", 2), ("z", 3)]
    assert [rows.tolist() for rows in of_rows] == [[0, -1, -1, -1], [0, -1, -1]]


@pytest.mark.parametrize(
    ("columns", "of_row", "of_graph"),
    [
        ({}, [0, 0, 0], [0, 0, 0]),
        ({"case": ["q", "p", "r"]}, [1, 0, 2], [0, 0, 1]),
        ({"month": [1, 2, 2]}, [0, 1, 1], [0, 1, 1]),
    ],
    ids=["none", "case", "month"],
)
def test_a_table_that_lacks_columns_is_shared(columns, of_row, of_graph):
    nodes = nodes_of(account=list("abc"), **columns)
    placed, of_rows, levels = place_tables(EDGES, nodes, ("case", "month"), None)
    # It names no graphs that edges do not name.
    assert placed.ids.tolist() == [("p", 1), ("p", 2), ("q", 2)]
    assert [rows.tolist() for rows in of_rows] == [[2, 0, 1, 0]]
    assert [level.tolist() for level in levels] == [of_row, of_graph]


def test_no_table_of_nodes():
    placed, of_rows, _ = place_tables(EDGES, None, ("month",), [2])
    assert placed.ids.tolist() == [2]
    assert [rows.tolist() for rows in of_rows] == [[0, -1, 0, -1]]


def test_own_nodes_stay_in_the_order_of_their_rows():
    nodes = nodes_of(case=["q", "p", "q", "r"])
    placed, of_rows, _ = place_tables(EDGES, nodes, ("case",), ["p", "q"])
    named = np.array([3, 1, 0, 2])
    found = own_nodes(nodes, of_rows[1], named, KNOWN, placed)
    assert found.ids.node_ptr.tolist() == [0, 1, 3]
    assert KNOWN[found.ids.node_keys].tolist() == ["b", "d", "a"]
    assert found.rows.order.tolist() == [1, 0, 2]


def named_by_edges():
    """Nodes a and c of the first graph, b and c of the second, without a table."""
    ids = Ids(np.array(["p", "q"]), np.array([0, 2, 4]), np.array([0, 2, 1, 2]), KNOWN)
    return Nodes(ids, None, np.array([0, 2, 5, 6]))


def test_shared_nodes_have_the_rows_that_are_meant_for_their_graphs():
    table, named = nodes_of(account=list("cab")), np.array([2, 0, 1])
    zeros = np.zeros(3, int)
    found = shared_nodes(table, zeros, zeros[:2], named, named_by_edges())
    assert found.rows.order.tolist() == [1, 0, 2, 0]
    assert found.rows.counts.tolist() == [2, 2]
    # Two rows for c, each for the graphs of another kind.
    table, named = nodes_of(account=list("cacb")), np.array([2, 0, 2, 1])
    of_row, of_graph = np.array([0, 0, 1, 1]), np.array([0, 1])
    found = shared_nodes(table, of_row, of_graph, named, named_by_edges())
    assert found.rows.order.tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ([2, 0, 2, 1], "node c comes twice, and nothing says in which graph"),
        ([2, 0, 3], "an edge of graph q joins node b, which has no row in nodes"),
    ],
)
def test_shared_nodes_have_one_row(named, message):
    table, zeros = nodes_of(account=KNOWN[named]), np.zeros(len(named), int)
    with pytest.raises(InvalidGraphError, match=message):
        shared_nodes(table, zeros, zeros[:2], np.array(named), named_by_edges())


def test_ends_are_numbered_within_their_graph():
    rows = choose_rows(as_table("edges", {"row": [0, 1, 2]}), np.array([1, 0, -1]), 2)
    ends = np.array([2, 0, 3]), np.array([1, 2, 3])
    # Of the first graph the edge from a to c, of the second that from c to b.
    assert number_ends(rows, ends, named_by_edges()).tolist() == [[0, 1], [1, 0]]
    unknown = np.array([3, 0, 3]), ends[1]
    with pytest.raises(InvalidGraphError, match="graph q joins node d, which has no"):
        number_ends(rows, unknown, named_by_edges())
    twice = named_by_edges()._replace(keys=np.array([0, 2, 6, 6]))
    with pytest.raises(InvalidGraphError, match="node c comes twice in graph q"):
        number_ends(rows, ends, twice)
