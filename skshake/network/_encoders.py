"""FeatureEncoder: features of nodes or edges to states.

In: pooled features of a batch. Out: one row of states per row of features.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from skshake.network._torch_engine import Engine
from skshake.network.batches import FeatureBatch


class FeatureEncoder(nn.Module):
    """Features to states: an MLP of standardised numbers plus embedded frequencies.

    Embeddings of categories are added, each times its frequency (or count) in the row.
    """

    def __init__(self, n_numeric: int, n_slots: int, hidden_dim: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(n_numeric))
        self.register_buffer("scale", torch.ones(n_numeric))
        self.embedding = nn.Parameter(torch.empty(n_slots, hidden_dim))
        if n_slots:
            nn.init.xavier_uniform_(self.embedding)
        self.numbers = None
        if n_numeric:
            self.numbers = nn.Sequential(
                nn.Linear(n_numeric, hidden_dim),
                nn.ReLU(),
                nn.Linear(hidden_dim, hidden_dim),
            )

    def standardise(self, numeric: Tensor) -> None:
        """Learn the mean and the spread of each numeric column."""
        if numeric.numel():
            self.scale_by(numeric.mean(dim=0), numeric.std(dim=0, correction=0))

    def scale_by(self, mean: Tensor, spread: Tensor) -> None:
        """Standardise by the mean and the spread of each numeric column."""
        self.mean = mean
        self.scale = torch.where(spread > 1e-7 * mean.abs(), spread, 1.0)

    def forward(
        self, features: FeatureBatch, engine: Engine, more_rows: Tensor | None = None
    ) -> Tensor:
        """States (n_rows, hidden_dim).

        Parameters
        ----------
        features : FeatureBatch
        engine : Engine
        more_rows : Tensor of shape (n_more, hidden_dim) or None
            Embeddings of slots beyond those of categories.
        """
        table: Tensor = self.embedding
        if more_rows is not None:
            table = torch.cat([table, more_rows])
        states = engine.sum_rows(features.slots, table)
        if self.numbers is not None:
            numeric = (features.numeric - self.mean) / self.scale
            states = states + engine.run_mlp(self.numbers, numeric)
        return states
