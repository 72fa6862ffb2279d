"""Trial: measured on some graphs, said of all."""

import numpy as np
import pytest

from skshake import KFCoarsener, SHAKEClassifier, _base, as_graphs
from skshake.description import _trial
from skshake.description._trial import run_trial


def test_it_learns_what_a_fit_learns(mutag):
    graphs = as_graphs(mutag[0])
    trial = run_trial(graphs, 0)
    fitted = KFCoarsener(random_state=0).fit(graphs)
    assert trial.n_graphs == len(graphs)
    assert trial.coarsener.q_star_ == fitted.q_star_
    assert trial.n_forests == fitted.n_forests_
    assert trial.n_epochs == SHAKEClassifier().max_iter
    assert not trial.stops_early
    assert trial.coarsen_seconds > 0
    assert trial.epoch_seconds > 0
    expected = trial.coarsen_seconds + trial.n_epochs * trial.epoch_seconds
    assert trial.seconds == expected


def test_many_graphs_are_judged_by_some(mutag, monkeypatch):
    graphs = as_graphs(mutag[0])
    for name in ("MOST_ROWS", "MOST_REPEATED", "MOST_TRAINED"):
        monkeypatch.setattr(_trial, name, 400)
    trial = run_trial(graphs, 0)
    # About 38 nodes and edges each.
    assert 2 <= trial.n_graphs < 30


@pytest.mark.parametrize("graphs", [[np.ones((3, 3)) - np.eye(3)] * 2])
def test_what_a_fit_warns_of_is_kept_and_not_said(graphs):
    trial = run_trial(as_graphs(graphs), 0)
    assert any("constant" in message for message in trial.warnings)


def test_estimates_grow_with_what_is_measured(mutag, monkeypatch):
    # Whatever takes a second, an epoch on all graphs takes as many seconds as rows.
    graphs = as_graphs(mutag[0])
    n_rows = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)

    class Timed(SHAKEClassifier):
        def fit(self, X, y):
            super().fit(X, y)
            self.history_ = [
                record.__class__(record.epoch, record.loss, None, float(len(X)))
                for record in self.history_
            ]
            return self

    monkeypatch.setattr(_trial, "SHAKEClassifier", Timed)
    monkeypatch.setattr(_trial, "MOST_TRAINED", 1000)
    coarsener = KFCoarsener(q=1.0, n_forests=1)
    order = np.arange(len(graphs))
    found = _trial._time_epoch(graphs, n_rows, order, coarsener)
    n_within = int((np.cumsum(n_rows) <= 1000).sum())
    expected = n_within * n_rows.sum() / n_rows[:n_within].sum()
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("n_networks", [1, 2])
def test_the_networks_of_all_graphs_are_timed(n_networks, mutag, monkeypatch):
    # As many as all graphs get, not the few that are trained on.
    graphs, made = as_graphs(mutag[0]), []

    class Noted(SHAKEClassifier):
        def fit(self, X, y):
            super().fit(X, y)
            made.append(self.module_.shape.n_networks)
            return self

    monkeypatch.setattr(_trial, "SHAKEClassifier", Noted)
    monkeypatch.setattr(_trial, "MOST_TRAINED", 400)
    monkeypatch.setattr(_base, "NODES_TIMES_NETWORKS", n_networks * graphs.n_nodes)
    run_trial(graphs, 0)
    assert made == [n_networks]
