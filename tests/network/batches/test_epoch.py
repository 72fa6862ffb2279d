"""Which graphs make up the batches of an epoch."""

import numpy as np
import pytest

from skshake.network.batches import balanced_batches, shuffled_batches


def test_shuffled_batches_hold_every_graph_once():
    batches = shuffled_batches(np.random.default_rng(0), np.zeros(100), 32)
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
