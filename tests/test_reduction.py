"""Reduction: sizes that were achieved, expected, and given by formulas."""

import numpy as np
import pytest

from skshake import KFCoarsener, expected_nodes, paper_edges, paper_nodes
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
