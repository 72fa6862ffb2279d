"""Records of graphs to one array per field, with every check on the way."""

import numpy as np
import pytest
import torch
from scipy import sparse
from torch_geometric.data import Data

from skshake import as_graphs
from tests._helpers.kinds import EDGE_ATTR, EDGES, WEIGHT, X, as_matrix, as_ogb, as_pyg


def test_a_flat_feature_is_one_column():
    assert as_graphs([(as_matrix(), X[:, 0])]).node_features.widths == (1, 0)


def test_graphs_without_nodes_or_edges_agree_with_any_features(awkward_graphs):
    empty = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=0)
    lone = Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    graphs = as_graphs([as_pyg(), empty, lone])
    assert np.diff(graphs.node_ptr).tolist() == [4, 0, 1]
    assert np.diff(as_graphs(awkward_graphs).node_ptr).tolist() == [0, 1, 3, 4]


BAD = {
    "width": (as_ogb(node_feat=X[:, :1]), ValueError, "Graph 1 has 1 columns of x"),
    "missing x": (as_ogb(node_feat=None), ValueError, "Graph 1 has no x, but graph 0"),
    "missing edge_attr": (
        as_ogb(edge_feat=None),
        ValueError,
        "Graph 1 has no edge_attr",
    ),
    "rows": (as_ogb(node_feat=X[:3]), ValueError, "Graph 1: x: expected shape"),
    "nan": (as_ogb(node_feat=X * np.nan), ValueError, "Graph 1: x holds nan"),
    "inf": (
        as_ogb(edge_feat=EDGE_ATTR + np.inf),
        ValueError,
        "Graph 1: edge_attr holds",
    ),
    "text": (
        as_ogb(node_feat=np.full((4, 2), "a")),
        TypeError,
        "Graph 1: x holds <U1",
    ),
    "negative weight": (
        as_ogb(edge_weight=-WEIGHT),
        ValueError,
        "Graph 1: edge weight -1",
    ),
    "zero weight": (
        as_ogb(edge_weight=0 * WEIGHT),
        ValueError,
        "Graph 1: edge weight 0",
    ),
    "weights": (
        as_ogb(edge_weight=WEIGHT[:2]),
        ValueError,
        "Graph 1: edge weight: exp",
    ),
    "transposed": (
        as_ogb(edge_index=np.array(EDGES)),
        ValueError,
        "Graph 1: edge_index: expected shape .2, n_arcs., got .4, 2.; transpose it",
    ),
    "float ends": (
        as_ogb(edge_index=np.array(EDGES).T * 1.0),
        TypeError,
        "Graph 1: edge_index: expected integers",
    ),
    "sparse x": (
        (as_matrix(), sparse.csr_array(X)),
        TypeError,
        "Graph 1: x: expected a dense array, got a scipy sparse",
    ),
    "ragged x": (
        as_ogb(node_feat=[[1.0], [1.0, 2.0], [1.0], [1.0]]),
        ValueError,
        "Graph 1: x: ",
    ),
    "too large": (
        as_ogb(node_feat=X * 1e300),
        ValueError,
        "Graph 1: x: .* exceeds the range of float32",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_name_the_graph_and_the_field(case):
    graph, error, message = BAD[case]
    with pytest.raises(error, match=message):
        as_graphs([as_ogb(), graph])


def test_columns_of_objects_are_numbers_or_strings_each():
    x = np.array([["a", 1.5], ["b", 2.0], ["a", 3.0]], object)
    features = as_graphs([(np.ones((3, 3)) - np.eye(3), x)]).node_features
    assert [(f.name, f.is_categorical) for f in features.fields] == [
        ("x[0]", True),
        ("x[1]", False),
    ]
    assert features.numeric[:, 0].tolist() == [1.5, 2.0, 3.0]
