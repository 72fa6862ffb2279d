"""Scales of features and weights of graphs in a folder, one row group after the other.

In: a network and stored hierarchies. Out: the network with what
``SHAKENetwork.learn_scales`` learns of graphs in memory, to within rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch

from skshake.hierarchy import StoredHierarchies
from skshake.network._averaging import Network
from skshake.network.batches import weigh_messages


class _Moments:
    """Mean and spread of the columns of rows that come in several arrays."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.mean = np.zeros(0)
        self._squares = np.zeros(0)

    def add(self, rows: np.ndarray) -> None:
        """Add rows (n_rows, n_columns); those before are not summed up again."""
        if not len(rows):
            return
        mean = rows.mean(axis=0, dtype=np.float64)
        squares = ((rows - mean) ** 2).sum(axis=0)
        if not self.n_rows:
            self.n_rows, self.mean, self._squares = len(rows), mean, squares
            return
        # Chan et al. (1983): from the moments of two sets those of both.
        total = self.n_rows + len(rows)
        step = mean - self.mean
        self.mean = self.mean + step * (len(rows) / total)
        self._squares = (
            self._squares + squares + step**2 * (self.n_rows * len(rows) / total)
        )
        self.n_rows = total

    @property
    def spread(self) -> np.ndarray:
        """Standard deviation of each column."""
        return np.sqrt(self._squares / max(self.n_rows, 1))


def _as_tensor(values: Sequence[float] | np.ndarray) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def learn_stored_scales(network: Network, hierarchies: StoredHierarchies) -> None:
    """Learn the scales of all graphs, of which few are in memory at a time."""
    some = hierarchies.first_forests(1)
    graphs, ptr, _ = some.split_groups()
    nodes, edges = _Moments(), _Moments()
    weights = [_Moments() for _ in hierarchies.q]
    for first, last in pairwise(ptr.tolist()):
        group = some.take(graphs[first:last]).in_memory(with_names=False)
        levels = group.levels
        nodes.add(levels[0].x.numeric)
        edges.add(levels[0].edge_attr.numeric)
        for of_level, level in zip(weights, levels, strict=True):
            sizes = level.block_sizes(group.node_ptr)
            weight = weigh_messages(level, sizes)
            of_level.add(np.column_stack([weight, np.sqrt(weight)]))
    mean, mean_root = np.array(
        [each.mean if each.n_rows else (1, 1) for each in weights]
    ).T
    spread = [each.spread[0] if each.n_rows else 0.0 for each in weights]
    of_weights = [_as_tensor(values) for values in (mean, spread, mean_root)]
    for one in network.networks:
        for encoder, found in (
            (one.node_encoder, nodes),
            (one.edge_encoder, edges),
        ):
            if found.n_rows and len(found.mean):
                encoder.scale_by(_as_tensor(found.mean), _as_tensor(found.spread))
        one.scale_weights(*of_weights)
