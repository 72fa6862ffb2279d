"""QSelectionDisplay keeps its artists and draws what was fitted."""

from dataclasses import replace

import numpy as np
import pytest

from skshake import KFCoarsener
from skshake.datasets import load_bace
from skshake.plotting import QSelectionDisplay
from skshake.plotting._q_selection import ABOUT_AS_GOOD, _range_about_as_good

PARTS = {
    f"{rows}_{name}"
    for rows in ("node", "edge")
    for name in ("reconstruction", "dirichlet", "complexity")
}
ANSWER = {"objective", "q_star", "node_fraction", "edge_fraction"}


@pytest.fixture(scope="module")
def coarsener(small_mutag):
    return KFCoarsener(n_forests=1, random_state=0).fit(small_mutag[0])


def test_it_draws_one_answer_and_what_is_left(pyplot, coarsener):
    display = QSelectionDisplay.from_estimator(coarsener)
    curves = coarsener.q_curves_
    assert {*display.lines_} == ANSWER
    drawn = display.lines_["objective"].get_ydata()
    assert drawn.tolist() == curves.objective.tolist()
    left = display.lines_["node_fraction"].get_ydata()
    np.testing.assert_allclose(left, 100 * curves.node_fraction)
    assert display.left_ax_.get_ylim() == (0, 100)
    assert display.ax_.get_xscale() == "log"
    assert display.lines_["q_star"].get_xdata()[0] == coarsener.q_star_
    low, high = display.ax_.get_xlim()
    assert low < coarsener.q_star_ < high
    kept = coarsener.reduction_.expected_nodes[0]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert f"nodes left: about {kept:.0%} at q*" in labels


def test_the_six_curves_are_there_on_request(pyplot, coarsener):
    display = QSelectionDisplay.from_estimator(coarsener, parts=True)
    assert {*display.lines_} == ANSWER | PARTS
    for name in PARTS:
        drawn = display.lines_[name].get_ydata()
        assert drawn.tolist() == coarsener.q_curves_[name].tolist()


def test_curves_of_an_absent_edge_side_are_left_out(pyplot, random_graphs):
    graphs = [(matrix, x) for matrix, x, _ in random_graphs]
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(graphs)
    display = QSelectionDisplay.from_estimator(coarsener, parts=True)
    of_edges = [name for name in display.lines_ if name.startswith("edge")]
    assert of_edges == ["edge_fraction"]
    # Where no forest was drawn nothing is known of edges.
    for unknown in (None, np.full(len(coarsener.q_curves_.q), np.nan)):
        curves = replace(coarsener.q_curves_, edge_fraction=unknown)
        display = QSelectionDisplay(curves, coarsener.q_star_).plot()
        assert "edge_fraction" not in display.lines_


def test_the_interval_of_q_star_is_shaded(pyplot):
    coarsener = KFCoarsener(n_forests=1, q_tol=0.05, random_state=0)
    display = QSelectionDisplay.from_estimator(coarsener.fit(load_bace().data))
    low, high = coarsener.q_star_interval_
    assert display.interval_.get_x() == pytest.approx(low)
    assert display.interval_.get_width() == pytest.approx(high - low)


def test_an_exact_q_star_has_no_interval_and_a_valley_all_the_same(pyplot, coarsener):
    low, high = coarsener.q_star_interval_
    assert low == high
    display = QSelectionDisplay.from_estimator(coarsener)
    assert display.interval_ is None
    left = display.flat_.get_x()
    assert left < coarsener.q_star_ < left + display.flat_.get_width()


def test_the_valley_ends_where_j_is_one_percent_above_its_smallest():
    q = np.geomspace(0.1, 10.0, 401)
    # A parabola in log q: 1 % above 2 is reached where its square is 0.02.
    low, high = _range_about_as_good(q, 2 + np.log(q) ** 2)
    limit = np.exp(np.sqrt(2 * ABOUT_AS_GOOD))
    # Within the step of the grid.
    assert (1 / low, high) == pytest.approx((limit, limit), rel=1e-3)
    # A flat J is about as good everywhere, and a valley may be open at one side.
    assert _range_about_as_good(q, np.ones(401)) == pytest.approx((0.1, 10.0))
    assert _range_about_as_good(q, q)[0] == pytest.approx(0.1)


def test_given_axes_are_used(pyplot, coarsener):
    figure, ax = pyplot.subplots()
    display = QSelectionDisplay.from_estimator(coarsener, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_a_given_q_has_no_selection_to_draw(small_mutag):
    coarsener = KFCoarsener(q=1.0).fit(small_mutag[0])
    with pytest.raises(ValueError, match="q_curves_"):
        QSelectionDisplay.from_estimator(coarsener)
