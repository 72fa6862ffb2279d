"""as_graphs: one collection from every kind of graph, errors that name the graph."""

import numpy as np
import pytest

from skshake import GraphCollection, as_graphs
from tests._helpers.kinds import (
    EDGE_ATTR,
    EDGES,
    KINDS,
    ORDER,
    WEIGHT,
    X,
    as_matrix,
    as_networkx,
    as_ogb,
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_the_same_graph(kind):
    graphs = as_graphs([KINDS[kind]()])
    assert graphs.edges.tolist() == [list(EDGES[k]) for k in ORDER]
    np.testing.assert_allclose(graphs[0].x, X.astype(np.float32))
    np.testing.assert_allclose(graphs[0].edge_attr, EDGE_ATTR[ORDER].astype(np.float32))
    np.testing.assert_allclose(graphs[0].edge_weight, WEIGHT[ORDER])


def test_mixed_kinds_keep_their_order():
    graphs = as_graphs([KINDS[kind]() for kind in KINDS] + [as_networkx()])
    assert len(graphs) == len(KINDS) + 1
    assert graphs.node_ptr.tolist() == [0, 4, 8, 12, 16, 20, 24]


def test_collections_and_their_views_come_back_as_they_are(mutag):
    graphs, _ = mutag
    assert as_graphs(graphs) is graphs
    views = [graphs[i] for i in (3, 5, 3)]
    again = as_graphs(views)
    assert again.edges.tolist() == graphs[[3, 5, 3]].edges.tolist()


def test_a_dataset_of_labelled_ogb_items_without_an_iterator():
    class Dataset:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return as_ogb(), np.array([i])

    assert len(as_graphs(Dataset())) == 2


def test_a_generator_is_consumed_once_and_safely():
    assert len(as_graphs(as_matrix() for _ in range(3))) == 3


def test_a_stack_of_matrices_and_an_object_array_are_lists_of_graphs():
    assert len(as_graphs(np.stack([as_matrix()] * 3))) == 3
    objects = np.empty(2, object)
    objects[:] = [as_networkx(), as_networkx()]
    assert len(as_graphs(objects)) == 2


@pytest.mark.parametrize("kind", [*KINDS, "networkx"])
def test_a_lone_graph_is_refused_with_advice(kind):
    graph = as_networkx() if kind == "networkx" else KINDS[kind]()
    with pytest.raises(TypeError, match="wrap it in a list"):
        as_graphs(graph)


@pytest.mark.parametrize("graphs", [[], (), np.empty(0)])
def test_an_empty_list_is_refused(graphs):
    with pytest.raises(ValueError, match="at least one graph"):
        as_graphs(graphs)


@pytest.mark.parametrize("graphs", ["abc", 3, None])
def test_something_else_is_refused(graphs):
    with pytest.raises(TypeError, match="expected a list of graphs"):
        as_graphs(graphs)


def test_input_is_never_written():
    x, matrix = X.copy(), as_matrix()
    x.flags.writeable = matrix.flags.writeable = False
    assert isinstance(as_graphs([(matrix, x)]), GraphCollection)
