"""What directions say becomes features, and nothing else changes."""

import warnings

import igraph
import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from skshake import (
    InvalidGraphError,
    KFCoarsener,
    SHAKEClassifier,
    as_graphs,
    check_graphs,
    from_edges,
)


def columns(features):
    """Flat columns by name."""
    return {name: values.ravel() for name, values in features.columns().items()}


def payments():
    """a pays b twice, b and c pay each other, d pays itself."""
    graph = nx.MultiDiGraph()
    for payer, payee, amount, weight in (
        ("a", "b", 2.0, 1.0),
        ("a", "b", 4.0, 3.0),
        ("b", "c", 5.0, 1.0),
        ("c", "b", 7.0, 2.0),
        ("d", "d", 9.0, 1.0),
    ):
        graph.add_edge(payer, payee, amount=amount, weight=weight)
    return graph


def random_digraph(rng, n=12):
    """Arcs between some nodes, with an amount each."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    for u, v in np.argwhere(rng.random((n, n)) < 0.2).tolist():
        if u != v:
            amount, weight = rng.integers(1, 99) / 4, rng.integers(1, 9) / 2
            graph.add_edge(u, v, amount=amount, weight=weight)
    return graph


def test_degrees_sums_and_parts_by_hand():
    graphs = as_graphs([payments()], directed=True)
    assert graphs[0].node_names.tolist() == ["a", "b", "c", "d"]
    nodes, edges = columns(graphs.node_features), columns(graphs.edge_features)
    assert nodes["in_degree_bin"].tolist() == [0, 3, 1, 0]
    assert nodes["out_degree_bin"].tolist() == [2, 1, 1, 0]
    assert nodes["in_degree"] == pytest.approx(np.log1p([0, 3, 1, 0]))
    assert nodes["out_degree"] == pytest.approx(np.log1p([2, 1, 1, 0]))
    assert nodes["in_amount"].tolist() == [0, 13, 5, 0]
    assert nodes["out_amount"].tolist() == [6, 5, 7, 0]
    assert nodes["in_weight"].tolist() == [0, 6, 1, 0]
    assert nodes["out_weight"].tolist() == [4, 1, 2, 0]
    # b has more neighbours than a and c: forward is towards b.
    assert graphs.edges.tolist() == [[0, 1], [1, 2]]
    assert edges["amount"].tolist() == [3, 6]
    assert edges["amount_forward"].tolist() == [3, 7]
    assert edges["amount_backward"].tolist() == [0, 5]
    assert edges["weight_forward"].tolist() == [4, 2]
    assert edges["weight_backward"].tolist() == [0, 1]


def test_where_both_ends_are_alike_both_parts_are_the_mean():
    graphs = as_graphs([nx.DiGraph([(0, 1)])], directed=True)
    edges = columns(graphs.edge_features)
    assert (
        edges["weight_forward"].tolist() == edges["weight_backward"].tolist() == [0.5]
    )


def test_reversing_all_edges_swaps_every_pair(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    some = [random_digraph(rng) for _ in range(5)]
    there = as_graphs(some, directed=True)
    back = as_graphs([graph.reverse() for graph in some], directed=True)
    assert np.array_equal(there.edges, back.edges)
    assert np.array_equal(there.edge_weight, back.edge_weight)
    one, other = columns(there.node_features), columns(back.node_features)
    for name, values in one.items():
        way, _, rest = name.partition("_")
        assert np.array_equal(
            values, other[f"{'out' if way == 'in' else 'in'}_{rest}"]
        ), name
    one, other = columns(there.edge_features), columns(back.edge_features)
    for name, values in one.items():
        turned = name.replace("_forward", "_x").replace("_backward", "_forward")
        assert np.array_equal(values, other[turned.replace("_x", "_backward")]), name


def test_numbers_of_nodes_do_not_matter(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    graph = random_digraph(rng)
    order = rng.permutation(len(graph)).tolist()
    other = nx.DiGraph()
    other.add_nodes_from(order)
    other.add_edges_from(list(graph.edges(data=True))[::-1])
    one, two = as_graphs([graph], directed=True), as_graphs([other], directed=True)
    place = np.argsort(order)
    for name, values in columns(one.node_features).items():
        assert np.array_equal(values, columns(two.node_features)[name][place]), name
    numbers = {tuple(sorted(edge)): k for k, edge in enumerate(two.edges.tolist())}
    match = [numbers[tuple(sorted(place[edge].tolist()))] for edge in one.edges]
    for name, values in columns(one.edge_features).items():
        assert np.array_equal(values, columns(two.edge_features)[name][match]), name


def test_every_kind_says_the_same(global_random_seed):
    graph = random_digraph(np.random.default_rng(global_random_seed))
    arcs = np.array([*graph.edges], int).reshape(-1, 2)
    weight = np.array([w for *_, w in graph.edges(data="weight")])
    amount = np.array([a for *_, a in graph.edges(data="amount")])
    ogb = {"num_nodes": len(graph), "edge_index": arcs.T, "edge_weight": weight}
    ogb["amount"] = amount
    table = from_edges(
        arcs,
        [len(arcs)],
        [len(graph)],
        edge_attr=np.rec.fromarrays([amount], names="amount"),
        edge_weight=weight,
        directed=True,
    )
    read = [
        as_graphs([graph], directed=True),
        as_graphs([igraph.Graph.from_networkx(graph)], directed=True),
        as_graphs([ogb], directed=True, edge_attrs=["amount"]),
        table,
    ]
    assert len({graphs.fingerprints[0] for graphs in read}) == 1
    matrix = sparse.csr_array((weight, arcs.T), (len(graph),) * 2)
    plain = as_graphs([graph], directed=True, edge_attrs=[])
    assert plain.fingerprints == as_graphs([matrix], directed=True).fingerprints


@pytest.mark.parametrize("make", [nx.Graph, nx.MultiGraph, "igraph"])
def test_edges_of_undirected_graphs_go_both_ways(make):
    star = nx.star_graph(3)
    nx.set_edge_attributes(star, 2.0, "amount")
    graph = igraph.Graph.from_networkx(star) if make == "igraph" else make(star)
    mixed = as_graphs([graph, nx.DiGraph(star)], directed=True)
    assert mixed.fingerprints[0] == mixed.fingerprints[1]
    nodes = columns(mixed[:1].node_features)
    assert nodes["in_amount"].tolist() == nodes["out_amount"].tolist() == [6, 2, 2, 2]


def test_what_directions_say_is_lost_with_one_warning():
    star = nx.DiGraph(nx.star_graph(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The other way round each edge says the same.
        as_graphs([star])
        as_graphs([payments()] * 3, directed=False)
        as_graphs([payments()] * 3, directed=True)
    star.edges[0, 1]["weight"] = 2.0
    nx.set_edge_attributes(star, dict.fromkeys(list(star.edges)[1:], 1.0), "weight")
    one_way = igraph.Graph([(0, 1)], directed=True)
    for graphs in ([payments()] * 3, [star], [one_way, nx.path_graph(3)]):
        with pytest.warns(UserWarning, match=r"directed=True\) keeps") as caught:
            as_graphs(graphs)
        assert len(caught) == 1
        assert caught[0].filename == __file__
    one_way = payments()
    with pytest.warns(UserWarning, match=r"directed=True\) keeps"):
        KFCoarsener(q=np.inf).fit([one_way, one_way])


def test_what_cannot_have_directions_is_refused():
    path = nx.path_graph(3)
    with pytest.raises(InvalidGraphError, match="have no directions any more"):
        as_graphs(as_graphs([path]), directed=True)
    with pytest.raises(InvalidGraphError, match=r"Graph 1.*no directions any more"):
        as_graphs([path, as_graphs([path])[0]], directed=True)
    nx.set_node_attributes(path, 1.0, "in_degree")
    with pytest.raises(InvalidGraphError, match="adds the node feature 'in_degree'"):
        as_graphs([path], directed=True)
    (problem,) = check_graphs([path], directed=True)
    assert problem.graph == 0
    assert problem.field == "in_degree"
    with pytest.raises(TypeError, match="directed: expected True, False or None"):
        as_graphs([path], directed="yes")


def test_sums_beyond_float32_name_the_graph_and_the_feature():
    star = nx.DiGraph([(0, 2), (1, 2)])
    nx.set_edge_attributes(star, 3e38, "amount")
    with pytest.raises(InvalidGraphError, match=r"Graph 1: in_amount: 6e\+38 exceeds"):
        as_graphs([nx.DiGraph(), star], directed=True)


def test_collections_keep_their_directions():
    graphs = as_graphs([payments()], directed=True)
    for again in (graphs, list(graphs)):
        read = as_graphs(again, directed=True)
        assert read.fingerprints.tolist() == graphs.fingerprints.tolist()


def test_graphs_without_edges_have_empty_sums():
    train = as_graphs([payments(), payments().reverse()] * 5, directed=True)
    lonely = nx.DiGraph()
    lonely.add_nodes_from("ab")
    model = KFCoarsener(q=1.0, random_state=0).fit(train)
    alone = model.transform(as_graphs([lonely], directed=True))
    beside = model.transform(as_graphs([payments(), lonely], directed=True))
    for one, other in zip(alone.levels, beside[1:].levels, strict=True):
        assert np.array_equal(one.x.numeric, other.x.numeric)
    assert model.check(as_graphs([lonely], directed=True)) == []
    # A graph with edges has to say what they carry.
    with pytest.raises(InvalidGraphError, match="missing: 'amount'"):
        model.transform(as_graphs([nx.DiGraph([(0, 1)])], directed=True))


def rivers(n_graphs, rng):
    """Random trees, all edges towards the root or all away from it: the class."""
    graphs, y = [], np.arange(n_graphs) % 2
    for label in y:
        n = int(rng.integers(8, 16))
        ends = [(child, int(rng.integers(child))) for child in range(1, n)]
        graphs.append(nx.DiGraph([(v, u) if label else (u, v) for u, v in ends]))
    return graphs, y


def test_a_class_that_is_the_direction_alone_is_learnt(global_random_seed):
    graphs, y = rivers(80, np.random.default_rng(global_random_seed))
    turned = [graph.reverse() for graph in graphs]
    one, other = (as_graphs(some, directed=False) for some in (graphs, turned))
    # Without directions both classes are the same graphs: nothing beats chance.
    assert one.fingerprints.tolist() == other.fingerprints.tolist()
    read = as_graphs(graphs, directed=True)
    model = SHAKEClassifier(max_iter=20, random_state=0).fit(read[:60], y[:60])
    # Trainings with other seeds reach 1.0.
    assert model.score(read[60:], y[60:]) > 0.8
