"""Messages by hand, and layers of torch_geometric in the network."""

import pytest
import torch
from torch_geometric.nn import GATv2Conv, GINConv, GraphConv

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network._csr import BatchArcs
from skshake.network._layers import (
    PyGLayer,
    SumLayer,
    flat_parameters,
    split_parameters,
    sum_messages,
    take_rows,
)
from skshake.network.batches import DeviceHierarchies


def test_messages_by_hand():
    # Triangle 0, 1, 2 with a tail 2 - 3; node 4 is isolated.
    arcs = BatchArcs(
        torch.tensor([0, 2, 4, 7, 8, 8]),
        torch.tensor([1, 2, 0, 2, 0, 1, 3, 2]),
        torch.tensor([0, 1, 0, 2, 1, 2, 3, 3]),  # edges 01, 02, 12, 23
        torch.tensor([1.0, 2.0, 1.0, 3.0, 2.0, 3.0, 4.0, 4.0]),
    )
    h = torch.tensor([[1.0], [-2.0], [3.0], [4.0], [5.0]])
    e = torch.tensor([[0.5], [0.0], [-1.0], [1.0]])
    expected = [
        1 * 0 + 2 * 3.0,  # from 1: relu(-1.5) = 0; from 2: relu(3)
        1 * 1.5 + 3 * 2.0,
        2 * 1.0 + 3 * 0 + 4 * 5.0,
        4 * 4.0,
        0.0,
    ]
    assert sum_messages(h, e, arcs).ravel().tolist() == expected
    assert arcs.targets().tolist() == [0, 0, 1, 1, 2, 2, 2, 3]


def test_gradients_are_summed_in_order(global_random_seed):
    # Indexing would add them in whatever order threads come.
    generator = torch.Generator().manual_seed(global_random_seed)
    table = torch.randn(500, 8, generator=generator).requires_grad_()
    rows = torch.randint(500, (50_000,), generator=generator)
    weight = torch.randn(50_000, 8, generator=generator)
    found, n_threads = [], torch.get_num_threads()
    try:
        torch.set_num_threads(4)
        for _ in range(20):
            table.grad = None
            (take_rows(table, rows) * weight).sum().backward()
            found.append(table.grad)
    finally:
        torch.set_num_threads(n_threads)
    assert all(torch.equal(found[0], other) for other in found)


@pytest.mark.parametrize("n_linear", [1, 3])
@pytest.mark.parametrize("n_layers", [0, 2])
def test_parameters_in_a_row_are_split_as_they_were(n_layers, n_linear):
    layers = [SumLayer(4, n_linear, "batch") for _ in range(n_layers)]
    found = split_parameters(flat_parameters(layers), n_linear)
    assert len(found) == n_layers
    for layer, (epsilon, sublayers) in zip(layers, found, strict=True):
        assert epsilon is layer.epsilon
        parts = zip(layer.linears, layer.norms, sublayers, strict=True)
        for linear, norm, sublayer in parts:
            assert sublayer.weight is linear.weight
            assert sublayer.bias is linear.bias
            assert sublayer.norm_weight is norm.weight
            assert sublayer.norm_bias is norm.bias


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
    layer = PyGLayer(conv(4), 4, None).eval()
    h = torch.randn(len(batch.arcs.rowptr) - 1, 4)
    e = torch.randn(len(batch.edge_attr.numeric), 4)
    plain = layer(h, e, batch.arcs)
    heavier = batch.arcs._replace(weight=2 * batch.arcs.weight)
    assert torch.equal(layer(h, e, heavier), plain) == (takes != "weight")
    assert torch.equal(layer(h, e + 1, batch.arcs), plain) == (takes != "attr")


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
