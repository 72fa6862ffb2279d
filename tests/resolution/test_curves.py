"""The losses that J averages."""

import numpy as np
import pytest

from skshake import as_graphs
from skshake.resolution import COMPLEXITY, SPECTRAL_LOSSES, SpectralLoss, node_measure
from skshake.resolution._curves import powers_of


def test_losses_have_names_and_powers():
    assert [(loss.name, loss.power) for loss in SPECTRAL_LOSSES] == [
        ("reconstruction", 0),
        ("dirichlet", 1),
    ]


def test_powers_are_integers_for_kernels():
    powers = powers_of((*SPECTRAL_LOSSES, SpectralLoss("rough", 2, "rough")))
    assert powers.tolist() == [0, 1, 2]
    assert powers.dtype == np.int64
    assert powers_of(()).shape == (0,)


@pytest.mark.parametrize("solver", ["eigh", "lanczos"])
def test_losses_of_a_path_by_hand(solver):
    # Eigenvalues 1 and 3, along which a feature of the first node has the energies 1/2
    # and 1/6; at q = 1 the gains are 1/2 and 1/4.
    path = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    graphs = as_graphs([(path, np.array([[1.0], [0.0], [0.0]]))])
    losses = (*SPECTRAL_LOSSES, SpectralLoss("rough", 2, "rough"))
    found = node_measure(graphs, solver=solver, losses=losses).curves(1.0)
    lost = np.array([1 / 4, 9 / 16])
    for loss in losses:
        weights = np.array([1 / 2, 3**loss.power / 6])
        expected = weights @ lost / weights.sum()
        # Features are float32, which holds these; what is left is that of a spectrum.
        assert found[loss.name][0] == pytest.approx(expected, rel=1e-9)
    assert found[COMPLEXITY][0] == pytest.approx((1 / 2 + 1 / 4) / 3, rel=1e-9)


def test_a_larger_power_asks_more_about_what_is_rough(random_graphs):
    losses = tuple(SpectralLoss(f"power {p}", p, "") for p in range(4))
    curves = node_measure(as_graphs(random_graphs), losses=losses).curves(0.5)
    rising = np.array([curves[loss.name] for loss in losses])
    assert (np.diff(rising, axis=0) > 0).all()
