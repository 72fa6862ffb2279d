"""PathGradients: both ends of the path, and the slopes between them."""

import numpy as np
import pytest
import torch

from skshake import SHAKEClassifier
from skshake.network._paths import PathGradients
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import DeviceHierarchies


@pytest.fixture(scope="module", params=["gine", "gat"])
def start(request, small_mutag):
    """Gradients, the levels of three graphs, and their paths."""
    graphs, y = small_mutag
    options = {"conv": request.param, "n_layers": 1, "max_iter": 2, "random_state": 0}
    model = SHAKEClassifier(**options).fit(graphs, y)
    data = DeviceHierarchies(model._read(graphs), torch.device("cpu"))
    batch = data.batch(np.array([4, 0, 25]))
    network, *_ = model.module_.on(PLAIN).eval().networks
    gradients = PathGradients(network, True)
    return gradients, batch, gradients.paths(batch)


def test_the_path_ends_at_what_the_graphs_are(start):
    gradients, batch, paths = start
    direction = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])
    _, last = gradients.ends(batch, paths, direction)
    expected = (gradients.network(batch) * direction).sum(dim=1)
    torch.testing.assert_close(last, expected)


def test_the_path_begins_at_average_nodes_without_edges(start):
    gradients, _, paths = start
    for path, baseline in zip(paths, gradients.network.baseline, strict=True):
        place = gradients.place(path, 0.0)
        assert (place.nodes == baseline).all()
        grown = place.edges.states
        if gradients.reads_weights:
            grown = place.edges.arcs.weight
        assert (grown == 0).all()


def test_there_is_a_value_for_each_block_and_each_arc(start):
    gradients, batch, paths = start
    direction = torch.tensor([[-1.0, 1.0]] * 3)
    found = gradients.contributions(batch, paths, direction, 64)
    for (nodes, arcs), level in zip(found, batch, strict=True):
        assert nodes.shape == (level.node_ptr[-1],)
        assert arcs.shape == level.arcs.col.shape
    first, last = gradients.ends(batch, paths, direction)
    added = sum(part.sum() for of_level in found for part in of_level)
    size = sum(part.abs().sum() for of_level in found for part in of_level)
    # At most 0.01 over seeds.
    assert abs((last - first).sum() - added) < 0.05 * size
