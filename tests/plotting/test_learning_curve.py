"""LearningCurveDisplay shows the history of a fit."""

import numpy as np
import pytest

from skshake import SHAKEClassifier, SHAKERegressor
from skshake.plotting import LearningCurveDisplay


def _legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_loss_score_and_what_is_kept(pyplot, small_mutag):
    model = SHAKEClassifier(max_iter=4, early_stopping=True, random_state=0)
    display = LearningCurveDisplay.from_estimator(model.fit(*small_mutag))
    assert display.lines_["loss"].get_ydata().tolist() == model.loss_curve_
    assert display.lines_["score"].get_ydata().tolist() == model.validation_scores_
    assert display.lines_["kept"].get_ydata()[0] == model.best_score_
    assert display.score_ax_ is not display.ax_
    n_graphs = len(small_mutag[1])
    assert model.n_held_out_ == round(n_graphs / 10)
    # The figure says what was measured of how many graphs, and how roughly.
    assert display.ax_.get_title() == f"{model.n_held_out_} graphs held out"
    assert display.score_ax_.get_ylabel() == "ROC-AUC of held-out graphs"
    epoch = int(np.argmax(model.validation_scores_)) + 1
    assert f"weights kept: epoch {epoch}" in _legend(display)
    error = 0.5 / np.sqrt(model.n_held_out_)
    assert f"± {error:.2g}: rough standard error" in _legend(display)
    assert "training loss (cross entropy)" in _legend(display)


@pytest.mark.parametrize(
    "score", [[1.0, 1.0], [0.5, 0.999], [-3.0, 0.2], [-np.inf, -np.inf], [np.nan, 0.9]]
)
@pytest.mark.parametrize("error", [None, 0.1])
def test_no_axis_passes_the_largest_score(pyplot, score, error):
    display = LearningCurveDisplay([1.0, 0.5], score, score_error=error).plot()
    low, high = display.score_ax_.get_ylim()
    assert low < high <= 1.0
    finite = np.array(score)[np.isfinite(score)]
    assert (low < finite).all()
    assert (finite <= high).all()


def test_a_regressor_is_judged_by_r2(pyplot, small_mutag):
    graphs, _ = small_mutag
    sizes = np.array([float(graph.n_nodes) for graph in graphs])
    model = SHAKERegressor(max_iter=2, early_stopping=True, random_state=0)
    display = LearningCurveDisplay.from_estimator(model.fit(graphs, sizes))
    assert display.score_ax_.get_ylabel() == "R² of held-out graphs"
    assert display.band_ is None
    assert "training loss (squared error)" in _legend(display)


def test_given_graphs_that_are_held_out_are_counted(small_mutag):
    graphs, y = small_mutag
    model = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0)
    model.fit(graphs, y, X_val=graphs[20:27], y_val=y[20:27])
    assert model.n_held_out_ == 7
    model.set_params(early_stopping=False)
    model.fit(graphs, y, X_val=graphs[20:27], y_val=y[20:27])
    assert model.n_held_out_ == 0


def test_without_validation_only_the_loss_is_drawn(pyplot, small_mutag):
    model = SHAKEClassifier(max_iter=3, random_state=0).fit(*small_mutag)
    figure, ax = pyplot.subplots()
    display = LearningCurveDisplay.from_estimator(model, ax=ax)
    assert display.figure_ is figure
    assert display.ax_ is ax
    assert display.score_ax_ is None
    assert list(display.lines_) == ["loss"]
    assert ax.get_title() == "no graphs held out"


def test_an_unfitted_estimator_is_refused():
    with pytest.raises(ValueError, match="loss_curve_"):
        LearningCurveDisplay.from_estimator(SHAKEClassifier())
