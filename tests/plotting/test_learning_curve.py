"""LearningCurveDisplay shows the history of a fit."""

import pytest

from skshake import SHAKEClassifier
from skshake.plotting import LearningCurveDisplay


def test_loss_and_best_score(pyplot, small_mutag):
    model = SHAKEClassifier(max_iter=4, early_stopping=True, random_state=0)
    display = LearningCurveDisplay.from_estimator(model.fit(*small_mutag))
    assert display.lines_["loss"].get_ydata().tolist() == model.loss_curve_
    assert display.lines_["score"].get_ydata().tolist() == model.validation_scores_
    assert display.lines_["best"].get_ydata()[0] == model.best_score_
    assert display.score_ax_ is not display.ax_


def test_without_validation_only_the_loss_is_drawn(pyplot, small_mutag):
    model = SHAKEClassifier(max_iter=3, random_state=0).fit(*small_mutag)
    figure, ax = pyplot.subplots()
    display = LearningCurveDisplay.from_estimator(model, ax=ax)
    assert display.figure_ is figure
    assert display.ax_ is ax
    assert display.score_ax_ is None
    assert list(display.lines_) == ["loss"]


def test_an_unfitted_estimator_is_refused():
    with pytest.raises(ValueError, match="loss_curve_"):
        LearningCurveDisplay.from_estimator(SHAKEClassifier())
