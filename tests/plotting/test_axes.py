"""Axes of the caller, or of a new figure."""

import numpy as np
import pytest

from skshake.plotting._axes import grid_of_axes, one_axes


def test_axes_of_the_caller_come_back(pyplot):
    figure, ax = pyplot.subplots()
    assert one_axes(ax, (3, 2)) is ax
    assert grid_of_axes(ax, 1, 1, (2.0, 2.0))[0, 0] is ax
    assert pyplot.get_fignums() == [figure.number]


def test_a_new_figure_has_its_size_in_inches(pyplot):
    figure = one_axes(None, (3.0, 2.0)).figure
    assert figure.get_size_inches().tolist() == [3.0, 2.0]
    axes = grid_of_axes(None, 2, 3, (1.5, 2.0))
    assert axes.shape == (2, 3)
    assert axes[0, 0].figure.get_size_inches().tolist() == [4.5, 4.0]
    assert axes[0, 0].figure is not figure


@pytest.mark.parametrize("shape", [(2, 3), (6,), (3, 2)])
def test_axes_of_the_caller_fill_rows_in_their_order(pyplot, shape):
    _, given = pyplot.subplots(2, 3)
    given = given.reshape(shape)
    found = grid_of_axes(given, 2, 3, (1.0, 1.0))
    assert found.shape == (2, 3)
    assert found.ravel().tolist() == given.ravel().tolist()
    assert grid_of_axes(given.tolist(), 2, 3, (1.0, 1.0)).tolist() == found.tolist()


def test_another_number_of_axes_is_refused(pyplot):
    _, axes = pyplot.subplots(2, 2)
    for given in (axes, axes[0, 0], np.array([], object)):
        with pytest.raises(
            ValueError, match="ax: expected 1 x 2 axes, one row per level"
        ):
            grid_of_axes(given, 1, 2, (1.0, 1.0))
