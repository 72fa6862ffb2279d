"""Early stopping, losses, and a step that learns."""

import numpy as np
import pytest
import torch

from skshake.network._training import EarlyStopping, weighted_cross_entropy


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


def test_cross_entropy_by_hand():
    logits = torch.log(torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]))
    labels, weights = torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 0.0])
    expected = -(np.log(0.9) + 3 * np.log(0.2)) / 3
    assert weighted_cross_entropy(logits, labels, weights) == pytest.approx(expected)
