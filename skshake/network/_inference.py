"""Outputs of a network for all graphs, averaged over forests.

In: a network and hierarchies on a device. Out: numpy rows, one per graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import torch
from torch import Tensor

from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._averaging import Network
from skshake.network._random import OwnStream
from skshake.network._torch_engine import Engine
from skshake.network.batches import DeviceHierarchies, find_home, pieces_in_order

# Rows (nodes and edges of all levels) of one batch of inference.
INFERENCE_ROWS = 1_000_000


def send_all(
    hierarchies: HierarchyCollection, device: torch.device, engine: Engine
) -> DeviceHierarchies:
    """All graphs where they fit: on the device, or on the host."""
    home = find_home(hierarchies, device, engine.free_memory(device))
    return DeviceHierarchies(hierarchies, device, home)


def inference_batches(
    data: DeviceHierarchies, forest: int, most_rows: int = INFERENCE_ROWS
) -> Iterator[np.ndarray]:
    """Consecutive graphs, cut so that no batch is too large for the memory."""
    rows = np.cumsum(data.rows_per_graph(forest))
    batch = rows // most_rows
    yield from np.split(np.arange(data.n_graphs), np.flatnonzero(np.diff(batch)) + 1)


@torch.no_grad()
def infer(
    network: Network, data: DeviceHierarchies, rows: Callable[..., Tensor]
) -> np.ndarray:
    """Rows of a function of the network for all graphs, averaged over forests."""
    if network.training:
        network.eval()
    # Users' layers may draw in evaluation too.
    draws = callable(network.shape.conv)
    with OwnStream(0) if draws else nullcontext():
        return _infer(rows, data)


def _infer(rows: Callable[..., Tensor], data: DeviceHierarchies) -> np.ndarray:
    """Rows for all graphs, in smaller batches where memory is short."""
    most_rows = INFERENCE_ROWS
    while True:
        try:
            forests = [
                torch.cat(
                    [
                        rows(data.batch(graphs, k))
                        for graphs in inference_batches(data, k, most_rows)
                    ]
                )
                for k in range(data.n_forests)
            ]
        except torch.OutOfMemoryError:
            # A single graph that does not fit never will.
            if most_rows == 1:
                raise
            most_rows //= 2
        else:
            return torch.stack(forests).mean(dim=0).cpu().double().numpy()


def predict_stored(
    predict: Callable[[HierarchyCollection], np.ndarray],
    hierarchies: StoredHierarchies,
    n_bytes: float,
) -> np.ndarray:
    """Rows of all graphs of a folder, one per graph, from pieces of so many bytes.

    ``predict`` gives the rows of a collection in memory. The next piece is read
    meanwhile.
    """
    rows: np.ndarray | None = None

    def read(graphs: np.ndarray) -> HierarchyCollection:
        return hierarchies.take(graphs).in_memory(with_names=False)

    with ThreadPoolExecutor(1, "next piece") as executor:
        pieces = pieces_in_order(hierarchies, n_bytes)
        ahead = executor.submit(read, pieces[0])
        for k, graphs in enumerate(pieces):
            piece = ahead.result()
            if k + 1 < len(pieces):
                ahead = executor.submit(read, pieces[k + 1])
            found = predict(piece)
            if rows is None:
                rows = np.empty((len(hierarchies), *found.shape[1:]))
            rows[graphs] = found
    assert rows is not None
    return rows


def predict_outputs(network: Network, data: DeviceHierarchies) -> np.ndarray:
    """Outputs (n_graphs, n_outputs), averaged over forests."""
    return infer(network, data, network)


def embed_graphs(network: Network, data: DeviceHierarchies) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim), averaged over forests."""
    return infer(network, data, network.embed)
