"""The losses that J averages."""

from skshake.resolution import LOSSES


def test_losses_have_names_and_powers():
    assert [(loss.name, loss.power) for loss in LOSSES] == [
        ("reconstruction", 0),
        ("dirichlet", 1),
    ]
