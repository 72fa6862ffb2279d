"""Layers of torch_geometric in the network."""

import pytest
import torch
from torch_geometric.nn import GATv2Conv, GINConv, GraphConv

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network._batches import DeviceHierarchies
from skshake.network._layers import PyGLayer


def gat_v2(width):
    return GATv2Conv(width, width, edge_dim=width)


def graph_conv(width):
    return GraphConv(width, width)


def gin(width):
    return GINConv(torch.nn.Linear(width, width))


@pytest.mark.parametrize("conv", ["gcn", "gat", gat_v2, graph_conv, gin])
def test_layers_of_torch_geometric_train(conv, small_mutag):
    graphs, y = small_mutag
    hierarchies = KFCoarsener(q=[float("inf"), 1.0], n_forests=1, random_state=0)
    coarse = hierarchies.fit_transform(graphs)
    model = SHAKEClassifier(conv=conv, n_layers=2, max_iter=8, random_state=0)
    model.fit(coarse, y)
    assert model.loss_curve_[-1] < model.loss_curve_[0]
    some = model.predict_proba(coarse[[3, 8]])
    assert some == pytest.approx(model.predict_proba(coarse)[[3, 8]], abs=1e-4)


@pytest.mark.parametrize(
    ("conv", "takes"), [(gat_v2, "attr"), (graph_conv, "weight"), (gin, None)]
)
def test_layers_get_what_they_take(conv, takes, random_graphs):
    hierarchies = KFCoarsener(q=float("inf")).fit_transform(random_graphs)
    batch = DeviceHierarchies(hierarchies, torch.device("cpu")).batch(
        torch.arange(3).numpy()
    )[0]
    layer = PyGLayer(conv(4), 4, None, 0.0).eval()
    h = torch.randn(len(batch.arcs.indptr) - 1, 4)
    e = torch.randn(len(batch.edge_attr.numeric), 4)
    plain = layer(h, e, batch)
    heavier = batch._replace(arcs=batch.arcs._replace(weight=2 * batch.arcs.weight))
    assert torch.equal(layer(h, e, heavier), plain) == (takes != "weight")
    assert torch.equal(layer(h, e + 1, batch), plain) == (takes != "attr")


@pytest.mark.parametrize(
    ("conv", "error", "message"),
    [
        (lambda width: GraphConv(width, 2 * width), ValueError, "conv: expected a lay"),
        (lambda width: "gine", TypeError, "makes str"),
    ],
)
def test_factories_of_something_else_are_refused(conv, error, message, small_mutag):
    with pytest.raises(error, match=message):
        SHAKEClassifier(conv=conv, max_iter=1).fit(*small_mutag)


@pytest.mark.parametrize(
    "parameters",
    [{"norm": "layer"}, {"norm": None}, {"residual": True}, {"clip_norm": 0.1}],
    ids=str,
)
def test_options_train(parameters, small_mutag):
    model = SHAKEClassifier(max_iter=8, random_state=0, n_layers=2, **parameters)
    model.fit(*small_mutag)
    assert model.loss_curve_[-1] < model.loss_curve_[0]
