"""A network taken apart, and put together again.

In: a network, on any device. Out: its shape, and its weights as plain numpy.
"""

from __future__ import annotations

from typing import Any

import torch

from skshake.network._averaging import Network, make_network
from skshake.network._plan import NetworkState
from skshake.network._random import OwnStream
from skshake.network._torch_state import plain_torch


def _is_extra(name: str) -> bool:
    """Whether an entry is what a layer of the user's own has beside arrays."""
    return name.endswith("_extra_state")


def network_state(network: Network) -> NetworkState:
    """A network taken apart; arrays share their memory where it is on the CPU."""
    weights: dict[str, Any] = {
        name: value.cpu().numpy() if isinstance(value, torch.Tensor) else value
        for name, value in network.state_dict().items()
    }
    return NetworkState(network.shape, weights)


def network_from_state(state: NetworkState) -> Network:
    """The network that :func:`network_state` took apart, on the CPU."""
    with plain_torch():
        with OwnStream(0):
            network = make_network(state.shape)
        network.load_state_dict(
            {
                name: value if _is_extra(name) else torch.tensor(value)
                for name, value in state.weights.items()
            }
        )
    return network.eval()
