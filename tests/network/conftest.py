"""A small network's shape, for tests that change one thing of it."""

import pytest

from skshake.network import NetworkShape, feature_widths


@pytest.fixture
def make_shape():
    """Function of hierarchies and changes that gives a NetworkShape."""

    def make(hierarchies, **changes):
        parameters = {
            "widths": feature_widths(hierarchies),
            "n_layers": (2,) * len(hierarchies.levels),
            "n_outputs": 3,
            "hidden_dim": 8,
            "n_linear": 2,
            "n_readout": 1,
            "conv": "gine",
            "level_input": "add",
            "norm": "batch",
            "residual": False,
            "dropout": 0.0,
        }
        return NetworkShape(**{**parameters, **changes})

    return make
