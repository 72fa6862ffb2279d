"""Several networks: each learns as if it were alone, and their outputs are averaged."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from skshake import KFCoarsener, SHAKEClassifier, SHAKERegressor, explain, load, save
from skshake._base import MOST_NETWORKS, NODES_TIMES_NETWORKS, automatic_n_networks
from skshake.network import outputs_of
from skshake.network._averaging import NetworkMean, make_network
from skshake.network._model import SHAKENetwork
from skshake.network._training import Training


@pytest.fixture(scope="module")
def coarse(mutag):
    """Hierarchies of sixty molecules, and their classes."""
    graphs, y = mutag
    return KFCoarsener(n_forests=2, random_state=0).fit_transform(graphs[:60]), y[:60]


def train(hierarchies, y, **changes):
    settings = {"hidden_dim": 16, "max_iter": 3, "random_state": 0, "device": "cpu"}
    return SHAKEClassifier(**{**settings, **changes}).fit(hierarchies, y)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"clip_norm": 0.1},
        # Losses whose own parameters follow the outputs, one of them upwards.
        {"loss": "auc_margin"},
        {"loss": "auc_margin", "optimizer": "pesg"},
    ],
)
def test_first_of_several_learns_as_if_alone(changes, coarse):
    hierarchies, _ = coarse
    alone, several = (train(*coarse, n_networks=n, **changes) for n in (1, 3))
    networks = several.module_.networks
    assert len(networks) == 3
    assert alone.module_.networks == [alone.module_]
    # Same weights at first, same batches, gradients and losses of its own; but the
    # optimiser may round otherwise where it moves more parameters at once, and a few
    # steps of AdamW magnify that.
    np.testing.assert_allclose(
        outputs_of(networks[0], hierarchies, "cpu"),
        outputs_of(alone.module_, hierarchies, "cpu"),
        rtol=1e-3,
        atol=1e-3,
    )
    assert several.loss_curve_[0] != alone.loss_curve_[0]


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_outputs_are_the_mean(dropout, coarse):
    hierarchies, _ = coarse
    model = train(*coarse, n_networks=3, dropout=dropout)
    each = [outputs_of(one, hierarchies, "cpu") for one in model.module_.networks]
    assert not np.allclose(each[0], each[1], atol=1e-3)
    found = outputs_of(model.module_, hierarchies, "cpu")
    # Float32 outputs of order 1.
    np.testing.assert_allclose(found, np.mean(each, axis=0), atol=1e-5)
    margins = np.diff(found, axis=1)[:, 0]
    np.testing.assert_allclose(model.decision_function(hierarchies), margins, atol=1e-6)
    assert model.embed(hierarchies).shape == (60, 16)


def test_each_network_has_its_streams(coarse, make_shape):
    hierarchies, _ = coarse
    network = make_network(make_shape(hierarchies, dropout=0.5, n_networks=2))
    assert isinstance(network, NetworkMean)
    one, other = network.networks
    assert network.n_streams == one.n_streams + other.n_streams > 0
    assert make_network(make_shape(hierarchies)).n_streams == 0


def test_networks_drop_other_states(coarse, monkeypatch):
    given = []
    embed = SHAKENetwork.embed

    def noted(self, levels, encoded=None, streams=None, edges=None):
        if self.training:
            given.append(streams.tolist())
        return embed(self, levels, encoded, streams, edges)

    monkeypatch.setattr(SHAKENetwork, "embed", noted)
    train(*coarse, n_networks=2, dropout=0.5, max_iter=1)
    # Two batches of sixty graphs, in each of which both networks have theirs.
    numbers = [number for streams in given for number in streams]
    assert len(given) == 4
    assert len(set(numbers)) == len(numbers)


def test_contributions_add_up_to_the_mean(mutag):
    graphs, y = mutag
    model = SHAKEClassifier(n_networks=2, hidden_dim=16, max_iter=3, random_state=0)
    found = explain(model.fit(graphs[:60], y[:60]), graphs[:10])
    nodes, edges = (
        np.add.reduceat(values[0], ptr[:-1])
        for values, ptr in (
            (found.nodes, found.graphs.node_ptr),
            (found.edges, found.graphs.edge_ptr),
        )
    )
    outputs = model.decision_function(graphs[:10])
    np.testing.assert_allclose(found.outputs[0], outputs, atol=1e-4)
    # The rule of points misses a fiftieth of what is added up.
    size = np.abs(found.nodes).sum() / 10 + np.abs(found.edges).sum() / 10
    added = found.baselines[0] + nodes + edges
    np.testing.assert_allclose(added, outputs, atol=0.05 * size)
    one_level = explain(model, graphs[:10], level=0)
    np.testing.assert_allclose(one_level.nodes, found.nodes)


def test_files_hold_all_networks(coarse, tmp_path):
    hierarchies, y = coarse
    model = train(*coarse, n_networks=2)
    save(model, tmp_path / "model.skshake")
    again = load(tmp_path / "model.skshake")
    assert len(again.module_.networks) == 2
    expected = model.decision_function(hierarchies)
    assert np.array_equal(again.decision_function(hierarchies), expected)
    more = model.set_params(warm_start=True).fit(hierarchies, y)
    assert len(more.module_.networks) == 2


def test_checkpoints_hold_all_networks(coarse, tmp_path, monkeypatch):
    parameters = {"n_networks": 2, "weight_averaging": True, "loss": "auc_margin"}
    whole = train(*coarse, **parameters)
    run_epoch, begun = Training.run_epoch, []

    def interrupt(self):
        begun.append(len(self.history))
        if len(begun) == 3:
            raise KeyboardInterrupt
        return run_epoch(self)

    monkeypatch.setattr(Training, "run_epoch", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"):
        train(*coarse, checkpoint=tmp_path, **parameters)
    again = train(*coarse, checkpoint=tmp_path, **parameters)
    assert begun == [0, 1, 2, 2]
    for name, value in whole.module_.state_dict().items():
        assert value.equal(again.module_.state_dict()[name]), name


def test_few_nodes_have_several_networks():
    assert automatic_n_networks(0) == automatic_n_networks(1_000) == MOST_NETWORKS
    assert automatic_n_networks(NODES_TIMES_NETWORKS // 2) == 2
    assert automatic_n_networks(NODES_TIMES_NETWORKS // 2 + 1) == 1
    assert automatic_n_networks(10**9) == 1


def test_number_of_networks(coarse):
    hierarchies, y = coarse
    settings = {"hidden_dim": 8, "max_iter": 1, "random_state": 0}
    model = SHAKERegressor(**settings).fit(hierarchies, y)
    assert model.module_.shape.n_networks == MOST_NETWORKS
    # Of the network that is trained on, however many graphs come.
    one = SHAKERegressor(n_networks=1, warm_start=True, **settings).fit(hierarchies, y)
    one.set_params(n_networks="auto").fit(hierarchies, y)
    assert one.module_.shape.n_networks == 1
    with pytest.raises(ValueError, match="n_networks"):
        SHAKERegressor(n_networks=0).fit(hierarchies, y)
