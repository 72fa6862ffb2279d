"""Records of graphs to one array per field, with every check on the way."""

import numpy as np
import pytest
import torch
from scipy import sparse
from torch_geometric.data import Data

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import CastError
from skshake.graphs._collate import (
    collate,
    collate_ends,
    collate_features,
    collate_weights,
    naming_graph,
)
from skshake.graphs._features import TEXT_CODE
from skshake.graphs._records import GraphRecord
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


def _record(n_nodes, ends, *, x=None, weight=None, **edges):
    nodes = {} if x is None else {"x": x}
    return GraphRecord(n_nodes, ends, nodes, edges, weight)


def test_records_by_hand():
    records = [
        _record(2, [[0, 1], [1, 0]], x=[[0.5], [1.5]], weight=[2.0, 3.0], kind=[7, 7]),
        _record(0, []),
        _record(3, np.array([[2], [0]]), x=np.array([[2.5], [3.5], [4.5]]), kind=[8]),
    ]
    found = collate(records, "from_dtype")
    assert found.n_nodes.tolist() == [2, 0, 3]
    assert found.n_arcs.tolist() == [2, 0, 1]
    assert found.ends.tolist() == [[0, 1, 2], [1, 0, 0]]
    assert found.node_features.numeric.ravel().tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert found.arc_features.categories.ravel().tolist() == [7, 7, 8]
    # A graph without weights weighs 1 among others.
    assert found.weights.tolist() == [2.0, 3.0, 1.0]


@pytest.mark.parametrize(
    "make", [np.array, torch.tensor, list], ids=["numpy", "torch", "list"]
)
def test_joined_arrays_are_those_of_each_graph(make, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    sizes = rng.integers(0, 5, 8)
    parts = [rng.normal(size=(n, 2)) for n in sizes]
    ends = [rng.integers(max(n, 1), size=(2, n)) for n in sizes]
    records = [
        _record(int(n), make(e.tolist()), x=make(x.tolist()), a=make(e[0].tolist()))
        for n, e, x in zip(sizes, ends, parts, strict=True)
    ]
    found = collate(records, "from_dtype")
    assert found.ends.tolist() == np.concatenate(ends, axis=1).tolist()
    assert found.n_arcs.tolist() == found.n_nodes.tolist() == sizes.tolist()
    expected = np.concatenate(parts).astype(np.float32)
    assert found.node_features.numeric.tolist() == expected.tolist()
    codes = np.concatenate([e[0] for e in ends])
    assert found.arc_features.categories.ravel().tolist() == codes.tolist()
    assert found.weights is None


def test_signed_and_unsigned_ends_are_joined_exactly():
    ends = np.array([[0], [1]])
    records = [_record(2, ends), _record(2, ends.astype(np.uint64))]
    found, n_arcs = collate_ends(records)
    assert found.dtype == np.int64
    assert found.tolist() == [[0, 0], [1, 1]]
    assert n_arcs.tolist() == [1, 1]
    records[1] = _record(2, np.array([[0], [2**63]], np.uint64))
    with pytest.raises(
        InvalidGraphError, match="Graph 1: edge_index: expected numbers of"
    ):
        collate_ends(records)


@pytest.mark.parametrize("rule", ["from_dtype", False])
def test_integers_of_64_bits_are_not_made_floats_on_the_way(rule):
    columns = [{"a": np.array([-1])}, {"a": np.array([2], np.uint64)}]
    features = collate_features(columns, np.array([1, 1]), rule)
    assert features.widths == ((0, 1) if rule == "from_dtype" else (1, 0))
    assert features.as_array().ravel().tolist() == [-1, 2]


def test_fields_are_sorted_by_name_and_empty_ones_left_out():
    columns = [{"b": np.ones((2, 1)), "a": np.ones(2), "none": np.empty((2, 0))}, {}]
    features = collate_features(columns, np.array([2, 0]), "from_dtype")
    assert [(f.name, f.width) for f in features.fields] == [("a", 1), ("b", 1)]


def test_strings_beside_their_codes_are_coded_alike():
    known = collate_features([{"a": np.array(["C", "N"])}], np.array([2]), "from_dtype")
    coded = known.categories.copy().view(TEXT_CODE)
    both = [{"a": np.array(["N", "C"])}, {"a": coded}]
    features = collate_features(both, np.array([2, 2]), "from_dtype")
    assert features.fields[0].is_text
    assert features.categories.tolist() == known.categories[[1, 0, 0, 1]].tolist()


def test_weights_of_each_graph_by_hand():
    ptr = np.array([0, 2, 2, 3])
    assert collate_weights([None] * 3, ptr) is None
    for second in (None, [], np.empty(0)):
        weights = collate_weights([None, second, np.array([[4]])], ptr)
        assert weights.tolist() == [1.0, 1.0, 4.0]
    assert collate_weights([[True, True], None, [2]], ptr).tolist() == [1.0, 1.0, 2.0]


def test_a_column_of_weights_may_have_no_rows():
    weights = collate_weights([np.ones((2, 1)), np.ones((0, 1))], np.array([0, 2, 2]))
    assert weights.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], "expected 1 values, got 2"),
        ([[1.0, 2.0]], r"expected 1 values, got \(1, 2\)"),
        (["a"], "expected numbers, got dtype <U1"),
        ([np.nan], "nan; expected positive numbers from 1e-30 to 1e.30"),
        ([np.inf], "inf; expected positive"),
        ([1e-31], "1e-31; expected positive"),
    ],
)
def test_bad_weights_name_their_graph(given, message):
    with pytest.raises(
        InvalidGraphError, match=f"Graph 1: edge weight:? {message}"
    ) as raised:
        collate_weights([[1.0, 1.0], given], np.array([0, 2, 3]))
    assert raised.value.field == "edge_weight"


def test_a_row_that_cannot_be_cast_names_its_graph():
    with (
        pytest.raises(InvalidGraphError, match="Graph 2: too large") as raised,
        naming_graph(np.array([0, 2, 2, 3])),
    ):
        raise CastError("too large", 2, "x")
    assert raised.value.field == "x"


def test_digits_that_a_cast_loses_are_said():
    one = np.array([1, 1])
    integers = [{"a": np.array([2**53])}, {"a": np.array([2**53 + 1])}]
    with pytest.warns(
        UserWarning, match="Graph 1: a holds different integers that are"
    ):
        collate_features(integers, one, False)
    numbers = [{"a": np.array([1e4])}, {"a": np.array([1e4 + 1e-5])}]
    with pytest.warns(UserWarning, match="Graph 1: a holds different numbers that are"):
        collate_features(numbers, one, False)
    # Warnings are errors here: nothing is said of numbers that stay different.
    collate_features([{"a": np.array([0.1])}, {"a": np.array([0.2])}], one, False)
