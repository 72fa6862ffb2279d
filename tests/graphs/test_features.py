"""Numeric and categorical columns side by side, and which is which."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from tests._helpers.kinds import X, as_matrix


def test_integers_are_categories_and_floats_are_numbers():
    matrix = as_matrix()
    codes = np.array([[3], [4], [3], [9]])
    assert as_graphs([(matrix, codes)]).node_features.widths == (0, 1)
    assert as_graphs([(matrix, X)]).node_features.widths == (2, 0)
    as_numbers = as_graphs([(matrix, codes)], categorical_features=False)
    assert as_numbers.node_features.widths == (1, 0)
    as_codes = as_graphs([(matrix, codes.astype(float))], categorical_features=True)
    assert as_codes.node_features.widths == (0, 1)


def test_columns_keep_the_order_of_their_fields_whatever_their_kind():
    graph = _attributed([1.5, 2.5], [10, 20])
    mixed = as_graphs([graph])
    assert mixed[0].x.tolist() == [[1.5, 10], [2.5, 20]]
    at_once = as_graphs([graph], categorical_features=False)
    later = as_graphs(mixed, categorical_features=False)
    for graphs in (at_once, later, as_graphs([mixed[0]], categorical_features=False)):
        assert graphs.node_features.numeric.tolist() == [[1.5, 10], [2.5, 20]]


def _attributed(a, b):
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, dict(enumerate(a)), "a")
    nx.set_node_attributes(graph, dict(enumerate(b)), "b")
    return graph


def test_views_of_several_collections_keep_their_kinds():
    one, other = (as_graphs([_attributed([0.5, c], [c, 2**25 + c])]) for c in (3, 4))
    graphs = as_graphs([one[0], other[0], one[0]])
    assert graphs.node_features.widths == (1, 1)
    codes = graphs.node_features.categories.ravel().tolist()
    assert codes == [3, 2**25 + 3, 4, 2**25 + 4, 3, 2**25 + 3]
    # Beside another kind of graph each view is read on its own.
    assert as_graphs(
        [one[0], _attributed([0.5, 1.0], [7, 8])]
    ).node_features.widths == (
        1,
        1,
    )


def test_fractions_are_no_categories():
    message = (
        "Graph 0: x: a category must be an integer that fits into 32 bits, got 0.5"
    )
    with pytest.raises(ValueError, match=message):
        as_graphs([(as_matrix(), X)], categorical_features=True)
    with pytest.raises(ValueError, match=message):
        as_graphs(as_graphs([(as_matrix(), X)]), categorical_features=True)


def test_strings_are_categories_with_codes_of_their_own():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "C", 1: "N", 2: "C"}, "element")
    nx.set_node_attributes(graph, {0: 0.5, 1: 0.25, 2: 0.0}, "charge")
    first = as_graphs([graph])
    assert first.node_features.widths == (1, 1)
    codes = first.node_features.categories[:, 0]
    assert codes[0] == codes[2] != codes[1]
    nx.set_node_attributes(graph, {0: "N", 1: "C", 2: "O"}, "element")
    again = as_graphs([graph]).node_features.categories[:, 0]
    assert again[:2].tolist() == [codes[1], codes[0]]


def test_a_list_names_the_categories():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1, "kind")
    nx.set_node_attributes(graph, 2, "count")
    features = as_graphs([graph], categorical_features=["kind"]).node_features
    assert {f.name: f.is_categorical for f in features.fields} == {
        "kind": True,
        "count": False,
    }
    with pytest.raises(ValueError, match="categorical_features: expected"):
        as_graphs([graph], categorical_features="kind")


def test_text_stays_text_whatever_the_rule():
    graphs = [nx.path_graph(3) for _ in range(2)]
    for graph in graphs:
        nx.set_node_attributes(graph, {0: "C", 1: "N", 2: "C"}, "element")
    read = as_graphs(graphs)
    codes = read.node_features.categories.tolist()
    for again in (read, list(read), [read[0], graphs[1]]):
        for rule in (False, ["element"], "from_dtype"):
            features = as_graphs(again, categorical_features=rule).node_features
            assert features.categories.tolist() == codes
            assert features.fields[0].is_text


def test_names_of_categories_must_be_there():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1, "kind")
    with pytest.raises(ValueError, match="no attribute is called 'kid'"):
        as_graphs([graph], categorical_features=["kid"])
    x = np.array([[1, "a"], [2, "b"], [1, "a"]], object)
    adjacency = np.ones((3, 3)) - np.eye(3)
    for rule in (["x"], iter(["x[0]"])):
        features = as_graphs([(adjacency, x)], categorical_features=rule).node_features
        assert features.widths == (0, 2)
