"""The same ten graphs in every kind that users have, and what each kind adds."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from rdkit import Chem
from scipy import sparse
from torch_geometric.data import Data, InMemoryDataset

from skshake import (
    KFCoarsener,
    MoleculeFeaturizer,
    as_graphs,
    from_edges,
    graphs_from_edgelist,
)


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


def test_columns_of_objects_are_numbers_or_strings_each():
    x = np.array([["a", 1.5], ["b", 2.0], ["a", 3.0]], object)
    features = as_graphs([(np.ones((3, 3)) - np.eye(3), x)]).node_features
    assert [(f.name, f.is_categorical) for f in features.fields] == [
        ("x[0]", True),
        ("x[1]", False),
    ]
    assert features.numeric[:, 0].tolist() == [1.5, 2.0, 3.0]


def test_a_list_names_the_categories(ten):
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


def test_missing_attributes_get_their_default():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): 2.0}, "weight")
    nx.set_node_attributes(graph, {0: "C"}, "element")
    with pytest.raises(ValueError, match=r"Graph 0: edge \(1, 2\) has no attribute"):
        as_graphs([graph], node_attrs=[])
    read = as_graphs([graph], defaults={"weight": 1.0, "element": "?"})
    assert read.edge_weight.tolist() == [2.0, 1.0]
    assert len(np.unique(read.node_features.categories)) == 2


def test_strings_and_numbers_do_not_mix():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: "C", 1: 1.0}, "element")
    with pytest.raises(TypeError, match=r"Graph 0: node attribute 'element'.*both"):
        as_graphs([graph])
    one, other = nx.path_graph(2), nx.path_graph(2)
    nx.set_node_attributes(one, "C", "element")
    nx.set_node_attributes(other, 1.0, "element")
    with pytest.raises(TypeError, match="Graph 1: element holds float64"):
        as_graphs([one, other])


def test_molecules_and_smiles():
    smiles = ["CCO", "c1ccccc1", "[Na+].[Cl-]"]
    expected = MoleculeFeaturizer().fit_transform(smiles)
    assert np.diff(expected.node_ptr).tolist() == [3, 6, 2]
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    for graphs in (as_graphs(molecules), MoleculeFeaturizer().transform(molecules)):
        categories = graphs.node_features.categories
        assert np.array_equal(categories, expected.node_features.categories)
    with pytest.raises(TypeError, match=r"Graph 0 is of type str.*MoleculeFeaturizer"):
        as_graphs(smiles)


def test_invalid_smiles_are_named_or_kept_as_empty_graphs():
    smiles = ["CCO", "no molecule", "C1CC"]
    with pytest.raises(ValueError, match=r"Graph 1: 'no molecule'.*Graph 2: 'C1CC'"):
        MoleculeFeaturizer().fit_transform(smiles)
    with pytest.warns(UserWarning, match=r"2 of 3 molecules are invalid .*: 1, 2 "):
        graphs = MoleculeFeaturizer(on_invalid="empty").fit_transform(smiles)
    assert np.diff(graphs.node_ptr).tolist() == [3, 0, 0]
    for bad, error in (("CCO", TypeError), ([], ValueError), (3, TypeError)):
        with pytest.raises(error, match="expected"):
            MoleculeFeaturizer().transform(bad)


EDGES = pd.DataFrame(
    {"graph": ["b", "a", "a"], "source": [1, 5, 6], "target": [2, 6, 7]}
)
NODES = pd.DataFrame(
    {"graph": list("aaaabb"), "node": [7, 6, 5, 9, 1, 2], "f": np.arange(6.0)}
)


def test_tables_follow_the_order_that_is_asked_for():
    graphs = graphs_from_edgelist(
        EDGES, nodes=NODES, node_attrs=["f"], graph_ids=["b", "none", "a"]
    )
    assert np.diff(graphs.node_ptr).tolist() == [2, 0, 4]
    assert graphs.node_features.numeric[:, 0].tolist() == [4, 5, 0, 1, 2, 3]
    assert graphs[2].edges.tolist() == [[0, 1], [1, 2]]
    assert np.diff(graphs_from_edgelist(EDGES).node_ptr).tolist() == [3, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": NODES[:3]}, "an edge of graph b joins node 1, which has no row"),
        ({"graph": "g"}, "edges: expected a column 'g'"),
        ({"graph_ids": ["a", "a"]}, "graph_ids: expected at least one, each once"),
        ({"nodes": pd.concat([NODES, NODES[:1]])}, "node 7 comes twice in graph a"),
        ({"node_attrs": ["f"]}, "expected a table `nodes`"),
        ({"edges": EDGES.assign(source=[1, None, 6])}, "'source' is missing in row 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_tables_are_refused(changes, message):
    arguments = {"edges": EDGES, **changes}
    with pytest.raises(ValueError, match=message):
        graphs_from_edgelist(arguments.pop("edges"), **arguments)


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


def test_a_tuple_of_square_matrices_could_be_anything():
    matrix = np.ones((3, 3)) - np.eye(3)
    with pytest.raises(TypeError, match="may be one graph"):
        as_graphs((matrix, matrix))
    assert len(as_graphs([matrix, matrix])) == len(as_graphs((matrix,) * 4)) - 2 == 2


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


def test_text_does_not_stand_in_for_numbers():
    text, number, code = (nx.path_graph(3) for _ in range(3))
    nx.set_node_attributes(text, "1.5", "value")
    nx.set_node_attributes(number, 1.5, "value")
    nx.set_node_attributes(code, 1, "value")
    for fitted, other in ((number, text), (text, number), (text, code), (code, text)):
        coarsener = KFCoarsener(q=np.inf).fit([fitted] * 2)
        with pytest.raises(ValueError, match="features were fitted as 1"):
            coarsener.transform([other])


def test_defaults_reach_graphs_without_the_attribute():
    full, bare = nx.path_graph(3), nx.path_graph(3)
    full.add_edge(0, 1, weight=5.0)
    nx.set_node_attributes(full, "C", "element")
    read = as_graphs([full, bare], defaults={"weight": 2.0, "element": "?"})
    assert read.edge_weight.tolist() == [5.0, 2.0, 2.0, 2.0]
    assert len(np.unique(read.node_features.categories)) == 2


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


def test_names_of_attributes_are_a_list():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.0, "ab")
    with pytest.raises(TypeError, match="node_attrs: expected a list"):
        as_graphs([graph], node_attrs="ab")
    read = as_graphs([graph, graph], node_attrs=iter(["ab"]))
    assert read.node_features.n_columns == 1


def test_text_and_numbers_are_never_the_same_name():
    with pytest.raises(TypeError, match="names of nodes: expected either text"):
        graphs_from_edgelist(EDGES.assign(source=["1", "5", "6"]))
    with pytest.raises(TypeError, match="names of graphs: expected either text"):
        graphs_from_edgelist(EDGES, graph_ids=[1, 2])
    with pytest.raises(ValueError, match="no row of the tables names any"):
        graphs_from_edgelist(EDGES, graph_ids=["x", "y"])


def test_a_column_of_smiles():
    expected = MoleculeFeaturizer().transform(["CCO", "CC"])
    table = pd.DataFrame({"smiles": ["CCO", "CC"]})
    for column in (table, table.to_numpy(), table["smiles"]):
        graphs = MoleculeFeaturizer(on_invalid="empty").transform(column)
        assert graphs.node_ptr.tolist() == expected.node_ptr.tolist()
    with pytest.raises(ValueError, match="or one column of them"):
        MoleculeFeaturizer().transform(table.assign(more=1))
    for missing in (None, np.nan, " "):
        with pytest.raises(ValueError, match="Graph 1: expected a SMILES"):
            MoleculeFeaturizer().transform(["C", missing])
    with pytest.raises(TypeError, match="Graph 0: expected a SMILES, got 7"):
        MoleculeFeaturizer(on_invalid="empty").transform([7])
