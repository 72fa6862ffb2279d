"""The same ten graphs in every kind that users have, and what each kind adds."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from torch_geometric.data import Data, InMemoryDataset

from skshake import KFCoarsener, as_graphs, from_edges, graphs_from_edgelist
from tests._helpers.kinds import as_ogb


@pytest.fixture
def ten():
    """Ten random graphs: nodes, sorted edges, weights, numeric features of both."""
    rng = np.random.default_rng(7)
    graphs = []
    for n in rng.integers(4, 9, 10):
        upper = np.triu(rng.random((n, n)) < 0.5, 1)
        upper[0, 1] = True
        edges = np.argwhere(upper)
        graphs.append(
            (
                int(n),
                edges,
                rng.uniform(0.5, 2.0, len(edges)).astype(np.float32),
                rng.normal(size=(n, 2)).astype(np.float32),
                rng.normal(size=(len(edges), 1)).astype(np.float32),
            )
        )
    return graphs


def to_networkx(n, edges, weight, x, edge_attr):
    graph = nx.Graph()
    for i in range(n):
        graph.add_node(f"node {i}", x=x[i])
    for (i, j), w, a in zip(edges, weight, edge_attr, strict=True):
        graph.add_edge(f"node {i}", f"node {j}", weight=w, edge_attr=a)
    return graph


def to_igraph(n, edges, weight, x, edge_attr):
    graph = igraph.Graph(n, edges.tolist())
    graph.vs["x"], graph.vs["name"] = list(x), [f"node {i}" for i in range(n)]
    graph.es["weight"], graph.es["edge_attr"] = weight.tolist(), list(edge_attr)
    return graph


def to_pyg(n, edges, weight, x, edge_attr):
    ends = torch.from_numpy(edges.T)
    return Data(
        x=torch.from_numpy(x),
        edge_index=torch.cat([ends, ends.flip(0)], dim=1),
        edge_attr=torch.from_numpy(edge_attr).repeat(2, 1),
        edge_weight=torch.from_numpy(weight).repeat(2),
    )


def to_ogb(n, edges, weight, x, edge_attr):
    return {
        "num_nodes": n,
        "edge_index": edges.T,
        "edge_weight": weight,
        "node_feat": x,
        "edge_feat": edge_attr,
    }


def to_scipy(n, edges, weight, x, edge_attr):
    upper = sparse.csr_array((weight, edges.T), shape=(n, n))
    return (upper + upper.T).tocsr(), x, edge_attr


def to_tables(graphs):
    edges = pd.concat(
        pd.DataFrame(
            {
                "graph": g,
                "source": edges[:, 0],
                "target": edges[:, 1],
                "weight": weight,
                "edge_attr": edge_attr[:, 0],
            }
        )
        for g, (_, edges, weight, _, edge_attr) in enumerate(graphs)
    )
    nodes = pd.concat(
        pd.DataFrame({"graph": g, "node": range(n), "x0": x[:, 0], "x1": x[:, 1]})
        for g, (n, _, _, x, _) in enumerate(graphs)
    )
    return edges, nodes


def in_every_kind(ten):
    """Collections of the same graphs by the kind they came in."""
    kinds = {
        f.__name__: as_graphs([f(*graph) for graph in ten])
        for f in (to_networkx, to_igraph, to_pyg, to_ogb, to_scipy)
    }
    edges, nodes = to_tables(ten)
    # Rows in any order.
    kinds["table"] = graphs_from_edgelist(
        edges.sample(frac=1, random_state=0),
        weight="weight",
        edge_attrs=["edge_attr"],
        nodes=nodes,
        node_attrs=["x0", "x1"],
    )
    kinds["flat"] = from_edges(
        np.concatenate([edges for _, edges, *_ in ten]),
        [len(edges) for _, edges, *_ in ten],
        [n for n, *_ in ten],
        x=np.concatenate([x for *_, x, _ in ten]),
        edge_attr=np.concatenate([edge_attr for *_, edge_attr in ten]),
        edge_weight=np.concatenate([weight for _, _, weight, *_ in ten]),
    )
    kinds["collection"] = as_graphs(list(kinds["to_pyg"]))
    return kinds


def test_every_kind_gives_the_same_arrays(ten):
    kinds = in_every_kind(ten)
    expected = kinds["to_pyg"]
    for name, graphs in kinds.items():
        assert graphs.node_ptr.tolist() == expected.node_ptr.tolist(), name
        assert graphs.edges.tolist() == expected.edges.tolist(), name
        assert np.array_equal(graphs.edge_weight, expected.edge_weight), name
        for side in ("node_features", "edge_features"):
            one, other = (getattr(g, side).numeric for g in (graphs, expected))
            assert np.array_equal(one, other), name


def test_every_kind_is_predicted_identically(ten):
    from sklearn.pipeline import make_pipeline

    from skshake import SHAKEClassifier

    y = np.arange(10) % 2
    predictions = []
    for name, graphs in in_every_kind(ten).items():
        if name == "table":
            # Its columns have names of their own, but the same place.
            graphs = from_edges(
                graphs.edges,
                np.diff(graphs.edge_ptr),
                np.diff(graphs.node_ptr),
                x=graphs.node_features.numeric,
                edge_attr=graphs.edge_features.numeric,
                edge_weight=graphs.edge_weight,
            )
        model = make_pipeline(
            KFCoarsener(q=1.0, random_state=0),
            SHAKEClassifier(max_iter=2, random_state=0),
        )
        predictions.append(model.fit(graphs, y).predict_proba(graphs))
    assert len(predictions) == 8
    for other in predictions[1:]:
        assert np.array_equal(predictions[0], other)


def test_generators_datasets_and_object_arrays_are_lists(ten):
    expected = as_graphs([to_pyg(*graph) for graph in ten])

    class Lazy(InMemoryDataset):
        def __init__(self, items):
            super().__init__()
            self.data, self.slices = self.collate(items)

    class Sized:
        def __len__(self):
            return len(ten)

        def __getitem__(self, i):
            if i >= len(ten):
                raise IndexError(i)
            return to_pyg(*ten[i])

    items = [to_pyg(*graph) for graph in ten]
    array = np.empty(len(ten), object)
    array[:] = items
    dataset = Lazy(items)
    for graphs in (iter(items), dataset, dataset[:10], Sized(), array, tuple(items)):
        assert as_graphs(graphs).edges.tolist() == expected.edges.tolist()


def test_equal_sized_matrices_are_one_graph_each():
    matrices = np.ones((3, 4, 4)) - np.eye(4)
    for graphs in (matrices, list(matrices)):
        assert np.diff(as_graphs(graphs).edge_ptr).tolist() == [6, 6, 6]


def test_a_tuple_of_square_matrices_could_be_anything():
    matrix = np.ones((3, 3)) - np.eye(3)
    with pytest.raises(TypeError, match="may be one graph"):
        as_graphs((matrix, matrix))
    assert len(as_graphs([matrix, matrix])) == len(as_graphs((matrix,) * 4)) - 2 == 2


def test_names_of_attributes_are_a_list():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "ab")
    with pytest.raises(TypeError, match="node_attrs: expected a list"):
        as_graphs([graph], node_attrs="ab")
    read = as_graphs([graph, graph], node_attrs=iter(["ab"]))
    assert read.node_features.n_columns == 1


BAD = {
    "something else": (
        object(),
        TypeError,
        "Graph 1 is of type object; expected a net",
    ),
    "no edge_index": ({"x": 1}, TypeError, "Graph 1 is of type dict"),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_name_the_graph_and_the_field(case):
    graph, error, message = BAD[case]
    with pytest.raises(error, match=message):
        as_graphs([as_ogb(), graph])
