"""What a notebook shows of a GraphCollection."""

import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs, graphs_from_edgelist
from skshake.graphs._card import (
    LARGEST_DRAWN,
    N_DRAWN,
    N_NAMED,
    choose_drawn,
    describe_fields,
)
from skshake.graphs._features import Field

pd = pytest.importorskip("pandas")


def test_it_says_counts_sizes_and_features_and_draws_some(mutag):
    graphs = as_graphs(mutag[0])
    page = graphs._repr_html_()
    text = " ".join(ET.fromstring(page).itertext())
    assert "GraphCollection of 188 graphs" in text
    assert "3,371; in a graph 10 to 28, median 17.5" in text
    assert "x (categorical)" in text
    assert page.count("<svg") == N_DRAWN
    # Equal collections look alike.
    assert graphs[:]._repr_html_() == page


def test_graphs_of_all_shapes_have_a_page(awkward_graphs):
    for part in (awkward_graphs, awkward_graphs[:1]):
        graphs = as_graphs(part)
        ET.fromstring(graphs._repr_html_())
    ET.fromstring(graphs[:0]._repr_html_())


def test_names_of_users_are_escaped():
    name = "<b>1</b>"
    table = pd.DataFrame({"graph": [name] * 2, "source": [0, 1], "target": [1, 2]})
    graphs = graphs_from_edgelist(table)
    page = graphs._repr_html_()
    assert name not in page
    assert f"{name}: 3 nodes, 2 edges" in [*ET.fromstring(page).itertext()]


def test_large_graphs_are_not_drawn():
    graphs = as_graphs([nx.path_graph(LARGEST_DRAWN + 1), nx.path_graph(LARGEST_DRAWN)])
    page = graphs._repr_html_()
    assert page.count("<svg") == 1
    assert f"1: {LARGEST_DRAWN} nodes" in page


def test_small_and_large_graphs_are_drawn_but_no_empty_ones():
    n_nodes = np.array([0, 5, 60, 30, 1000, 20, 10, 40, 50])
    drawn = choose_drawn(n_nodes, np.zeros(9, int))
    assert n_nodes[drawn].tolist() == [10, 20, 30, 40, 50]
    assert not len(choose_drawn(np.zeros(3, int), np.zeros(3, int)))


def test_fields_are_named_with_their_kind_and_the_rest_counted():
    fields = [Field("x", False, 3), Field("city", True, 1, True)]
    assert describe_fields(fields) == "x (numeric, 3 columns), city (text)"
    assert describe_fields([]) == "none"
    many = [Field(f"a{k}", True, 1) for k in range(N_NAMED + 2)]
    assert describe_fields(many).endswith("a11 (categorical), and 2 more")


def test_the_most_frequent_category_has_the_first_colour(mutag):
    graphs = as_graphs([(np.ones((4, 4)) - np.eye(4), np.array([[7], [3], [3], [3]]))])
    discs = ET.fromstring(graphs._repr_html_()).iter("circle")
    colors = [disc.get("fill") for disc in discs]
    assert colors[1] == colors[2] == colors[3] != colors[0]
