"""Records of a batch: levels of some graphs as tensors on one device.

In: tensors. Out: named tuples of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake.network._csr import CSR, BatchArcs


class FeatureBatch(NamedTuple):
    """Pooled features of a batch: numbers, and shares of ``n_slots`` category slots."""

    numeric: Tensor
    slots: CSR
    n_slots: int


class LevelBatch(NamedTuple):
    """One level of a batch of graphs.

    ``node_ptr`` (n_graphs + 1,) delimits graphs. ``x`` holds the slots of categories,
    and behind them ``SIZE_SLOTS`` more. It has one row per node, or one per unique row,
    which ``row_of_node`` then finds. ``edge_attr`` has one row per unique row if
    ``shares_edges``, else one per edge. ``from_coarser`` carries states of the next
    coarser level to this one (its values sum to 1 for each node) and is None at the
    coarsest.
    """

    node_ptr: Tensor
    x: FeatureBatch
    row_of_node: CSR | None
    edge_attr: FeatureBatch
    shares_edges: bool
    arcs: BatchArcs
    from_coarser: CSR | None


def send(values: np.ndarray, device: torch.device) -> Tensor:
    """Tensor of an array; torch does not share memory that is read-only."""
    values = np.require(values, requirements=["C", "W"])
    return torch.from_numpy(values).to(device)


def ptr_of(counts: Tensor) -> Tensor:
    """Offsets (n + 1,) of consecutive slices."""
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0))
