"""Names of graphs and nodes come along, and nothing depends on them."""

import datetime
import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
from joblib import hash as content_hash
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skshake import GraphCollection, KFCoarsener, SHAKEClassifier, as_graphs
from skshake.graphs import concatenate_graphs
from skshake.graphs._names import NameColumn, as_names, join_names


def named(letter, n):
    """A path with names for itself and its nodes."""
    graph = nx.relabel_nodes(nx.path_graph(n), {i: f"{letter}{i}" for i in range(n)})
    graph.graph["name"] = f"case {letter}"
    return graph


def all_names(graphs):
    """Names of graphs and nodes, as lists."""
    return [(graph.name, graph.node_names.tolist()) for graph in graphs]


@pytest.fixture
def graphs():
    return as_graphs([named("a", 3), named("b", 2), nx.path_graph(2), named("c", 4)])


EXPECTED = [
    ("case a", ["a0", "a1", "a2"]),
    ("case b", ["b0", "b1"]),
    (2, [0, 1]),
    ("case c", ["c0", "c1", "c2", "c3"]),
]


def test_networkx_and_igraph_have_names(graphs):
    assert all_names(graphs) == EXPECTED
    assert graphs.names.tolist() == [name for name, _ in EXPECTED]
    other = igraph.Graph([(0, 1)])
    other.vs["name"], other["name"] = ["u", "v"], "some"
    assert all_names(as_graphs([other])) == [("some", ["u", "v"])]
    from_nx = igraph.Graph.from_networkx(named("a", 3))
    assert as_graphs([from_nx])[0].node_names.tolist() == ["a0", "a1", "a2"]
    grid = as_graphs([nx.grid_2d_graph(1, 2)])
    assert grid[0].node_names.tolist() == [(0, 0), (0, 1)]


def test_positions_stand_for_names_that_are_not_given():
    graphs = as_graphs([nx.path_graph(2), np.ones((3, 3))])
    assert graphs.given_names is None
    assert graphs.names.tolist() == [0, 1]
    assert graphs[1].node_names.tolist() == [0, 1, 2]
    assert graphs[1:].names.tolist() == [0]


def test_names_follow_every_choice(graphs, tmp_path):
    for key in ([3, 0], slice(1, 3), slice(None, None, -2), [False, True, True, True]):
        chosen = np.arange(4)[key]
        expected = [EXPECTED[k] for k in chosen]
        assert all_names(graphs[key]) == expected
        assert all_names(as_graphs([graphs[int(k)] for k in chosen])) == expected
        # Once more, of what was chosen.
        assert all_names(graphs[key][[0, 0]]) == [expected[0]] * 2
        assert all_names(pickle.loads(pickle.dumps(graphs[key]))) == expected
        graphs[key].save(tmp_path / "graphs.npz")
        assert all_names(GraphCollection.load(tmp_path / "graphs.npz")) == expected
    joined = concatenate_graphs([graphs[2:], as_graphs([nx.path_graph(2)]), graphs[:1]])
    assert all_names(joined) == [*EXPECTED[2:], (0, [0, 1]), EXPECTED[0]]
    mixed = as_graphs([graphs[3], nx.path_graph(2)])
    assert all_names(mixed) == [EXPECTED[3], (1, [0, 1])]


def test_a_slice_is_pickled_without_the_names_of_others(graphs):
    one, two = graphs.take(np.array([0])), graphs[:1]
    for part in (one, two):
        assert b"case c" not in pickle.dumps(part)


def test_names_go_with_hierarchies_and_their_files(graphs, tmp_path):
    model = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(graphs)
    hierarchies = model.transform(graphs)
    assert all_names(hierarchies) == EXPECTED
    assert hierarchies.names.tolist() == [name for name, _ in EXPECTED]
    chosen = hierarchies[[2, 1]]
    assert all_names(chosen) == [EXPECTED[2], EXPECTED[1]]
    chosen.save(tmp_path / "h.npz")
    for mode in (None, "r"):
        again = type(chosen).load(tmp_path / "h.npz", mmap_mode=mode)
        assert all_names(again) == [EXPECTED[2], EXPECTED[1]]


def test_nothing_that_is_computed_depends_on_names(graphs):
    bare = as_graphs(
        [
            nx.convert_node_labels_to_integers(g)
            for g in (named("a", 3), named("b", 2), nx.path_graph(2), named("c", 4))
        ]
    )
    assert graphs.fingerprints.tolist() == bare.fingerprints.tolist()
    model = KFCoarsener(q=1.0, random_state=0).fit(graphs)
    one, other = model.transform(graphs), model.transform(bare)
    assert content_hash(one.forests) == content_hash(other.forests)


def test_cross_validation_keeps_names():
    seen = []

    class Spy(KFCoarsener):
        def transform(self, X):
            seen.extend(graph.name for graph in as_graphs(X))
            return super().transform(X)

    graphs = as_graphs(
        [named(letter, 3 + k % 3) for k, letter in enumerate("abcdefgh")]
    )
    model = make_pipeline(Spy(q=1.0), SHAKEClassifier(hidden_dim=4, max_iter=1))
    for X in (graphs, list(graphs)):
        seen.clear()
        cross_val_predict(model, X, np.arange(8) % 2, cv=KFold(2))
        assert seen == [f"case {letter}" for letter in "abcdefgh"]


def test_names_of_any_type_survive_a_file(tmp_path):
    names = [("c", 1), ("c", datetime.date(2026, 1, 2)), 2.5, None, "x", 2**70]
    graph = nx.Graph()
    graph.add_nodes_from(name for name in names if name is not None)
    graphs = as_graphs([graph])
    graphs.save(tmp_path / "graphs.npz")
    again = GraphCollection.load(tmp_path / "graphs.npz")
    assert again[0].node_names.tolist() == [*graph]
    strange = nx.Graph()
    strange.add_node(frozenset("ab"))
    with pytest.raises(TypeError, match="names of nodes: a file can hold"):
        as_graphs([strange]).save(tmp_path / "other.npz")


def test_arrays_of_names_have_the_type_of_all():
    assert as_names(["a", "b"]).dtype.kind == "U"
    assert as_names([np.int64(3), 4]).dtype.kind == "i"
    assert as_names([2**64, 1]).tolist() == [2**64, 1]
    assert as_names([True, 1]).dtype == object
    text = NameColumn(np.array(["a", "b"]), np.array([1, 0, 1]))
    joined = join_names([(text, np.arange(3)), (None, np.arange(2))])
    assert joined.as_array().tolist() == ["b", "a", "b", 0, 1]
    again = join_names([(text.take(slice(2)), np.arange(2)), (text, np.arange(3))])
    assert again.values is text.values
    assert again.as_array().tolist() == ["b", "a", "b", "a", "b"]
