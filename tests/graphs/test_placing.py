"""Graphs of several columns, tables of nodes that graphs share, and repeated pairs."""

import numpy as np
import pandas as pd
import pytest

from skshake import InvalidGraphError, graphs_from_edgelist
from skshake.graphs._placing import find_rows, join_levels

EDGES = pd.DataFrame(
    {
        "case": ["q", "p", "p", "p", "p"],
        "month": [2, 1, 1, 1, 2],
        "payer": ["b", "a", "b", "a", "c"],
        "payee": ["c", "b", "a", "b", "a"],
        "amount": [1.0, 2.0, 3.0, 5.0, 7.0],
        "channel": ["wire", "card", "wire", "card", "wire"],
    }
)
ACCOUNTS = pd.DataFrame({"account": list("cabd"), "age": [3.0, 1.0, 2.0, 4.0]})
NAMES = {"source": "payer", "target": "payee"}
BY_MONTH = {"graph": ["case", "month"], **NAMES}


def test_several_columns_name_a_graph():
    graphs = graphs_from_edgelist(EDGES, **BY_MONTH)
    assert graphs.names.tolist() == [("p", 1), ("p", 2), ("q", 2)]
    assert [g.node_names.tolist() for g in graphs] == [
        ["a", "b"],
        ["a", "c"],
        ["b", "c"],
    ]
    wanted = pd.MultiIndex.from_tuples([("q", 2), ("x", 9), ("p", 1)])
    for ids in (wanted, [*wanted], [list(name) for name in wanted]):
        chosen = graphs_from_edgelist(EDGES, **BY_MONTH, graph_ids=ids)
        assert chosen.names.tolist() == [*wanted]
        assert np.diff(chosen.node_ptr).tolist() == [2, 0, 2]
    y = pd.Series([1, 2, 3], pd.MultiIndex.from_tuples(graphs.names[::-1]))
    assert y.loc[list(graphs.names)].tolist() == [3, 2, 1]
    dates = EDGES.assign(month=pd.to_datetime("2026-01-01"))
    (name, *_) = graphs_from_edgelist(dates, **BY_MONTH).names
    assert name == ("p", pd.Timestamp("2026-01-01").to_pydatetime())


def test_a_table_of_nodes_for_all_graphs():
    options = {"nodes": ACCOUNTS, "node": "account", "node_attrs": ["age"]}
    graphs = graphs_from_edgelist(EDGES, **BY_MONTH, **options)
    ages = [graph.x.ravel().tolist() for graph in graphs]
    assert ages == [[1, 2], [1, 3], [2, 3]]
    # Rows of a case describe its accounts in all months.
    of_cases = pd.concat(
        [ACCOUNTS.assign(case=c, age=ACCOUNTS["age"] + k) for k, c in enumerate("pq")]
    )
    options["nodes"] = of_cases
    graphs = graphs_from_edgelist(EDGES, **BY_MONTH, **options)
    assert [g.x.ravel().tolist() for g in graphs] == [[1, 2], [1, 3], [3, 4]]
    # With all columns that name graphs, nodes need no edge.
    options["nodes"] = of_cases.assign(month=1)
    graphs = graphs_from_edgelist(EDGES[1:4], **BY_MONTH, **options)
    assert graphs.names.tolist() == [("p", 1), ("q", 1)]
    assert graphs[0].node_names.tolist() == list("cabd")
    assert np.diff(graphs.node_ptr).tolist() == [4, 4]


def test_tables_of_nodes_by_graph():
    nodes = {"p": ACCOUNTS, "q": ACCOUNTS.assign(age=0.0)[:3]}
    options = {"nodes": nodes, "node": "account", "node_attrs": ["age"]}
    graphs = graphs_from_edgelist(EDGES, graph="case", **NAMES, **options)
    assert [g.x.ravel().tolist() for g in graphs] == [[3, 1, 2, 4], [0, 0, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": ACCOUNTS[:2]}, r"graph \('p', 1\) joins node b, which has no row"),
        ({"nodes": pd.concat([ACCOUNTS] * 2)}, "node a comes twice, and nothing says"),
        ({"graph_ids": ["p"]}, r"graph_ids: expected tuples of 2, got 'p'"),
        ({"graph_ids": [("p", None)]}, "graph_ids: id 0 is missing"),
        ({"graph": []}, "graph: expected at least one column"),
        (
            {"weight": "amount", "edges": EDGES.assign(amount=[1, 1, -3.0, 1, 1])},
            r"Graph \('p', 1\): edge weight -3.0 in 'amount'; .*"
            r"\(row 2 of edges: case 'p', month 1, payer 'b', payee 'a'\)",
        ),
        (
            {"edge_attrs": ["channel"]},
            r"Graph \('p', 1\): the rows of edge \('b', 'a'\) carry different "
            "categories of channel.*aggregate",
        ),
        (
            {"node_attrs": ["age"], "nodes": ACCOUNTS.assign(age=[1, 2, None, 4])},
            r"nodes: 'age' is missing in row 2; .* \(row 2 of nodes: account 'b'\)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[:30],
)
def test_errors_name_case_account_and_column(changes, message):
    options = {"edges": EDGES, "nodes": ACCOUNTS, "node": "account", **BY_MONTH}
    with pytest.raises(InvalidGraphError, match=message):
        graphs_from_edgelist(**options | changes)


def edge_columns(**options):
    """Columns of the edge (a, b) of the case p in month 1."""
    attrs = {"edge_attrs": ["amount", "channel"], **BY_MONTH}
    graphs = graphs_from_edgelist(EDGES[1:4], **attrs | options)
    assert graphs.n_edges == 1
    columns = graphs.edge_features.columns()
    return graphs, {name: values.item() for name, values in columns.items()}


def test_repeated_pairs_become_one_edge_as_asked():
    for how, expected in {"sum": 10, "mean": 10 / 3, "min": 2, "max": 5}.items():
        rules = {"amount": how, "channel": "most_frequent"}
        graphs, found = edge_columns(aggregate=rules, weight="amount")
        assert found["amount"] == pytest.approx(expected)
        assert graphs.edge_weight.item() == pytest.approx(expected)
        card = edge_columns(
            edge_attrs=["channel"], **{"aggregate": {"channel": "count"}}
        )
        assert card[1] == {"channel=card": 2, "channel=wire": 1}
    _, found = edge_columns(aggregate={"channel": ["wire", "cash"], "amount": "sum"})
    assert found == {"amount": 10, "channel=wire": 1, "channel=cash": 0}
    declared = EDGES["channel"].astype(pd.CategoricalDtype(["cash", "card", "wire"]))
    graphs = graphs_from_edgelist(
        EDGES.assign(channel=declared),
        **BY_MONTH,
        edge_attrs=["channel"],
        aggregate={"channel": "count"},
    )
    assert [field.name for field in graphs.edge_features.fields] == [
        "channel=card",
        "channel=cash",
        "channel=wire",
    ]


def test_parts_by_direction_are_joined_alike():
    graphs, found = edge_columns(
        aggregate={"amount": "sum", "channel": "count"}, directed=True
    )
    # Both ends have one neighbour: the mean of 7 and 3.
    assert found["amount_forward"] == found["amount_backward"] == 5
    nodes = {k: v.ravel().tolist() for k, v in graphs.node_features.columns().items()}
    assert nodes["out_amount"] == nodes["in_amount"][::-1] == [7, 3]
    assert nodes["out_degree_bin"] == [2, 1]
    assert nodes["out_channel=card"] == [2, 0]


@pytest.mark.parametrize(
    ("aggregate", "error", "message"),
    [
        ("sum", TypeError, "aggregate: expected a dictionary"),
        ({"other": "sum"}, ValueError, "aggregate: 'other' is none of edge_attrs"),
        ({"amount": "median"}, ValueError, "aggregate: 'amount': expected one of"),
        (
            {"amount": "most_frequent"},
            ValueError,
            "'amount' holds numbers; expected 'su",
        ),
        ({"channel": "sum"}, ValueError, "'channel' holds categories; expected 'most"),
        ({"w": "count"}, ValueError, "aggregate: 'w' holds weights"),
    ],
    ids=str,
)
def test_ways_to_join_that_do_not_suit(aggregate, error, message):
    options = {"edge_attrs": ["amount", "channel"], "weight": "w", **BY_MONTH}
    with pytest.raises(error, match=message):
        graphs_from_edgelist(EDGES.assign(w=1.0), **options, aggregate=aggregate)


def test_keys_of_several_columns():
    levels = [
        [np.array([1, 0, 1]), np.array([1])],
        [np.array([0, 3, 0]), np.array([1])],
    ]
    one, other = join_levels(levels)
    assert one.tolist() == [1, 0, 1]
    assert other.tolist() == [2]


def test_rows_of_keys():
    places, is_known, twice = find_rows(np.array([5, 9, 7]), np.array([7, 5, 3]))
    assert is_known.tolist() == [True, False, True]
    assert places[is_known].tolist() == [1, 0]
    assert twice == -1
    assert find_rows(np.array([1]), np.array([4, 2, 4]))[2] == 4
