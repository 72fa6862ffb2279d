"""q* from a subset: its interval, and when all graphs are needed."""

import numpy as np
import pytest

from skshake import KFCoarsener, ResolutionWarning, expected_nodes
from skshake.datasets import load_bace
from skshake.resolution import select_resolution
from tests._helpers import limit


@pytest.fixture(scope="module")
def molecules():
    return load_bace(return_X_y=True)[0]


def test_a_subset_finds_the_same_q_star_within_its_interval(
    molecules, global_random_seed
):
    exact = select_resolution(molecules, tol=0).q_star
    for seed in range(5):
        selection = select_resolution(
            molecules, tol=0.05, seed=10 * global_random_seed + seed
        )
        low, high = selection.interval
        assert selection.curves.n_graphs < len(molecules)
        assert low < selection.q_star < high
        # An interval of 95 % ends 1.96 standard errors away.
        error = np.log(high / low) / (2 * 1.96)
        assert abs(np.log(selection.q_star / exact)) < limit(5) * error


def test_a_smaller_tolerance_takes_more_graphs(molecules):
    n_used = [
        select_resolution(molecules, tol=tol).curves.n_graphs
        for tol in (0.1, 0.005, 0.0)
    ]
    assert n_used[0] < n_used[1] <= n_used[2] == len(molecules)
    selection = select_resolution(molecules, tol=0.05)
    assert selection.curves.objective_error.min() > 0
    assert (selection.curves.objective_error < selection.curves.objective_std).all()


def test_the_order_of_graphs_does_not_matter(molecules):
    order = np.random.default_rng(0).permutation(len(molecules))
    one = select_resolution(molecules, tol=0.05)
    other = select_resolution(molecules[order], tol=0.05)
    assert other.q_star == pytest.approx(one.q_star, rel=1e-9)


def test_all_graphs_measured_exactly_leave_no_error(mutag):
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(mutag[0])
    assert coarsener.q_star_interval_ == (coarsener.q_star_,) * 2
    assert coarsener.q_curves_.n_graphs == len(mutag[0])
    assert not coarsener.q_curves_.objective_error.any()
    assert coarsener.reduction_.expected_nodes_error == (0,)


def test_a_border_is_decided_by_all_graphs(molecules):
    with pytest.warns(ResolutionWarning, match="no inner minimum"):
        selection = select_resolution(molecules, phi=100.0)
    assert selection.curves.n_graphs == len(molecules)
    assert np.isnan(selection.interval).all()


def test_expected_nodes_of_a_subset_state_their_error(molecules, global_random_seed):
    coarsener = KFCoarsener(n_forests=1, q_tol=0.05, random_state=global_random_seed)
    coarsener.fit(molecules)
    reduction = coarsener.reduction_
    (expected,), (error,) = reduction.expected_nodes, reduction.expected_nodes_error
    whole = expected_nodes(molecules, coarsener.q_star_).value / molecules.n_nodes
    assert 0 < error < 0.02
    assert abs(expected - whole) < limit() * error
