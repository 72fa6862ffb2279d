"""check_graphs finds what as_graphs would refuse, graph by graph."""

import numpy as np
import pytest

from skshake import InvalidGraphError, as_graphs, check_graphs
from skshake.graphs import NO_NAMES, check_items, name_graph
from skshake.graphs._checking import GROUP_SIZE
from tests._helpers.kinds import KINDS, X, as_networkx, as_ogb


@pytest.mark.parametrize("kind", [*KINDS, "networkx"])
def test_good_graphs_have_no_problems(kind):
    make = as_networkx if kind == "networkx" else KINDS[kind]
    assert check_graphs([make() for _ in range(3)]) == []


def test_each_problem_by_hand():
    graphs = [
        as_ogb(),
        as_ogb(num_nodes=2, node_feat=X[:2]),
        "text",
        as_ogb(node_feat=X * np.nan),
        as_ogb(),
        as_ogb(edge_weight=[-1.0] * 4),
    ]
    found = check_graphs(graphs)
    assert [(problem.graph, problem.field) for problem in found] == [
        (1, "edge_index"),
        (2, None),
        (3, "x"),
        (5, "edge_weight"),
    ]
    assert found[1].message.startswith("Graph 2 is of type str")
    assert found[2].message.startswith("Graph 3: x holds nan")


BREAKS = [
    lambda: as_ogb(node_feat=X + np.inf),
    lambda: as_ogb(node_feat=X[:, :1]),
    lambda: as_ogb(node_feat=None),
    lambda: as_ogb(edge_index=np.zeros((4, 3), int)),
    lambda: as_ogb(edge_weight=np.zeros(4)),
    lambda: as_ogb(num_nodes=3, node_feat=X[:3]),
    lambda: 3,
]


@pytest.mark.parametrize("n_graphs", [10, 2 * GROUP_SIZE + 5])
def test_every_fault_is_found_and_the_others_can_be_read(n_graphs, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_broken = rng.integers(1, 5)
    broken = np.sort(rng.choice(n_graphs, n_broken, replace=False))
    graphs = [as_ogb() for _ in range(n_graphs)]
    for i in broken:
        graphs[i] = BREAKS[rng.integers(len(BREAKS))]()
    problems = check_graphs(graphs)
    assert [problem.graph for problem in problems] == broken.tolist()
    with pytest.raises(InvalidGraphError):
        as_graphs(graphs)
    kept = [graph for i, graph in enumerate(graphs) if i not in broken]
    assert len(as_graphs(kept)) == n_graphs - n_broken


def test_most_graphs_decide_which_features_are_expected():
    odd, usual = as_ogb(node_feat=X[:, :1]), as_ogb()
    problems = check_graphs([odd, usual, usual])
    assert [problem.graph for problem in problems] == [0]
    assert "2 numeric column(s) of 'x'" in problems[0].message
    assert "those of graph 1 and most others" in problems[0].message
    # Of equally many, the first.
    assert [problem.graph for problem in check_graphs([odd, usual])] == [1]
    # Graphs without nodes have any features.
    empty = {"edge_index": np.empty((2, 0), int), "num_nodes": 0}
    assert check_graphs([empty, usual, empty]) == []


def test_whole_numbers_beside_fractions_are_numbers():
    # A category of more than 32 bits would be none, a number is one.
    large = as_ogb(node_feat=np.full((4, 2), 2**40))
    assert check_graphs([as_ogb(), large]) == []
    assert [p.graph for p in check_graphs([large, large])] == [0, 1]


def test_problems_with_what_was_fitted_go_to_their_graph():
    def match(graphs):
        widths = graphs.node_features.widths
        if len(graphs.node_features) and widths != (2, 0):
            raise InvalidGraphError(f"the node features are {widths}", field="x")

    graphs = [as_ogb(), as_ogb(node_feat=X[:, :1]), as_ogb()]
    found = check_items(graphs, "from_dtype", NO_NAMES, match)
    assert [(p.graph, p.field) for p in found] == [(1, "x")]
    assert found[0].message == "Graph 1: the node features are (1, 0)"
    error = InvalidGraphError("all together")
    named = name_graph(error, graphs, "from_dtype", match)
    assert (named.graph, named.problem) == (1, "the node features are (1, 0)")
    assert name_graph(error, [as_ogb()], "from_dtype", match) is error


def test_what_is_no_list_of_graphs_is_an_error():
    for graphs in ([], "abc", as_ogb()):
        with pytest.raises(ValueError, match=r"expected|wrap it"):
            check_graphs(graphs)
    with pytest.raises(ValueError, match="no attribute is called 'y'"):
        check_graphs([as_ogb()], categorical_features=["y"])
