"""The forward pass against a case worked by hand, and its invariances."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network._fitting import build_network
from skshake.network._model import WIDE_SPREAD
from skshake.network.batches import DeviceHierarchies
from tests._helpers.reference import assert_rounded


@pytest.fixture
def make_network(make_shape):
    """Function of hierarchies and changes of the shape that gives a network."""

    def make(hierarchies, **changes):
        torch.manual_seed(0)
        return build_network(hierarchies, make_shape(hierarchies, **changes)).eval()

    return make


def forward(network, hierarchies, graphs=None):
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    graphs = np.arange(len(hierarchies)) if graphs is None else np.asarray(graphs)
    with torch.no_grad():
        return network(data.batch(graphs))


def _identity(linear, scale=1.0):
    with torch.no_grad():
        linear.weight.copy_(scale * torch.eye(*linear.weight.shape))
        linear.bias.zero_()


@pytest.mark.parametrize("level_input", ["replace", "add"])
def test_two_levels_by_hand(level_input, make_network):
    # A single edge between nodes with categories 0 and 1, merged into one block at the
    # coarse level (q is so small that one root is certain in practice).
    graph = (np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0], [1]]))
    coarsener = KFCoarsener(
        q=[np.inf, 1e-7], walk_length=0, n_forests=1, random_state=0
    )
    hierarchies = coarsener.fit_transform([graph])
    network = make_network(
        hierarchies,
        n_layers=(1, 1),
        hidden_dim=1,
        n_linear=1,
        n_readout=0,
        n_outputs=1,
        level_input=level_input,
    )
    with torch.no_grad():
        # Slots: unseen, category 0, category 1.
        network.node_encoder.embedding.copy_(torch.tensor([[9.0], [1.0], [2.0]]))
        network.size_encoder.weight.zero_()
        network.size_encoder.bias.zero_()
    for level in network.levels:
        _identity(level[0].linears[0])
        # Batch normalisation with mean 0 and variance 1 is the identity up to 1e-5.
        level[0].norms[0].eps = 0.0
    with torch.no_grad():
        for linear in (network.readout[0], network.head):
            linear.weight.fill_(1.0)
            linear.bias.zero_()
    # Coarse: one node, mean embedding 1.5, no neighbour: h = 1.5.
    # Fine, "replace": both start at 1.5; each adds its neighbour: 3.
    # Fine, "add": start at 2.5 and 3.5; with the neighbour: 6 and 6.
    start = [1.5, 1.5] if level_input == "replace" else [2.5, 3.5]
    after = [sum(start)] * 2
    states = torch.tensor([start, after])
    pooled = states.mean(dim=1), states.amax(dim=1), states.sum(dim=1) / 2**0.5
    logit = sum(part.sum() for part in pooled)
    got = forward(network, hierarchies)
    torch.testing.assert_close(got, logit.reshape(1, 1))


@pytest.mark.parametrize("conv", ["gine", "gin"])
def test_logits_do_not_depend_on_companions_or_order(conv, small_mutag, make_network):
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0])
    network = make_network(hierarchies, conv=conv)
    whole = forward(network, hierarchies)
    order = [7, 3, 39]
    for graphs in (order, [3]):
        assert_rounded(forward(network, hierarchies, graphs), whole[graphs], "logits")


def test_logits_do_not_depend_on_node_order(global_random_seed, make_network):
    rng = np.random.default_rng(global_random_seed)
    upper = np.triu(rng.random((9, 9)) < 0.4, 1).astype(float)
    matrix, x = upper + upper.T, rng.normal(size=(9, 2))
    order = rng.permutation(9)
    graphs = [(matrix, x), (matrix[np.ix_(order, order)], x[order])]
    hierarchies = KFCoarsener(q=np.inf).fit_transform(graphs)
    logits = forward(make_network(hierarchies), hierarchies)
    assert_rounded(logits[0], logits[1], "logits")


def test_edge_features_and_weights_matter(random_graphs, make_network):
    hierarchies = KFCoarsener(q=np.inf).fit_transform(random_graphs)
    network = make_network(hierarchies)
    logits = forward(network, hierarchies)
    for change in ("weight", "feature"):
        graphs = [
            (m * (1 + (change == "weight")), x, e + (change == "feature"))
            for m, x, e in random_graphs
        ]
        other = KFCoarsener(q=np.inf).fit_transform(graphs)
        assert not torch.allclose(forward(network, other), logits, atol=1e-4)


def test_messages_weigh_1_on_average(random_graphs, make_network):
    # One kind of arcs for each level, whose blocks and so counts of edges differ.
    hierarchies = KFCoarsener(q=[2.0, 0.3], n_forests=1, random_state=0).fit_transform(
        random_graphs
    )
    network = make_network(hierarchies, n_layers=(1, 1))
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    for depth, level in enumerate(data.batch(np.arange(len(hierarchies)))):
        weight = network.encode_edges(depth, level).arcs.weight
        assert weight.mean().item() == pytest.approx(1, rel=1e-5)


def test_weights_that_vary_widely_take_roots(make_network):
    # A star whose edges weigh so differently at q = inf, and alike where they do not.
    rng = np.random.default_rng(0)
    wide, narrow = np.exp(rng.normal(0, [[2.0], [0.3]], size=(2, 500)))
    for weights, takes_roots in ((wide, True), (narrow, False)):
        assert (weights.std() > WIDE_SPREAD * weights.mean()) == takes_roots
        star = np.zeros((501, 501))
        star[0, 1:] = star[1:, 0] = weights
        hierarchies = KFCoarsener(q=np.inf).fit_transform([star, star])
        network = make_network(hierarchies)
        assert network.weight_power.tolist() == [0.5 if takes_roots else 1.0]
        level = DeviceHierarchies(hierarchies, torch.device("cpu")).batch(
            np.array([0])
        )[0]
        found = network.encode_edges(0, level).arcs.weight.numpy()
        expected = np.sqrt(weights) if takes_roots else weights
        # Arcs of the centre come first; float32.
        np.testing.assert_allclose(found[:500], expected / expected.mean(), rtol=1e-4)
        assert found.mean() == pytest.approx(1, rel=1e-4)


def test_gin_ignores_edge_features(random_graphs, make_network):
    hierarchies = KFCoarsener(q=np.inf).fit_transform(random_graphs)
    network = make_network(hierarchies, conv="gin")
    graphs = [(m, x, e + 1) for m, x, e in random_graphs]
    other = KFCoarsener(q=np.inf).fit_transform(graphs)
    assert torch.equal(forward(network, other), forward(network, hierarchies))


@pytest.mark.parametrize("q", [np.inf, [np.inf, 1e-3]])
def test_awkward_graphs_have_finite_logits(q, awkward_graphs, make_network):
    hierarchies = KFCoarsener(q=q, random_state=0).fit_transform(awkward_graphs)
    network = make_network(hierarchies)
    for training in (True, False):
        network.train(training)
        assert torch.isfinite(forward(network, hierarchies)).all()
    network.train()
    for i in range(len(awkward_graphs)):
        assert torch.isfinite(forward(network, hierarchies, [i])).all()
