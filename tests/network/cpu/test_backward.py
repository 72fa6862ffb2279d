"""The backward pass: where it leaves its result.

Its values are compared with plain torch in ``test_conv_stack.py``.
"""

import pytest

from skshake.network.cpu._backward import place_of_gradient


@pytest.mark.parametrize("n_linear", [1, 2, 3])
@pytest.mark.parametrize("n_layers", [0, 1, 4])
def test_halves_change_roles_within_a_layer(n_layers, n_linear):
    place, n_sublayers = 0, n_layers * n_linear
    for t in reversed(range(n_sublayers)):
        if t % n_linear:
            place = 1 - place
    assert place_of_gradient(n_sublayers, n_linear) == place
