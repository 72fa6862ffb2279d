"""A trained network made ready to be kept."""

import numpy as np
import torch

from skshake import KFCoarsener
from skshake.network import _finishing
from skshake.network._fitting import build_network
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import DeviceHierarchies


def test_the_baseline_is_the_mean_of_nodes_spread_over_all_graphs(
    small_mutag, make_shape, monkeypatch
):
    monkeypatch.setattr(_finishing, "BASELINE_GRAPHS", 8)
    hierarchies = KFCoarsener(q=[np.inf, 1.0], n_forests=1).fit_transform(
        small_mutag[0]
    )
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    network = _finishing.finish(
        build_network(hierarchies, make_shape(hierarchies)), data
    )
    assert network.engine == PLAIN
    assert not network.training
    with torch.no_grad():
        for depth, level in enumerate(data.batch(np.arange(0, 40, 5))):
            expected = network.encode_nodes(level).mean(dim=0)
            torch.testing.assert_close(network.baseline[depth], expected)
