"""Reduction: sizes that were achieved, expected, and given by formulas."""

import numpy as np
import pytest
from scipy import sparse

from skshake import (
    KFCoarsener,
    ReductionWarning,
    as_graphs,
    expected_edges,
    expected_nodes,
    paper_edges,
    paper_nodes,
)
from skshake._reduction import (
    SAMPLED_ROWS,
    Reduction,
    measure_reduction,
    sample_edge_fraction,
)
from tests._helpers import limit


def test_levels_halve_the_expected_nodes(mutag):
    coarsener = KFCoarsener(n_levels=2, include_original=True, random_state=0)
    coarsener.fit(mutag[0])
    assert coarsener.q_[0] == np.inf
    assert coarsener.q_[1] == coarsener.q_star_
    _, first, second = coarsener.reduction_.nodes
    # Half in expectation; one standard deviation of 16 forests is 0.002.
    assert second / first == pytest.approx(0.5, abs=0.02)


def test_reduction_is_what_transform_gives(small_mutag):
    coarsener = KFCoarsener(q=1.0, random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0])
    n_nodes = sum(h.levels[0].n_nodes for h in hierarchies)
    assert coarsener.reduction_.nodes[0] == n_nodes / small_mutag[0].n_nodes


def test_reduction_holds_expectations_and_the_papers_formulas(
    mutag, global_random_seed
):
    graphs, seed = mutag[0], global_random_seed
    exact = KFCoarsener(include_original=True, random_state=seed).fit(graphs)
    expected = expected_nodes(graphs, exact.q_star_).value / graphs.n_nodes
    assert exact.reduction_.expected_nodes == pytest.approx((1.0, expected))
    assert exact.reduction_.expected_nodes_error == (0, 0)
    sampled = KFCoarsener(q=exact.q_star_, random_state=seed).fit(graphs)
    given = sampled.reduction_
    error = given.expected_nodes_error[0]
    assert 0 < error < 0.02
    bound = limit(n_draws=sampled.n_forests_) * error
    assert abs(given.expected_nodes[0] - expected) < bound
    assert given.paper_nodes[0] == pytest.approx(
        paper_nodes(graphs, exact.q_star_) / graphs.n_nodes
    )
    assert given.paper_edges[0] == pytest.approx(
        paper_edges(graphs, exact.q_star_) / graphs.n_edges
    )


def test_nothing_is_smaller_than_nodes_without_edges():
    graphs = as_graphs([np.zeros((4, 4)), np.zeros((5, 5))])
    coarsener = KFCoarsener(q=1.0, n_forests=4, random_state=0)
    with pytest.warns(ReductionWarning):
        hierarchies = coarsener.fit_transform(graphs)
    found = measure_reduction(graphs, hierarchies, None)
    assert found == Reduction(
        q=(1.0,),
        nodes=(1.0,),
        edges=(0.0,),
        expected_nodes=(1.0,),
        # The bound of a sum of Bernoulli variables: variance 9, four forests.
        expected_nodes_error=(np.sqrt(9 / 4) / 9,),
        paper_nodes=(1.0,),
        paper_edges=(0.0,),
    )


def test_graphs_without_nodes_are_measured_too():
    graphs = as_graphs([np.zeros((0, 0))])
    hierarchies = KFCoarsener(q=[np.inf, 1.0], n_forests=2).fit_transform(graphs)
    found = measure_reduction(graphs, hierarchies, None)
    assert found.nodes == found.edges == (0.0, 0.0)


def test_levels_are_counted_graph_by_graph(random_graphs, global_random_seed):
    graphs = as_graphs(random_graphs)
    coarsener = KFCoarsener(
        q=[np.inf, 0.5], n_forests=3, random_state=global_random_seed
    )
    hierarchies = coarsener.fit_transform(graphs)
    found = measure_reduction(graphs, hierarchies, None)
    assert found == coarsener.reduction_
    views = [hierarchy.levels[1] for hierarchy in hierarchies]
    assert found.q == (np.inf, 0.5)
    assert found.nodes == (1.0, sum(view.n_nodes for view in views) / graphs.n_nodes)
    assert found.edges == (1.0, sum(len(view.edges) for view in views) / graphs.n_edges)
    roots = sum(
        len(np.unique(level.numbered_blocks(graphs.node_ptr)))
        for _, level in hierarchies.forests
    )
    assert found.expected_nodes == pytest.approx((1.0, roots / 3 / graphs.n_nodes))
    assert found.expected_nodes_error[0] == 0


def test_what_is_kept_in_words():
    shares = [(1.0, 0.68, 0.034, 0.0)] * 6
    reduction = Reduction((np.inf, 7.0, 0.123456, 1e-9), *shares)
    assert reduction.describe(7.0) == [
        "q* = 7 keeps 68 % of the nodes: about 1.5 input nodes to a coarse one",
        "q = 0.123 keeps 3 % of the nodes: about 29 input nodes to a coarse one",
    ]
    assert reduction.describe()[0].startswith("q = 7 keeps")


def test_its_repr_says_what_is_left():
    sizes = (1.0, 0.25), (1.0, 0.125)
    reduction = Reduction((np.inf, 2.0), *sizes, *[(1.0, 0.25)] * 4)
    assert repr(reduction) == (
        "<Reduction: q = inf leaves 100.0% of the nodes, 100.0% of the edges; "
        "q = 2 leaves 25.0% of the nodes, 12.5% of the edges>"
    )


def test_edges_that_are_left_are_those_of_forests(mutag):
    graphs = as_graphs(mutag[0])
    grid = np.geomspace(0.01, 100.0, 9)
    found = sample_edge_fraction(graphs, grid, 1.0, 0)
    exact = [expected_edges(graphs, q, n_forests=32, random_state=0) for q in grid]
    # One forest of 3,721 edges: a standard error of at most 0.5 / sqrt(3721), and the
    # bend between two q that are drawn.
    values = [each.value / graphs.n_edges for each in exact]
    np.testing.assert_allclose(found, values, atol=0.04)
    order = np.random.default_rng(0).permutation(len(graphs))
    again = sample_edge_fraction(graphs[order], grid, 1.0, 0)
    np.testing.assert_array_equal(again, found)
    # Below a hundredth of q* nothing is drawn.
    is_far = np.isnan(sample_edge_fraction(graphs, grid, 9.0, 0))
    assert is_far.tolist() == [True, True, *[False] * 7]


@pytest.mark.parametrize(
    ("n_edges", "weight"), [(0, 1.0), (SAMPLED_ROWS, 1.0), (4, 1e20)]
)
def test_edges_that_are_left_may_be_unknown(n_edges, weight):
    # Without edges, too large a graph, and weights that no forest can be drawn with.
    ends = np.stack([np.zeros(n_edges, int), np.arange(1, n_edges + 1)], axis=1)
    shape = (n_edges + 1,) * 2
    values = np.full(n_edges, weight)
    graphs = as_graphs([sparse.coo_array((values, tuple(ends.T)), shape=shape)])
    fractions = sample_edge_fraction(graphs, np.array([1.0, 2.0, 4.0]), 2.0, 0)
    assert np.isnan(fractions).all()
