"""NetworkMean: several networks on the same batches, whose outputs are averaged.

In: what a SHAKENetwork is given. Out: the mean of the networks' outputs, each of which
is trained by itself.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from skshake.network._model import SHAKENetwork
from skshake.network._plan import NetworkShape
from skshake.network._torch_engine import PLAIN, Engine
from skshake.network.batches import LevelBatch


class NetworkMean(nn.Module):
    """Networks that differ in the weights that they start from (deep ensemble).

    Parameters
    ----------
    shape : NetworkShape
        Of each, ``n_networks`` of which are made.

    References
    ----------
    Lakshminarayanan et al. (2017), "Simple and Scalable Predictive Uncertainty
    Estimation using Deep Ensembles".
    """

    engine: Engine = PLAIN
    # A ModuleList; Any, since type checkers do not know what a ModuleList holds.
    networks: Any

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        self.networks = nn.ModuleList(
            SHAKENetwork(replace(shape, n_networks=1)) for _ in range(shape.n_networks)
        )

    @property
    def n_streams(self) -> int:
        """Number of places where states are dropped in training."""
        return sum(network.n_streams for network in self.networks)

    def on(self, engine: Engine) -> NetworkMean:
        """The same networks, sharing all parameters, computed by another engine."""
        mean = copy.copy(self)
        mean.engine = engine
        networks = nn.ModuleList(network.on(engine) for network in self.networks)
        mean._modules = {**self._modules, "networks": networks}
        return mean

    def forward(self, levels: Sequence[LevelBatch]) -> Tensor:
        """Outputs of each graph, shape (n_graphs, n_outputs)."""
        return torch.stack([network(levels) for network in self.networks]).mean(dim=0)

    def embed(self, levels: Sequence[LevelBatch]) -> Tensor:
        """Embedding of each graph by the first network, (n_graphs, hidden_dim)."""
        return self.networks[0].embed(levels)


Network: TypeAlias = SHAKENetwork | NetworkMean


def make_network(shape: NetworkShape) -> Network:
    """A network of a shape, or several."""
    return SHAKENetwork(shape) if shape.n_networks == 1 else NetworkMean(shape)
