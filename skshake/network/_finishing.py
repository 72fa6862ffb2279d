"""A trained network made ready: what explanations start from is learnt, on the CPU.

In: a network and its training graphs on a device. Out: the network on the CPU.
"""

from __future__ import annotations

import numpy as np

from skshake.network._batches import DeviceHierarchies
from skshake.network._model import SHAKENetwork
from skshake.network._parallel import lanes_in_threads
from skshake.network._torch_state import plain_torch

# Training graphs from which the average node is learnt.
AVERAGED_GRAPHS = 1_000


def finish(network: SHAKENetwork, data: DeviceHierarchies) -> SHAKENetwork:
    """The same network, ready to be kept."""
    # In threads of its own: an interruption may have left tasks behind in others.
    with plain_torch(), lanes_in_threads():
        some = np.arange(min(data.n_graphs, AVERAGED_GRAPHS))
        network.learn_average(data.batch(some))
    return network.to("cpu").eval()
