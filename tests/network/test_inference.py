"""Outputs of all graphs: averaged over forests, in batches that fit the memory."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network import _predicting
from skshake.network._fitting import build_network
from skshake.network._inference import inference_batches, predict_outputs
from skshake.network.batches import DeviceHierarchies

CPU = torch.device("cpu")


@pytest.fixture
def fitted(small_mutag, make_shape):
    coarsener = KFCoarsener(q=1.0, n_forests=3, random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0])
    network = build_network(hierarchies, make_shape(hierarchies)).eval()
    return network, DeviceHierarchies(hierarchies, CPU)


def test_batches_are_consecutive_and_small(fitted):
    _, data = fitted
    rows = data.rows_per_graph(0)
    batches = list(inference_batches(data, 0, most_rows=100))
    assert np.concatenate(batches).tolist() == list(range(data.n_graphs))
    assert len(batches) > 2
    # The last graph of a batch may reach over its end.
    assert all(rows[batch].sum() < 100 + rows.max() for batch in batches)


def test_outputs_are_means_over_forests(fitted):
    network, data = fitted
    graphs = np.arange(data.n_graphs)
    with torch.no_grad():
        each = [network(data.batch(graphs, k)).double() for k in range(3)]
    expected = torch.stack(each).mean(dim=0).numpy()
    np.testing.assert_allclose(predict_outputs(network, data), expected, atol=1e-5)


def test_batches_are_halved_until_they_fit(fitted, monkeypatch):
    network, data = fitted
    expected = predict_outputs(network, data)
    batch, sizes = DeviceHierarchies.batch, []

    def small_memory(self, graphs, forest=0):
        sizes.append(len(graphs))
        if len(graphs) > 20:
            raise torch.OutOfMemoryError("too much")
        return batch(self, graphs, forest)

    monkeypatch.setattr(DeviceHierarchies, "batch", small_memory)
    found = predict_outputs(network, data)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert max(sizes) > 20
    monkeypatch.setattr(DeviceHierarchies, "batch", _no_memory)
    with pytest.raises(torch.OutOfMemoryError):
        predict_outputs(network, data)


def _no_memory(self, graphs, forest=0):
    raise torch.OutOfMemoryError("too much")


@pytest.mark.parametrize("q", [1.0, [np.inf, 1.0]])
def test_small_forests_in_one_batch_give_the_same(q, small_mutag, monkeypatch):
    graphs, y = small_mutag
    coarsener = KFCoarsener(q=q, n_forests=3, random_state=0)
    hierarchies = coarsener.fit_transform(graphs)
    model = SHAKEClassifier(max_iter=2, random_state=0).fit(hierarchies, y)
    together = model.decision_function(hierarchies), model.embed(hierarchies)
    monkeypatch.setattr(_predicting, "FEW_ROWS", 0)
    apart = model.decision_function(hierarchies), model.embed(hierarchies)
    for found, expected in zip(together, apart, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
