"""Fused layers against plain torch: values, gradients, threads, bits."""

import copy

import networkx as nx
import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake._simd import WIDTH
from skshake.network import _threads
from skshake.network._fitting import build_network
from skshake.network._model import SHAKENetwork
from skshake.network._random import find_streams
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import DeviceHierarchies, _features
from skshake.network.cpu import _tiles
from skshake.network.cpu._engine import CPUEngine
from skshake.network.cpu._tiles import cut
from tests._helpers.reference import (
    assert_found,
    assert_rounded,
    differentiate,
    draw_parameters,
)

FUSED = CPUEngine(fuses=True)


@pytest.fixture
def small_lanes(monkeypatch):
    """Several lanes of several tiles, of few graphs."""
    monkeypatch.setattr(_threads, "LANE_ROWS", 16)
    monkeypatch.setattr(_tiles, "TILE_ROWS", 8)


def make_batch(hierarchies, shape):
    """A network in training on the CPU's engine, and a batch of all graphs."""
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    network = build_network(hierarchies, shape).on(FUSED).train()
    return network, data.batch(np.arange(len(hierarchies)))


def compare_with_plain(hierarchies, shape, seed):
    """The fused layers forward and backward against plain torch in float64."""
    network, levels = make_batch(hierarchies, shape)
    network, expected = draw_parameters(network, levels, seed)
    assert_found(differentiate(network, levels), expected)


@pytest.mark.parametrize("q", [np.inf, 1.0, [np.inf, 1.0]], ids=str)
@pytest.mark.parametrize("n_linear", [1, 3])
@pytest.mark.parametrize("conv", ["gine", "gin"])
@pytest.mark.parametrize("most_unique", [0, 10_000])
def test_fused_equals_plain(
    q,
    n_linear,
    conv,
    most_unique,
    small_mutag,
    small_lanes,
    monkeypatch,
    make_shape,
    global_random_seed,
):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    coarsener = KFCoarsener(q=q, walk_length=0, n_forests=1, random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0][::8])
    # A width that no processor's vectors divide.
    changes = {"n_linear": n_linear, "conv": conv, "hidden_dim": 5, "dropout": 0.25}
    shape = make_shape(hierarchies, **changes)
    compare_with_plain(hierarchies, shape, global_random_seed)


@pytest.mark.parametrize("level_input", ["add", "replace"])
def test_fused_equals_plain_with_weights_and_numbers(
    level_input, random_graphs, small_lanes, make_shape, global_random_seed
):
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    hierarchies = coarsener.fit_transform(random_graphs[:8])
    shape = make_shape(hierarchies, level_input=level_input, n_layers=(1, 2))
    compare_with_plain(hierarchies, shape, global_random_seed)


@pytest.mark.parametrize("n_layers", [(0, 1), (1, 0)], ids=str)
def test_a_level_may_have_no_layers(
    n_layers, small_mutag, make_shape, global_random_seed
):
    coarsener = KFCoarsener(q=[np.inf, 1.0], random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0][::8])
    shape = make_shape(hierarchies, n_layers=n_layers)
    compare_with_plain(hierarchies, shape, global_random_seed)


# A vector, one and a quarter, and two; the fewer values, the farther from kinks.
@pytest.mark.parametrize("width", [WIDTH, WIDTH + WIDTH // 4, 2 * WIDTH])
def test_rows_may_have_several_vectors(
    width, random_graphs, make_shape, global_random_seed
):
    hierarchies = KFCoarsener(q=np.inf).fit_transform(random_graphs[:2])
    shape = make_shape(hierarchies, n_layers=(1,), n_linear=1, hidden_dim=width)
    compare_with_plain(hierarchies, shape, global_random_seed)


def test_a_graph_may_be_larger_than_a_usual_tile(make_shape):
    large = nx.path_graph(2 * _tiles.LARGEST_USUAL_TILE)
    hierarchies = KFCoarsener(q=np.inf).fit_transform([large, nx.star_graph(3)])
    network, levels = make_batch(hierarchies, make_shape(hierarchies))
    # Values have no kinks.
    expected = differentiate(copy.deepcopy(network).on(PLAIN).double(), levels)
    assert_rounded(differentiate(network, levels).outputs, expected.outputs, "outputs")


@pytest.mark.parametrize("width", [8, WIDTH])
def test_gradients_have_memory_of_their_own(width, small_mutag, make_shape):
    hierarchies = KFCoarsener(q=1.0).fit_transform(small_mutag[0])
    shape = make_shape(hierarchies, n_linear=2, hidden_dim=width)
    gradients = differentiate(*make_batch(hierarchies, shape)).gradients
    places = [g.data_ptr() for g in gradients.values() if g is not None and g.numel()]
    assert len(set(places)) == len(places)


def test_evaluation_uses_learnt_statistics(small_mutag, make_shape, global_random_seed):
    hierarchies = KFCoarsener(q=np.inf).fit_transform(small_mutag[0])
    network, levels = make_batch(hierarchies, make_shape(hierarchies, dropout=0.5))
    # Values have no kinks: what is not differentiated may lie anywhere.
    with torch.no_grad():
        streams = find_streams(global_random_seed, 0, network.n_streams)
        network(levels, torch.from_numpy(streams))
        network.eval()
        found = network(levels)
        # Both share their parameters.
        expected = network.on(PLAIN).double()(levels)
        assert_rounded(found, expected, "outputs")


def test_dropout_keeps_the_mean_and_its_gradient(small_mutag, make_shape):
    # With a linear read-out of one layer, outputs are linear in what dropout keeps.
    hierarchies = KFCoarsener(q=np.inf).fit_transform(small_mutag[0])
    network_of = [
        make_shape(
            hierarchies,
            n_layers=(1,),
            hidden_dim=12,
            n_linear=1,
            n_readout=0,
            dropout=share,
        )
        for share in (0.0, 0.4)
    ]
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.arange(len(hierarchies)))
    plain = build_network(hierarchies, network_of[0]).on(FUSED).train()
    dropped = SHAKENetwork(network_of[1]).on(FUSED).train()
    dropped.load_state_dict(plain.state_dict())
    n_draws, width = 400, 12
    means = slice(3 * width, 4 * width)  # of the states after the layer
    weight = plain.readout[0].weight
    with torch.no_grad():
        weight.zero_()
        weight[:, means] = torch.eye(12)
    dropped.load_state_dict(plain.state_dict())
    expected = plain.embed(batch)
    expected.sum().backward()
    streams = torch.from_numpy(find_streams(0, 0, n_draws)).split(1)
    draws = torch.stack([dropped.embed(batch, streams=each) for each in streams])
    draws.mean(dim=0).sum().backward()
    spread = draws.detach().std(dim=0) / n_draws**0.5
    assert spread.max() > 0
    z = ((draws.mean(dim=0) - expected) / spread.clamp(min=1e-4)).detach().abs()
    assert z.max() < 6
    ours = dropped.levels[0][0].norms[0].bias.grad
    torch.testing.assert_close(
        ours, plain.levels[0][0].norms[0].bias.grad, rtol=0.1, atol=1.0
    )


def test_bits_do_not_depend_on_the_number_of_threads(mutag, make_shape):
    graphs = mutag[0][np.tile(np.arange(188), 4)]
    hierarchies = KFCoarsener(q=np.inf).fit_transform(graphs)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.arange(len(graphs)))
    assert cut(batch[0].node_ptr.numpy()).n_lanes > 2
    shape = make_shape(hierarchies, dropout=0.3)
    found = []
    n_threads = torch.get_num_threads()
    try:
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            network = build_network(hierarchies, shape).on(FUSED).train()
            with lanes_in_threads():
                streams = torch.from_numpy(find_streams(0, 0, network.n_streams))
                network(batch, streams).sum().backward()
            assert torch.get_num_threads() == n
            found.append({k: p.grad for k, p in network.named_parameters()})
    finally:
        torch.set_num_threads(n_threads)
    for other in found[1:]:
        for name, gradient in found[0].items():
            assert torch.equal(gradient, other[name])
