"""Features of new graphs against the fields that were fitted."""

import networkx as nx
import numpy as np
import pytest

from skshake import KFCoarsener
from tests._helpers import assert_same_hierarchies


def test_text_does_not_stand_in_for_numbers():
    text, number, code = (nx.path_graph(3) for _ in range(3))
    nx.set_node_attributes(text, "1.5", "value")
    nx.set_node_attributes(number, 1.5, "value")
    nx.set_node_attributes(code, 1, "value")
    for fitted, other in ((number, text), (text, number), (text, code), (code, text)):
        coarsener = KFCoarsener(q=np.inf).fit([fitted] * 2)
        with pytest.raises(ValueError, match="features were fitted as 1"):
            coarsener.transform([other])


def test_integers_stand_in_for_fitted_floats(triangle_with_tail):
    coarsener = KFCoarsener(q=np.inf, walk_length=0).fit(
        [(triangle_with_tail, np.ones((5, 2)))]
    )
    x = coarsener.transform([(triangle_with_tail, np.ones((5, 2), int))])[0].levels[0].x
    assert x.tolist() == np.ones((5, 2)).tolist()


def test_other_features_than_fitted_are_refused(triangle_with_tail):
    coarsener = KFCoarsener(q=np.inf).fit([(triangle_with_tail, np.ones((5, 2)))])
    with pytest.raises(ValueError, match="node features were fitted as 2 numeric"):
        coarsener.transform([(triangle_with_tail, np.ones((5, 3)))])
    codes = KFCoarsener(q=np.inf).fit([(triangle_with_tail, np.ones((5, 1), int))])
    with pytest.raises(ValueError, match="fitted as 1 categorical"):
        codes.transform([(triangle_with_tail, np.ones((5, 1)))])
    with pytest.raises(ValueError, match="edge features were fitted as no features"):
        coarsener.transform([(triangle_with_tail, np.ones((5, 2)), np.ones((4, 3)))])
    plain = KFCoarsener(q=np.inf).fit([triangle_with_tail])
    with pytest.raises(ValueError, match="node features were fitted as no features"):
        plain.transform([(triangle_with_tail, np.ones((5, 1)))])


def test_fields_are_matched_by_name(triangle_with_tail):
    def path(a, b, names="ab"):
        graph = nx.path_graph(2)
        nx.set_node_attributes(graph, dict(enumerate(a)), names[0])
        nx.set_node_attributes(graph, dict(enumerate(b)), names[1])
        return graph

    coarsener = KFCoarsener(q=np.inf, walk_length=0).fit(
        [path([1.0, 2.0], [10.0, 20.0])]
    )
    x = coarsener.transform([path([1, 2], [10.0, 20.0])])[0].levels[0].x
    assert x.tolist() == [[1, 10], [2, 20]]
    with pytest.raises(ValueError, match="'c'"):
        coarsener.transform([path([1.0, 2.0], [10.0, 20.0], names="ac")])


def test_graphs_without_nodes_or_edges_need_no_features(triangle_with_tail):
    whole = (triangle_with_tail, np.ones((5, 2)), np.ones((4, 3), int))
    bare = (np.zeros((2, 2)), np.ones((2, 2)))
    coarsener = KFCoarsener(q=np.inf).fit([whole])
    for graphs in ([bare], [np.zeros((0, 0))], [(*bare, np.empty((0, 3), int))]):
        alone = coarsener.transform(graphs)
        assert_same_hierarchies(alone, coarsener.transform([whole, *graphs])[[1]])
