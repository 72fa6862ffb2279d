"""NetworkMean: several networks on the same batches, whose outputs are averaged.

In: what a SHAKENetwork is given. Out: outputs of each network in training, which learns
by itself, and their mean in evaluation.
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
    # A ModuleList, as which type checkers would not know what it holds.
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

    def forward(
        self, levels: Sequence[LevelBatch], streams: Tensor | None = None
    ) -> Tensor:
        """Outputs of each graph: their mean, shape (n_graphs, n_outputs).

        In training those of one network after the other, shape (n_networks * n_graphs,
        n_outputs).
        """
        n = self.shape.n_networks
        own = [None] * n if streams is None else streams.chunk(n)
        outputs = [
            network(levels, stream)
            for network, stream in zip(self.networks, own, strict=True)
        ]
        return torch.cat(outputs) if self.training else torch.stack(outputs).mean(dim=0)

    def embed(self, levels: Sequence[LevelBatch]) -> Tensor:
        """Embedding of each graph by the first network, (n_graphs, hidden_dim)."""
        return self.networks[0].embed(levels)


Network: TypeAlias = SHAKENetwork | NetworkMean


def make_network(shape: NetworkShape) -> Network:
    """A network of a shape, or several."""
    return SHAKENetwork(shape) if shape.n_networks == 1 else NetworkMean(shape)
