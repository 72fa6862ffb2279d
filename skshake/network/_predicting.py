"""What a fitted network says of graphs: outputs, embeddings, explanations.

In: a network and hierarchies. Out: plain numpy.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from skshake._memory import available_memory
from skshake._warnings import warn_user
from skshake.graphs import GraphCollection
from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._engine import choose_engine, resolve_device
from skshake.network._explanation import Contributions, explain_graphs
from skshake.network._inference import (
    embed_graphs,
    predict_outputs,
    predict_stored,
    send_all,
)
from skshake.network._model import SHAKENetwork
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import PLAIN
from skshake.network._torch_state import plain_torch
from skshake.network.batches import DeviceHierarchies, find_buffer_bytes

# Nodes and edges of all forests that are rather one batch than one for each forest.
FEW_ROWS = 32_768


def _on_device(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any
) -> tuple[SHAKENetwork, DeviceHierarchies]:
    """Network (a copy, unless it is the CPU's) with its engine, and data on one device.

    A network that was fitted on a GPU predicts on the CPU where there is none.
    """
    try:
        device = resolve_device(device)
    except ValueError as error:
        warn_user(f"{error}; predicting on the CPU")
        device = torch.device("cpu")
    if device.type != "cpu":
        network = copy.deepcopy(network).to(device)
    engine = choose_engine(network.shape, device)
    return network.on(engine), send_all(hierarchies, device, engine)


def outputs_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Outputs (n_graphs, n_outputs) of a fitted network.

    torch has one thread, whatever the engine: outputs shall not depend on how many
    cores there are.
    """
    return _average(predict_outputs, network, hierarchies, device)


def embeddings_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim) of a fitted network."""
    return _average(embed_graphs, network, hierarchies, device)


def _average(
    find_rows: Callable[..., np.ndarray],
    network: SHAKENetwork,
    hierarchies: HierarchyCollection,
    device: Any,
) -> np.ndarray:
    """Rows of graphs, averaged over forests; small forests go through in one batch."""
    if isinstance(hierarchies, StoredHierarchies):
        n_bytes = find_buffer_bytes(hierarchies, available_memory())
        if n_bytes is not None:
            predict = partial(_average, find_rows, network, device=device)
            return predict_stored(predict, hierarchies, n_bytes)
        hierarchies = hierarchies.in_memory(with_names=False)
    n_graphs, is_small = len(hierarchies), hierarchies.n_rows <= FEW_ROWS
    if is_small:
        hierarchies = hierarchies.forests_as_graphs()
    with plain_torch(), lanes_in_threads():
        rows = find_rows(*_on_device(network, hierarchies, device))
    return rows.reshape(-1, n_graphs, rows.shape[1]).mean(axis=0)


def contributions_of(
    network: SHAKENetwork,
    hierarchies: HierarchyCollection,
    directions: np.ndarray,
    device: Any = "auto",
    graphs: GraphCollection | None = None,
) -> Contributions:
    """Contributions of input nodes and edges; see :func:`explain_graphs`."""
    with plain_torch(), lanes_in_threads():
        if any(parameter.is_inference() for parameter in network.parameters()):
            # Read under inference_mode, in which nothing is differentiated.
            network = copy.deepcopy(network)
        network, data = _on_device(network, hierarchies, device)
        return explain_graphs(network.on(PLAIN), data, hierarchies, directions, graphs)
