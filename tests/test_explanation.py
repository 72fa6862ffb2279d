"""Explanation: a sequence of graphs' explanations, and names in its table."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from skshake import Explanation, as_graphs, graphs_from_edgelist
from skshake._explanation import names_of


@pytest.fixture
def explanation():
    graphs = as_graphs([np.ones((2, 2)), np.zeros((1, 1)), np.ones((3, 3))])
    values = np.arange(6.0)
    return Explanation(
        graphs,
        np.array([["a", "b", "a"]]),
        values[None],
        10 * values[None, :4],
        100 * values[None, :3],
        1000 * values[None, :3],
    )


def test_one_graph_is_taken_out(explanation):
    one = explanation[-1]
    assert len(explanation) == 3
    assert len(one) == 1
    assert one.nodes.tolist() == [[3, 4, 5]]
    assert one.edges.tolist() == [[10, 20, 30]]
    assert one.baselines.tolist() == [[200]]
    assert one.outputs.tolist() == [[2000]]
    assert one.labels.tolist() == [["a"]]
    assert "1 graphs" in repr(one)
    with pytest.raises(IndexError):
        explanation[3]
    with pytest.raises(TypeError, match="the number of a graph, got 'a'"):
        explanation["a"]


def test_edges_are_shared_by_their_ends(explanation):
    # The edge of the first graph adds 0; those of the third, 10, 20 and 30.
    assert explanation.nodes_with_edges.tolist() == [[0, 1, 2, 18, 24, 30]]
    assert explanation[2].nodes_with_edges.tolist() == [[18, 24, 30]]


def test_the_table_holds_each_part_once(explanation):
    table = explanation.to_frame()
    rows = table.astype(object).where(table.notna(), None).to_numpy().tolist()
    assert rows[:4] == [
        [0, "a", "baseline", None, None, 0.0],
        [1, "b", "baseline", None, None, 100.0],
        [2, "a", "baseline", None, None, 200.0],
        [0, "a", "node", 0, None, 0.0],
    ]
    assert rows[-1] == [2, "a", "edge", 1, 2, 30.0]
    assert len(rows) == 3 + 6 + 4


def test_names_are_those_of_atoms_then_of_the_collection(explanation):
    graphs = explanation.graphs
    molecules = (Chem.MolFromSmiles("CN"), None, Chem.MolFromSmiles("OCC"))
    graph_names, node_names = names_of(graphs, molecules)
    assert graph_names.tolist() == [0, 1, 2]
    assert node_names.tolist() == ["C0", "N1", 0, "O0", "C1", "C2"]

    rows = [(7, "bob", "cy"), (7, "cy", "ann"), (9, "di", "ann")]
    table = pd.DataFrame(rows, columns=["graph", "source", "target"])
    named = graphs_from_edgelist(table)
    graph_names, node_names = names_of(named, None)
    assert graph_names.tolist() == [7, 9]
    assert node_names.tolist() == ["ann", "bob", "cy", "ann", "di"]
    assert names_of(named[1:], None)[1].tolist() == ["ann", "di"]
    pairs = as_graphs([nx.Graph([("ann", ("bob", 2))])])
    assert names_of(pairs, None)[1].tolist() == ["ann", ("bob", 2)]
    graph_names, node_names = names_of(named[1:], (Chem.MolFromSmiles("CN"),))
    assert graph_names.tolist() == [9]
    assert node_names.tolist() == ["C0", "N1"]
