"""A graph at one level as a graph of other libraries."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

from skshake import as_graphs
from skshake.hierarchy._export import as_dense, to_networkx, to_pyg


def test_to_networkx(two_levels):
    graph, view = two_levels[7].to_networkx(1), two_levels[7].levels[1]
    assert isinstance(graph, nx.Graph)
    assert graph.number_of_nodes() == view.n_nodes
    assert {frozenset(e) for e in graph.edges} == {
        frozenset(e) for e in view.edges.tolist()
    }
    weights = nx.get_edge_attributes(graph, "weight")
    assert sum(weights.values()) == view.edge_weight.sum()
    assert (graph.nodes[0]["x"] == view.x.toarray()[0]).all()


def test_to_pyg_holds_both_arcs_of_each_edge(two_levels):
    data, view = two_levels[7].to_pyg(1), two_levels[7].levels[1]
    assert data.num_nodes == view.n_nodes
    assert data.is_undirected()
    assert data.edge_index.shape == (2, 2 * len(view.edges))
    assert data.edge_attr.shape[0] == data.edge_weight.shape[0] == 2 * len(view.edges)
    assert (data.x.numpy() == view.x.toarray()).all()


@dataclass
class View:
    """What a view of a graph at a level shows."""

    x: object = None
    edge_attr: object = None
    n_nodes: int = 3
    edges: np.ndarray = field(
        default_factory=lambda: np.array([[0, 1], [0, 2]], np.int32)
    )
    edge_weight: np.ndarray = field(
        default_factory=lambda: np.array([2.0, 0.5], np.float32)
    )


NUMBERS = np.array([[0.5], [1.5], [2.5]], np.float32)
SHARES = sparse.csr_array(np.array([[1.0, 0.0], [0.25, 0.75]], np.float32))


def test_networkx_by_hand():
    graph = to_networkx(View(NUMBERS, SHARES))
    assert list(graph) == [0, 1, 2]
    assert [graph.nodes[node]["x"].tolist() for node in graph] == NUMBERS.tolist()
    found = [
        (u, v, data["weight"], data["edge_attr"].tolist())
        for u, v, data in graph.edges(data=True)
    ]
    assert found == [(0, 1, 2.0, [1.0, 0.0]), (0, 2, 0.5, [0.25, 0.75])]
    bare = to_networkx(View())
    assert bare.nodes[0] == {}
    assert bare.edges[0, 1] == {"weight": 2.0}
    assert type(bare.edges[0, 1]["weight"]) is float


def test_pyg_by_hand():
    data = to_pyg(View(NUMBERS, SHARES))
    assert data.edge_index.tolist() == [[0, 0, 1, 2], [1, 2, 0, 0]]
    assert data.edge_weight.tolist() == [2.0, 0.5, 2.0, 0.5]
    assert data.edge_attr.tolist() == SHARES.toarray().tolist() * 2
    assert data.x.tolist() == NUMBERS.tolist()
    assert (data.x.dtype, data.edge_index.dtype) == (torch.float32, torch.int64)
    bare = to_pyg(View())
    assert bare.x is bare.edge_attr is None
    assert bare.num_nodes == 3


def test_features_are_dense():
    assert as_dense(None) is None
    assert as_dense(NUMBERS) is NUMBERS
    assert as_dense(SHARES).tolist() == SHARES.toarray().tolist()


@pytest.mark.parametrize("level", [0, 1])
def test_what_is_exported_is_read_as_the_same_graph(level, two_levels):
    for hierarchy in two_levels[:5]:
        view = hierarchy.levels[level]
        graphs = as_graphs([hierarchy.to_networkx(level), hierarchy.to_pyg(level)])
        for graph in graphs:
            assert graph.n_nodes == view.n_nodes
            assert graph.edges.tolist() == view.edges.tolist()
            assert graph.edge_weight.tolist() == view.edge_weight.tolist()
            assert (graph.x == view.x.toarray()).all()
            assert (graph.edge_attr == view.edge_attr.toarray()).all()
