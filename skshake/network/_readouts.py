"""Read-outs: node states of each graph pooled to one row, by name.

In: states of nodes and where each graph's begin. Out: one row per graph. The fused
kernels compute the first of them themselves (``cpu/_pooling.py``,
``cuda/_pooling.py``); a network with another one has its layers run one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


def mean_max_sum(h: Tensor, node_ptr: Tensor) -> Tensor:
    """Mean, maximum and scaled sum of each graph's node states, side by side.

    The sum is divided by the root of the number of nodes. A graph without nodes gets
    zeros.
    """
    counts = node_ptr.diff()
    owner = torch.repeat_interleave(counts, output_size=len(h))
    out = h.new_zeros(len(counts), h.shape[1])
    total = out.index_add(0, owner, h)
    index = owner[:, None].expand_as(h)
    largest = out.scatter_reduce(0, index, h, "amax", include_self=False)
    n_nodes = counts.clamp(min=1)[:, None]
    return torch.cat([total / n_nodes, largest, total / n_nodes.sqrt()], dim=1)


class ReadOut(NamedTuple):
    """A way to pool the states of each graph.

    ``pool`` takes states (n_nodes, width) and ``node_ptr`` (n_graphs + 1,), and gives
    (n_graphs, n_parts * width).
    """

    pool: Callable[[Tensor, Tensor], Tensor]
    n_parts: int


READOUTS = {"mean_max_sum": ReadOut(mean_max_sum, 3)}
# What the fused kernels pool.
FUSED_READOUT = "mean_max_sum"
N_POOLINGS = READOUTS[FUSED_READOUT].n_parts
