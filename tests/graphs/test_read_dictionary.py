"""Dictionaries of OGB and of Hugging Face's data sets."""

import numpy as np
import pytest

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import NO_NAMES
from skshake.graphs._read_dictionary import read_labelled_ogb, read_ogb
from skshake.graphs._records import AttributeNames
from tests._helpers.kinds import EDGE_ATTR, WEIGHT, X, as_ogb


def test_both_spellings_are_the_same_graph():
    ogb = as_ogb()
    other = {
        "edge_index": ogb["edge_index"],
        "x": X,
        "edge_attr": EDGE_ATTR,
        "edge_weight": WEIGHT,
        "y": [1],
        "smiles": "CC",
    }
    for graph in (ogb, other):
        record = read_ogb(graph, NO_NAMES)
        assert record.n_nodes == 4
        assert record.edge_index is ogb["edge_index"]
        assert record.node_columns == {"x": X}
        assert record.edge_columns == {"edge_attr": EDGE_ATTR}
        assert record.edge_weight is WEIGHT


def test_labels_beside_a_graph_are_not_read():
    record = read_labelled_ogb((as_ogb(), np.array([1])), NO_NAMES)
    assert record.n_nodes == 4


def test_values_of_none_are_not_there():
    record = read_ogb(as_ogb(edge_feat=None, edge_weight=None, strange=None), NO_NAMES)
    assert record.edge_columns == {}
    assert record.edge_weight is None


def test_other_keys_have_to_be_named():
    graph = as_ogb(charge=[0.0, 1.0, 0.0, 1.0], length=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(
        InvalidGraphError, match=r"unknown key 'charge'.*named in node_att"
    ):
        read_ogb(graph, NO_NAMES)
    names = AttributeNames(("charge", "node_feat"), ("length",), "weight", {})
    record = read_ogb(graph, names)
    assert list(record.node_columns) == ["charge", "x"]
    assert list(record.edge_columns) == ["length"]
    with pytest.raises(InvalidGraphError, match="unknown key 'length'"):
        read_ogb(graph, names._replace(edge_attrs=None))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": X}, "x: given twice, as 'x' and 'node_feat'"),
        ({"edge_attr": X}, "edge_attr: given twice, as 'edge_attr' and 'edge_feat'"),
        ({"edge_index": None}, r"needs the key 'edge_index', got \['edge_index', "),
        ({"num_nodes": None}, "num_nodes: expected an integer of 0 or more, got None"),
        ({"num_nodes": 2.5}, "num_nodes: expected an integer"),
    ],
)
def test_what_is_missing_or_twice_is_named(changes, message):
    with pytest.raises(InvalidGraphError, match=message):
        read_ogb(as_ogb(**changes), NO_NAMES)


def test_the_number_of_nodes_is_needed_unless_features_say_it():
    ends = as_ogb()["edge_index"]
    with pytest.raises(InvalidGraphError, match="needs the key 'num_nodes'") as raised:
        read_ogb({"edge_index": ends}, NO_NAMES)
    assert raised.value.field == "num_nodes"
    assert read_ogb({"edge_index": ends, "x": [[0.0]] * 7}, NO_NAMES).n_nodes == 7


def test_columns_of_parquet_files_are_read():
    rows = np.empty(2, object)
    rows[:] = [np.array([0, 1]), np.array([1, 2])]
    weights = np.array([1.0, 2.0], object)
    features = np.empty(3, object)
    features[:] = [np.array([k, 0.5]) for k in range(3)]
    graph = {
        "edge_index": rows,
        "edge_weight": weights,
        "node_feat": features,
        "num_nodes": [3],
    }
    read = as_graphs([graph])
    assert read.edges.tolist() == [[0, 1], [1, 2]]
    assert read.edge_weight.tolist() == [1.0, 2.0]
