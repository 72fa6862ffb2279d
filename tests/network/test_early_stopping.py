"""Early stopping: the best weights, and patience."""

import torch

from skshake.network._early_stopping import EarlyStopping


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
