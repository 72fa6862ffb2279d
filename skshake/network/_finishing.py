"""A trained network made ready: what explanations start from is learnt, on the CPU.

In: a network and its training graphs on a device. Out: the network on the CPU.
"""

from __future__ import annotations

import numpy as np

from skshake.network._averaging import Network
from skshake.network._engine import choose_engine
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import PLAIN
from skshake.network._torch_state import on_device, plain_torch
from skshake.network.batches import DeviceHierarchies

# Training graphs from which the baseline of explanations is learnt.
BASELINE_GRAPHS = 1_000


def finish(network: Network, data: DeviceHierarchies) -> Network:
    """The same network, ready to be kept."""
    # In threads of its own: an interruption may have left tasks behind in others.
    with plain_torch(), lanes_in_threads(), on_device(data.device):
        # Spread over all graphs, which may be sorted.
        step = -(-data.n_graphs // BASELINE_GRAPHS)
        some = np.arange(0, data.n_graphs, step)
        network = network.on(choose_engine(network.shape, data.device))
        batch = data.batch(some)
        for one in network.networks:
            one.learn_baseline(batch)
    return network.to("cpu").on(PLAIN).eval()
