"""EarlyStopping: what training remembers of its best epoch.

In: the score of each epoch. Out: whether to stop, and the best weights.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import nn


@dataclass
class EarlyStopping:
    """Remembers the best score, and says when it has not improved for too long."""

    patience: int
    tol: float
    best_score: float = -np.inf
    n_bad: int = 0
    best_state: dict[str, Any] = field(default_factory=dict)

    def update(self, score: float, network: nn.Module) -> bool:
        """Note the score of an epoch; True when training should stop.

        The best weights are those of the best score; but only an improvement by more
        than ``tol`` makes the patience begin anew.
        """
        self.n_bad = 0 if score > self.best_score + self.tol else self.n_bad + 1
        if score > self.best_score:
            self.best_score = score
            self.best_state = copy.deepcopy(network.state_dict())
        return self.n_bad >= self.patience
