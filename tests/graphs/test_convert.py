"""as_graphs: one collection from every kind of graph, errors that name the graph."""

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse
from torch_geometric.data import Data

from skshake import GraphCollection, as_graphs

EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
X = np.array([[0.5, 1.0], [1.5, 0.0], [2.5, 1.0], [3.5, 0.0]])
EDGE_ATTR = np.array([[0.1], [0.2], [0.3], [0.4]])
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
# EDGES sorted, which is the order of the upper triangle's CSR entries.
ORDER = [0, 2, 1, 3]


def _matrix():
    matrix = np.zeros((4, 4))
    for (i, j), w in zip(EDGES, WEIGHT, strict=True):
        matrix[i, j] = matrix[j, i] = w
    return matrix


def _networkx():
    graph = nx.Graph()
    names = ["d", "c", "a", "b"]
    for i in (3, 1, 0, 2):
        graph.add_node(names[i], x=X[i])
    for k, (i, j) in enumerate(EDGES):
        graph.add_edge(names[j], names[i], weight=WEIGHT[k], edge_attr=EDGE_ATTR[k])
    return nx.relabel_nodes(graph, {}, copy=True)


def _pyg():
    ends = torch.tensor(EDGES).T
    return Data(
        x=torch.tensor(X),
        edge_index=torch.cat([ends, ends.flip(0)], dim=1),
        edge_attr=torch.tensor(EDGE_ATTR).repeat(2, 1),
        edge_weight=torch.tensor(WEIGHT).repeat(2),
    )


def _ogb():
    ends = np.array(EDGES).T
    return {
        "edge_index": ends,
        "edge_feat": EDGE_ATTR,
        "node_feat": X,
        "num_nodes": 4,
        "edge_weight": WEIGHT,
    }


KINDS = {
    "pyg": _pyg,
    "ogb": _ogb,
    "numpy": lambda: (_matrix(), X, EDGE_ATTR[ORDER]),
    "sparse": lambda: (sparse.csr_array(_matrix()), X, EDGE_ATTR[ORDER]),
    "coo_matrix": lambda: (sparse.coo_matrix(_matrix()), X, EDGE_ATTR[ORDER]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_the_same_graph(kind):
    graphs = as_graphs([KINDS[kind]()])
    assert graphs.edges.tolist() == [list(EDGES[k]) for k in ORDER]
    np.testing.assert_allclose(graphs[0].x, X.astype(np.float32))
    np.testing.assert_allclose(graphs[0].edge_attr, EDGE_ATTR[ORDER].astype(np.float32))
    np.testing.assert_allclose(graphs[0].edge_weight, WEIGHT[ORDER])


def test_networkx_features_follow_their_node_whatever_its_name():
    graph = as_graphs([_networkx()])[0]
    # Nodes were added in the order 3, 1, 0, 2 of the other kinds.
    np.testing.assert_allclose(graph.x, X[[3, 1, 0, 2]].astype(np.float32))
    old = np.array([3, 1, 0, 2])[graph.edges]
    weights = {
        frozenset(pair): w
        for pair, w in zip(old.tolist(), graph.edge_weight, strict=True)
    }
    assert weights == {
        frozenset(e): w for e, w in zip(EDGES, WEIGHT.tolist(), strict=True)
    }


def test_mixed_kinds_keep_their_order():
    graphs = as_graphs([KINDS[kind]() for kind in KINDS] + [_networkx()])
    assert len(graphs) == len(KINDS) + 1
    assert graphs.node_ptr.tolist() == [0, 4, 8, 12, 16, 20, 24]


def test_collections_and_their_views_come_back_as_they_are(mutag):
    graphs, _ = mutag
    assert as_graphs(graphs) is graphs
    views = [graphs[i] for i in (3, 5, 3)]
    again = as_graphs(views)
    assert again.edges.tolist() == graphs[[3, 5, 3]].edges.tolist()


def test_integers_are_categories_and_floats_are_numbers():
    matrix = _matrix()
    codes = np.array([[3], [4], [3], [9]])
    assert as_graphs([(matrix, codes)]).node_features.widths == (0, 1)
    assert as_graphs([(matrix, X)]).node_features.widths == (2, 0)
    as_numbers = as_graphs([(matrix, codes)], categorical_features=False)
    assert as_numbers.node_features.widths == (1, 0)
    as_codes = as_graphs([(matrix, codes.astype(float))], categorical_features=True)
    assert as_codes.node_features.widths == (0, 1)


def test_networkx_attributes_of_both_kinds_sit_side_by_side():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 1, 1: 2, 2: 1}, "element")
    nx.set_node_attributes(graph, {0: 0.1, 1: 0.2, 2: 0.3}, "charge")
    assert as_graphs([graph]).node_features.widths == (1, 1)
    assert as_graphs([graph], node_attrs=["charge"]).node_features.widths == (1, 0)
    assert as_graphs([graph], node_attrs=[]).node_features.widths == (0, 0)


def _attributed(a, b):
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, dict(enumerate(a)), "a")
    nx.set_node_attributes(graph, dict(enumerate(b)), "b")
    return graph


def test_columns_keep_the_order_of_their_fields_whatever_their_kind():
    graph = _attributed([1.5, 2.5], [10, 20])
    mixed = as_graphs([graph])
    assert mixed[0].x.tolist() == [[1.5, 10], [2.5, 20]]
    at_once = as_graphs([graph], categorical_features=False)
    later = as_graphs(mixed, categorical_features=False)
    for graphs in (at_once, later, as_graphs([mixed[0]], categorical_features=False)):
        assert graphs.node_features.numeric.tolist() == [[1.5, 10], [2.5, 20]]


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


def test_a_dataset_of_labelled_ogb_items_without_an_iterator():
    class Dataset:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return _ogb(), np.array([i])

    assert len(as_graphs(Dataset())) == 2


def test_the_order_of_parallel_edges_leaves_no_trace():
    fingerprints = set()
    for weights in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]):
        graph = nx.MultiGraph()
        for weight in weights:
            graph.add_edge(0, 1, weight=weight)
        fingerprints.add(int(as_graphs([graph]).fingerprints[0]))
    assert len(fingerprints) == 1


def test_a_flat_feature_is_one_column():
    assert as_graphs([(_matrix(), X[:, 0])]).node_features.widths == (1, 0)


def test_two_directions_are_averaged_and_repeats_of_one_add_up():
    # Field report 10: 0->1 twice, 1->0 once, a self-loop, and 1->2 alone.
    data = Data(
        x=torch.zeros(3, 1),
        edge_index=torch.tensor([[0, 0, 1, 2, 1], [1, 1, 0, 2, 2]]),
        edge_attr=torch.tensor([[1.0], [3.0], [5.0], [99.0], [7.0]]),
        edge_weight=torch.tensor([1.0, 2.0, 5.0, 99.0, 4.0]),
    )
    graph = as_graphs([data])[0]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    # Weights: ((1 + 2) + 5) / 2 and 4; features: ((1 + 3) / 2 + 5) / 2 and 7.
    assert graph.edge_weight.tolist() == [4.0, 4.0]
    assert graph.edge_attr.ravel().tolist() == [3.5, 7.0]


def test_the_edge_set_does_not_depend_on_order_or_direction(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ends = np.array(EDGES).T
    expected = as_graphs([_ogb()])
    for _ in range(5):
        order = rng.permutation(len(EDGES))
        flip = rng.random(len(EDGES)) < 0.5
        shuffled = np.where(flip, ends[::-1], ends)[:, order]
        graph = {
            **_ogb(),
            "edge_index": shuffled,
            "edge_feat": EDGE_ATTR[order],
            "edge_weight": WEIGHT[order],
        }
        got = as_graphs([graph])
        assert got.edges.tolist() == expected.edges.tolist()
        assert (got.edge_weight == expected.edge_weight).all()
        assert (got.edge_features.numeric == expected.edge_features.numeric).all()


def test_one_edge_attribute_row_per_stored_entry_or_per_upper_entry():
    matrix = sparse.csr_array(_matrix())
    entries = matrix.tocoo()
    place = {tuple(EDGES[k]): EDGE_ATTR[k] for k in range(4)}
    per_entry = np.array(
        [
            place[min(i, j), max(i, j)]
            for i, j in zip(entries.row, entries.col, strict=True)
        ]
    )
    one = as_graphs([(matrix, X, per_entry)])
    other = as_graphs([(matrix, X, EDGE_ATTR[ORDER])])
    np.testing.assert_allclose(one.edge_features.numeric, other.edge_features.numeric)


def test_multigraph_edges_add_their_weights():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert as_graphs([graph])[0].edge_weight.tolist() == [2.0, 1.0]


def test_graphs_without_nodes_or_edges_agree_with_any_features(awkward_graphs):
    empty = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=0)
    lone = Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    graphs = as_graphs([_pyg(), empty, lone])
    assert np.diff(graphs.node_ptr).tolist() == [4, 0, 1]
    assert np.diff(as_graphs(awkward_graphs).node_ptr).tolist() == [0, 1, 3, 4]


def test_a_generator_is_consumed_once_and_safely():
    assert len(as_graphs(_matrix() for _ in range(3))) == 3


def test_a_stack_of_matrices_and_an_object_array_are_lists_of_graphs():
    assert len(as_graphs(np.stack([_matrix()] * 3))) == 3
    objects = np.empty(2, object)
    objects[:] = [_networkx(), _networkx()]
    assert len(as_graphs(objects)) == 2


@pytest.mark.parametrize("kind", [*KINDS, "networkx"])
def test_a_lone_graph_is_refused_with_advice(kind):
    graph = _networkx() if kind == "networkx" else KINDS[kind]()
    with pytest.raises(TypeError, match="wrap it in a list"):
        as_graphs(graph)


def _broken(**changes):
    return {**_ogb(), **changes}


BAD = {
    "width": (_broken(node_feat=X[:, :1]), ValueError, "Graph 1 has 1 columns of x"),
    "missing x": (_broken(node_feat=None), ValueError, "Graph 1 has no x, but graph 0"),
    "missing edge_attr": (
        _broken(edge_feat=None),
        ValueError,
        "Graph 1 has no edge_attr",
    ),
    "rows": (_broken(node_feat=X[:3]), ValueError, "Graph 1: x: expected shape"),
    "nan": (_broken(node_feat=X * np.nan), ValueError, "Graph 1: x holds nan"),
    "inf": (
        _broken(edge_feat=EDGE_ATTR + np.inf),
        ValueError,
        "Graph 1: edge_attr holds",
    ),
    "text": (
        _broken(node_feat=np.full((4, 2), "a")),
        TypeError,
        "Graph 1: x holds <U1",
    ),
    "negative weight": (
        _broken(edge_weight=-WEIGHT),
        ValueError,
        "Graph 1: edge weight -1",
    ),
    "zero weight": (
        _broken(edge_weight=0 * WEIGHT),
        ValueError,
        "Graph 1: edge weight 0",
    ),
    "weights": (
        _broken(edge_weight=WEIGHT[:2]),
        ValueError,
        "Graph 1: edge weight: exp",
    ),
    "range": (
        _broken(num_nodes=3, node_feat=X[:3]),
        ValueError,
        "Graph 1: an edge joins",
    ),
    "transposed": (
        _broken(edge_index=np.array(EDGES)),
        ValueError,
        "Graph 1: edge_index: expected shape .2, n_arcs., got .4, 2.; transpose it",
    ),
    "float ends": (
        _broken(edge_index=np.array(EDGES).T * 1.0),
        TypeError,
        "Graph 1: edge_index: expected integers",
    ),
    "not square": (
        np.ones((2, 3)),
        ValueError,
        "Graph 1: adjacency: expected a square",
    ),
    "something else": (
        object(),
        TypeError,
        "Graph 1 is of type object; expected a net",
    ),
    "no edge_index": ({"x": 1}, TypeError, "Graph 1 is of type dict"),
    "tuple": ((_matrix(), X, EDGE_ATTR, 1), ValueError, "Graph 1: a tuple must be"),
    "sparse x": (
        (_matrix(), sparse.csr_array(X)),
        TypeError,
        "Graph 1: x: expected a dense array, got a scipy sparse",
    ),
    "ragged x": (
        _broken(node_feat=[[1.0], [1.0, 2.0], [1.0], [1.0]]),
        ValueError,
        "Graph 1: x: ",
    ),
    "negative size": (_broken(num_nodes=-1), ValueError, "Graph 1 has -1 nodes"),
    "too large": (
        _broken(node_feat=X * 1e300),
        ValueError,
        "Graph 1: x: .* exceeds the range of float32",
    ),
    "adj_t": (Data(x=torch.ones(2, 2), adj_t=1), ValueError, "Graph 1: .* got adj_t"),
    "edge rows": (
        (_matrix(), X, EDGE_ATTR[:3]),
        ValueError,
        "Graph 1: edge_attr: expected",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_name_the_graph_and_the_field(case):
    graph, error, message = BAD[case]
    with pytest.raises(error, match=message):
        as_graphs([_ogb(), graph])


def test_a_missing_networkx_attribute_names_the_node_or_edge():
    graph = _networkx()
    del graph.nodes["c"]["x"]
    with pytest.raises(ValueError, match="Graph 1: node 'c' has no attribute 'x'"):
        as_graphs([_networkx(), graph])
    graph = nx.path_graph(3)
    graph.edges[0, 1]["weight"] = 1.0
    with pytest.raises(ValueError, match=r"edge \(1, 2\) has no attribute 'weight'"):
        as_graphs([graph])


def test_contradicting_categories_of_an_edge_are_refused():
    graph = _broken(
        edge_index=np.array([[0, 1], [1, 0]]),
        edge_feat=np.array([[1], [2]]),
        edge_weight=None,
    )
    with pytest.raises(ValueError, match=r"Graph 0: the rows of edge \(1, 0\) carry"):
        as_graphs([graph])


@pytest.mark.parametrize("graphs", [[], (), np.empty(0)])
def test_an_empty_list_is_refused(graphs):
    with pytest.raises(ValueError, match="at least one graph"):
        as_graphs(graphs)


@pytest.mark.parametrize("graphs", ["abc", 3, None])
def test_something_else_is_refused(graphs):
    with pytest.raises(TypeError, match="expected a list of graphs"):
        as_graphs(graphs)


def test_fractions_are_no_categories():
    message = (
        "Graph 0: x: a category must be an integer that fits into 32 bits, got 0.5"
    )
    with pytest.raises(ValueError, match=message):
        as_graphs([(_matrix(), X)], categorical_features=True)
    with pytest.raises(ValueError, match=message):
        as_graphs(as_graphs([(_matrix(), X)]), categorical_features=True)


def test_input_is_never_written():
    x, matrix = X.copy(), _matrix()
    x.flags.writeable = matrix.flags.writeable = False
    assert isinstance(as_graphs([(matrix, x)]), GraphCollection)
