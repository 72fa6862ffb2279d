"""Early stopping, batches, and what happens when a training is disturbed."""

import numpy as np
import pytest
import torch

from skshake.network._batching import balanced_batches, shuffled_batches
from skshake.network._training import EarlyStopping


def test_early_stopping_keeps_the_best_and_waits_for_patience():
    network = torch.nn.Linear(1, 1)
    stopping = EarlyStopping(patience=2, tol=0.01)
    scores = [0.5, 0.6, 0.605, 0.59]
    stops = []
    for k, score in enumerate(scores):
        with torch.no_grad():
            network.weight.fill_(float(k))
        stops.append(stopping.update(score, network))
    # 0.605 is the best, though too little better than 0.6 to count.
    assert stops == [False, False, False, True]
    assert stopping.best_score == 0.605
    assert stopping.best_state["weight"].item() == 2.0


def test_shuffled_batches_hold_every_graph_once():
    batches = shuffled_batches(np.random.default_rng(0), 100, 32)
    assert sorted(np.concatenate(batches)) == list(range(100))
    assert {len(batch) for batch in batches} == {25}


def test_balanced_batches_are_a_quarter_positive():
    targets = np.zeros((1_000, 1))
    targets[:30] = 1
    batches = balanced_batches(np.random.default_rng(0), targets, 64)
    negatives = np.concatenate([batch[batch >= 30] for batch in batches])
    assert sorted(negatives) == list(range(30, 1_000))
    for batch in batches:
        assert (batch < 30).sum() == 16
    counts = np.bincount(np.concatenate([batch[batch < 30] for batch in batches]))
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_balancing_where_nothing_is_rare_shuffles(share):
    targets = (np.arange(100) < 100 * share).astype(float)[:, None]
    batches = balanced_batches(np.random.default_rng(0), targets, 32)
    assert sorted(np.concatenate(batches)) == list(range(100))
