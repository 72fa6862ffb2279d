"""A network taken apart, and put together again.

In: a network. Out: its shape, and its weights as plain numpy.
"""

from __future__ import annotations

import numpy as np
import torch

from skshake.network._model import SHAKENetwork
from skshake.network._plan import NetworkShape
from skshake.network._random import OwnStream
from skshake.network._torch_state import plain_torch

# Names of weights in files of earlier versions.
RENAMED = {"average": "baseline"}


def network_state(
    network: SHAKENetwork,
) -> tuple[NetworkShape, dict[str, np.ndarray]]:
    """A network taken apart: its shape, and its weights by name."""
    state = network.state_dict()
    return network.shape, {name: value.numpy() for name, value in state.items()}


def network_from_state(
    shape: NetworkShape, arrays: dict[str, np.ndarray]
) -> SHAKENetwork:
    """The network that :func:`network_state` took apart."""
    with plain_torch():
        with OwnStream(0):
            network = SHAKENetwork(shape)
        tensors = {RENAMED.get(k, k): torch.tensor(v) for k, v in arrays.items()}
        # Earlier versions had none.
        tensors.setdefault("temperature", torch.ones(()))
        network.load_state_dict(tensors)
    return network.eval()
