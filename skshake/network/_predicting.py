"""What a fitted network says of graphs: outputs, embeddings, explanations.

In: a network and hierarchies. Out: plain numpy.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import joblib
import numpy as np
import torch
from joblib import Parallel, delayed

from skshake._allocator import freed_memory_kept
from skshake._memory import available_memory
from skshake._warnings import warn_user
from skshake.graphs import GraphCollection
from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._averaging import Network
from skshake.network._engine import choose_engine, resolve_devices
from skshake.network._explanation import Contributions, explain_graphs
from skshake.network._inference import (
    embed_graphs,
    predict_outputs,
    predict_stored,
    send_all,
)
from skshake.network._meeting import share_rows
from skshake.network._ranks import count_ranks_beside, device_of_rank
from skshake.network._state import network_state
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import PLAIN
from skshake.network._torch_state import on_device, plain_torch
from skshake.network.batches import DeviceHierarchies, find_buffer_bytes

# Nodes and edges of all forests that are rather one batch than one for each forest.
FEW_ROWS = 32_768
# Nodes and edges of one forest. States of more, of 64 columns, take over 32 MiB, which
# glibc by itself never keeps for the next forest.
LARGE_ROWS = 131_072


def _on_device(
    network: Network, hierarchies: HierarchyCollection, device: torch.device
) -> tuple[Network, DeviceHierarchies]:
    """Network (a copy, unless it is the CPU's) with its engine, and data."""
    if device.type != "cpu":
        network = copy.deepcopy(network).to(device)
    engine = choose_engine(network.shape, device)
    return network.on(engine), send_all(hierarchies, device, engine)


def outputs_of(
    network: Network, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Outputs (n_graphs, n_outputs) of a fitted network.

    torch has one thread, whatever the engine: outputs shall not depend on how many
    cores there are.
    """
    return _average(predict_outputs, network, hierarchies, device)


def embeddings_of(
    network: Network, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim) of a fitted network."""
    return _average(embed_graphs, network, hierarchies, device)


def _average(
    find_rows: Callable[..., np.ndarray],
    network: Network,
    hierarchies: HierarchyCollection,
    device: Any,
) -> np.ndarray:
    """Rows of graphs, averaged over forests, shared by devices and by ranks."""
    devices = _find_devices(device)

    def find(graphs: np.ndarray) -> np.ndarray:
        # All is no choice: nothing is gathered.
        some = len(graphs) < len(hierarchies)
        chosen = hierarchies.take(graphs) if some else hierarchies
        return _average_on(devices, find_rows, network, chosen)

    def describe() -> str:
        state = network_state(network)[1]
        graphs: Any = hierarchies
        if isinstance(hierarchies, StoredHierarchies):
            graphs = hierarchies.key
        parts = (find_rows.__name__, state, graphs)
        return str(joblib.hash(parts, coerce_mmap=True))

    return share_rows(len(hierarchies), find, describe)


def _find_devices(device: Any) -> list[torch.device]:
    """Devices to predict on: the CPU where those of the fit are not there."""
    try:
        devices = resolve_devices(device)
    except ValueError as error:
        warn_user(f"{error}; predicting on the CPU")
        devices = [torch.device("cpu")]
    # Threads of one process share the CPU.
    return list(dict.fromkeys(map(device_of_rank, devices)))


def _average_on(
    devices: list[torch.device],
    find_rows: Callable[..., np.ndarray],
    network: Network,
    hierarchies: HierarchyCollection,
) -> np.ndarray:
    """The same, with a thread for each device that has graphs."""
    average = partial(_average_in_one, len(devices) * count_ranks_beside())
    if len(devices) == 1:
        return average(devices[0], find_rows, network, hierarchies)
    parts = np.array_split(np.arange(len(hierarchies)), len(devices))
    tasks = [
        delayed(average)(device, find_rows, network, hierarchies.take(graphs))
        for device, graphs in zip(devices, parts, strict=True)
        if len(graphs)
    ]
    return np.concatenate(Parallel(n_jobs=len(tasks), backend="threading")(tasks))


def _average_in_one(
    n_beside: int,
    device: torch.device,
    find_rows: Callable[..., np.ndarray],
    network: Network,
    hierarchies: HierarchyCollection,
) -> np.ndarray:
    """The same on one device; small forests go through in one batch.

    Free memory is divided by ``n_beside``, the number of devices that predict at once.
    """
    if isinstance(hierarchies, StoredHierarchies):
        n_bytes = find_buffer_bytes(hierarchies, available_memory() // n_beside)
        if n_bytes is not None:
            predict = partial(_average_in_one, n_beside, device, find_rows, network)
            with freed_memory_kept():
                return predict_stored(predict, hierarchies, n_bytes)
        hierarchies = hierarchies.in_memory(with_names=False)
    n_graphs, is_small = len(hierarchies), hierarchies.n_rows <= FEW_ROWS
    if is_small:
        hierarchies = hierarchies.forests_as_graphs()
    is_large = hierarchies.n_rows > LARGE_ROWS * hierarchies.n_forests
    memory = freed_memory_kept() if is_large else nullcontext()
    with plain_torch(), lanes_in_threads(), on_device(device), memory:
        rows = find_rows(*_on_device(network, hierarchies, device))
    return rows.reshape(-1, n_graphs, rows.shape[1]).mean(axis=0)


def contributions_of(
    network: Network,
    hierarchies: HierarchyCollection,
    directions: np.ndarray,
    device: Any = "auto",
    graphs: GraphCollection | None = None,
) -> Contributions:
    """Contributions of input nodes and edges; see :func:`explain_graphs`."""
    first, *_ = _find_devices(device)
    with plain_torch(), lanes_in_threads(), on_device(first):
        if any(parameter.is_inference() for parameter in network.parameters()):
            # Read under inference_mode, in which nothing is differentiated.
            network = copy.deepcopy(network)
        network, data = _on_device(network, hierarchies, first)
        found = [
            explain_graphs(one, data, hierarchies, directions, graphs)
            for one in network.on(PLAIN).networks
        ]
    if len(found) == 1:
        return found[0]
    means = (np.mean(parts, axis=0) for parts in zip(*found, strict=True))
    return Contributions(*means)
