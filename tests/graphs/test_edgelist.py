"""Tables of edges and nodes to graphs."""

import numpy as np
import pandas as pd
import pytest

from skshake import graphs_from_edgelist

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


def test_text_and_numbers_are_never_the_same_name():
    with pytest.raises(TypeError, match="names of nodes: expected either text"):
        graphs_from_edgelist(EDGES.assign(source=["1", "5", "6"]))
    with pytest.raises(TypeError, match="names of graphs: expected either text"):
        graphs_from_edgelist(EDGES, graph_ids=[1, 2])
    with pytest.raises(ValueError, match="no row of the tables names any"):
        graphs_from_edgelist(EDGES, graph_ids=["x", "y"])
