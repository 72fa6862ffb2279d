"""describe: one page about anything that can be trained on."""

import xml.etree.ElementTree as ET
from pathlib import Path
from subprocess import check_output
from sys import executable

import networkx as nx
import numpy as np
import pytest

from skshake import KFCoarsener, as_graphs, describe
from skshake.description._describe import format_seconds

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page(mutag):
    return describe(*mutag)


def test_the_page_says_what_is_true_of_mutag(page, mutag):
    text = str(page)
    assert text == repr(page)
    for line in (
        "188 graphs",
        "  nodes         3,371; in a graph 10 to 28, median 17.5",
        "  components    1 in each graph",
        "  equal graphs  none",
        "  kind          2 classes",
        "  1             125 graphs, 66.5%",
    ):
        assert line in text.splitlines()
    assert page.notices == ()
    assert page.equal_graphs.tolist() == [*range(188)]
    assert page.q_star == KFCoarsener(n_forests=1, random_state=0).fit(mutag[0]).q_star_
    assert f"{page.q_star:.3g}" in text
    assert 0 < page.fit_seconds < np.inf


def test_the_documentation_shows_this_page(page):
    text = (ROOT / "docs" / "guide" / "describe.md").read_text(encoding="utf-8")
    shown = text.partition("```text\n")[2].partition("```")[0]
    assert str(page).startswith(shown)


def test_html_says_the_same_and_draws(page):
    root = ET.fromstring(page._repr_html_())
    words = {word for text in root.itertext() for word in text.split()}
    # All but the marks of the text.
    assert {*str(page).split()} - {"!"} <= words
    assert root.find(".//svg") is not None


def test_equal_graphs_are_found_across_a_split_and_groups():
    graphs = [nx.path_graph(4), nx.cycle_graph(4), nx.path_graph([3, 1, 0, 2])]
    test = [nx.path_graph(4), nx.star_graph(4)]
    page = describe(
        graphs, [0, 0, 1], test=test, groups=["a", "a", "b"], time_fit=False
    )
    assert page.equal_graphs.tolist() == [0, 1, 0]
    text = " ".join(str(page).split())
    assert (
        "2 graphs equal another and make 1 class; the largest at positions 0, 2" in text
    )
    assert "2 graphs have equals with other labels" in text
    assert "2 graphs have equals in another group" in text
    assert "50.0% of the held-out graphs equal one that is trained on" in text
    assert "2, of which 1 equal one that is trained on" in text
    # Groups that hold together what is equal are no cause to say anything.
    page = describe(graphs, groups=page.equal_graphs, time_fit=False)
    assert not any("group" in notice for notice in page.notices)


def test_features_that_differ_from_the_test_graphs_are_refused(triangle_with_tail):
    graph = (triangle_with_tail, np.ones((5, 1)))
    with pytest.raises(ValueError, match="test: expected node features as the other"):
        describe([graph], test=[triangle_with_tail], time_fit=False)


def test_groups_of_another_length_are_refused(mutag):
    with pytest.raises(ValueError, match="groups: expected one for each of 188 graphs"):
        describe(mutag[0], groups=[0, 1], time_fit=False)


def test_graphs_of_all_shapes_are_described(awkward_graphs):
    for graphs in (awkward_graphs, awkward_graphs[:1], [np.zeros((0, 0))]):
        page = describe(graphs, time_fit=False)
        ET.fromstring(page._repr_html_())
        assert page.q_star is page.fit_seconds is None
    assert any("without nodes" in notice for notice in page.notices)


def test_isolated_nodes_and_tiny_graphs_are_noticed():
    page = describe([np.zeros((2, 2)), np.zeros((1, 1))], time_fit=False)
    assert page.notices == (
        "2 graphs with fewer than 3 nodes",
        "100% of the nodes have no edge, and nothing to say to others",
    )


def test_molecules_and_rules_of_categories_are_taken(triangle_with_tail):
    pytest.importorskip("rdkit")
    page = describe(["CCO", "OCC", "CCN"], [0.5, 1.5, np.nan], time_fit=False)
    assert page.equal_graphs.tolist() == [0, 0, 1]
    assert "2 graphs have equals with other numbers" in page.notices
    graph = (triangle_with_tail, np.arange(5)[:, None])
    for rule, kind in ((True, "categorical"), (False, "numeric")):
        text = str(describe([graph], categorical_features=rule, time_fit=False))
        assert f"  x             {kind}" in text


def test_what_a_fit_would_warn_of_is_on_the_page(small_mutag):
    # Without features that vary q* is not learnt.
    graphs = as_graphs(
        [(nx.to_scipy_sparse_array(nx.cycle_graph(9)), np.ones((9, 1)))] * 8
    )
    page = describe(graphs)
    assert any("the features of every graph are constant" in n for n in page.notices)
    assert any("column of node features is constant" in n for n in page.notices)


def test_without_time_nothing_of_torch_is_loaded():
    code = (
        "import sys; from skshake import describe; from skshake.datasets import "
        "load_mutag; print(len(str(describe(*load_mutag(return_X_y=True), "
        "time_fit=False))) > 100, 'torch' in sys.modules)"
    )
    assert check_output([executable, "-c", code], text=True).split() == [
        "True",
        "False",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "12 ms"),
        (0.25, "0.25 s"),
        (12.3, "12 s"),
        (100.0, "1.7 min"),
        (7300, "2 h"),
    ],
)
def test_times_have_a_unit_that_suits_them(seconds, text):
    assert format_seconds(seconds) == text
