"""Flat arrays over all graphs to a collection."""

import numpy as np
import pandas as pd
import pytest
import torch

from skshake import from_edges


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_edges": [1]}, "as many n_edges as n_nodes"),
        ({"n_nodes": [3, -1]}, "n_nodes: expected non-negative integers"),
        ({"edges": [[0, 1]]}, r"edges: expected integers of shape \(2, 2\)"),
        ({"x": np.zeros((4, 1))}, "x: expected 5 rows"),
        ({"edges": [[0, 1], [0, 9]]}, "Graph 1: an edge joins nodes 0 and 9"),
        ({"edge_weight": [1.0, -1.0]}, "Graph 1: edge weight -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_arrays_are_refused(changes, message):
    good = {"edges": [[0, 1], [0, 1]], "n_edges": [1, 1], "n_nodes": [3, 2]}
    with pytest.raises(ValueError, match=message):
        from_edges(**{**good, **changes})


def test_flat_arrays_by_hand():
    graphs = from_edges(
        [[0, 1], [2, 1], [1, 0]],
        n_edges=[2, 0, 1],
        n_nodes=[3, 1, 2],
        x=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
        edge_attr=np.array(["single", "double", "single"]),
        edge_weight=[2.0, 3.0, 4.0],
    )
    assert graphs.node_ptr.tolist() == [0, 3, 4, 6]
    assert graphs.edge_ptr.tolist() == [0, 2, 2, 3]
    assert graphs.edges.tolist() == [[0, 1], [1, 2], [0, 1]]
    assert graphs.node_features.numeric.ravel().tolist() == [
        0.5,
        1.5,
        2.5,
        3.5,
        4.5,
        5.5,
    ]
    codes = graphs.edge_features.categories.ravel()
    assert codes[0] == codes[2] != codes[1]
    assert graphs.edge_weight.tolist() == [2.0, 3.0, 4.0]


def test_the_rule_and_names_of_columns_are_those_of_as_graphs():
    table = pd.DataFrame({"charge": [1, 2, 3], "element": list("CNC")})
    settings = {"edges": [[0, 1]], "n_edges": [1, 0], "n_nodes": [2, 1], "x": table}
    fields = from_edges(**settings).node_features.fields
    assert [(f.name, f.is_categorical) for f in fields] == [
        ("charge", True),
        ("element", True),
    ]
    fields = from_edges(**settings, categorical_features=False).node_features.fields
    assert [f.is_categorical for f in fields] == [False, True]
    with pytest.raises(ValueError, match="categorical_features: expected"):
        from_edges(**settings, categorical_features="charge")


@pytest.mark.parametrize(
    "edges", [[], np.empty((0, 2)), np.empty((2, 0), int)], ids=repr
)
def test_no_edges_may_come_in_any_shape(edges):
    graphs = from_edges(edges, [0, 0], [2, 0])
    assert graphs.edge_ptr.tolist() == [0, 0, 0]
    assert graphs.node_ptr.tolist() == [0, 2, 2]


def test_tensors_are_arrays():
    ends = torch.tensor([[0, 1], [0, 1]])
    graphs = from_edges(
        ends, torch.tensor([1, 1]), torch.tensor([2, 2]), x=torch.eye(4)
    )
    assert graphs.node_features.numeric.tolist() == np.eye(4).tolist()


def test_nodes_beyond_64_bits_are_refused():
    ends = np.array([[0, 2**63]], np.uint64)
    with pytest.raises(
        ValueError, match="edges: expected numbers of nodes, got 92233720"
    ):
        from_edges(ends, [1], [2])
