"""Figures without a screen, closed after each test."""

import matplotlib as mpl
import pytest


@pytest.fixture
def pyplot():
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
