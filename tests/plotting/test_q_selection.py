"""QSelectionDisplay keeps its artists and draws what was fitted."""

import pytest

from skshake import KFCoarsener
from skshake.datasets import load_bace
from skshake.plotting import QSelectionDisplay


def test_it_draws_the_fitted_curves(pyplot, small_mutag):
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(small_mutag[0])
    display = QSelectionDisplay.from_estimator(coarsener)
    line = display.lines_["objective"]
    assert line.get_ydata().tolist() == coarsener.q_curves_.objective.tolist()
    assert len(display.lines_) == 8
    assert display.ax_.get_xscale() == "log"
    assert display.lines_["q_star"].get_xdata()[0] == coarsener.q_star_


def test_curves_of_an_absent_edge_side_are_left_out(pyplot, random_graphs):
    graphs = [(matrix, x) for matrix, x, _ in random_graphs]
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(graphs)
    display = QSelectionDisplay.from_estimator(coarsener)
    assert not any(name.startswith("edge") for name in display.lines_)


def test_the_interval_of_q_star_is_shaded(pyplot):
    coarsener = KFCoarsener(n_forests=1, q_tol=0.05, random_state=0)
    display = QSelectionDisplay.from_estimator(coarsener.fit(load_bace().data))
    low, high = coarsener.q_star_interval_
    assert display.interval_.get_x() == pytest.approx(low)
    assert display.interval_.get_width() == pytest.approx(high - low)


def test_given_axes_are_used(pyplot, small_mutag):
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(small_mutag[0])
    figure, ax = pyplot.subplots()
    display = QSelectionDisplay.from_estimator(coarsener, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_a_given_q_has_no_selection_to_draw(small_mutag):
    coarsener = KFCoarsener(q=1.0).fit(small_mutag[0])
    with pytest.raises(ValueError, match="q_curves_"):
        QSelectionDisplay.from_estimator(coarsener)
