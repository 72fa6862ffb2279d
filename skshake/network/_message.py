"""Arcs of a batch, and message passing over them in plain torch operations.

In: node states, edge states, arcs. Out: the sum of messages per node, on any device and
with any autograd. :mod:`skshake.network._trunk` computes the same on the CPU, compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from skshake.network._bags import ByRow


class Arcs(NamedTuple):
    """Symmetric CSR arcs of a batch: both arcs of each edge.

    ``indptr`` (n_nodes + 1,), ``neighbour`` (n_arcs,), ``edge`` (n_arcs,), the row of
    the edge states that each arc uses, ``weight`` (n_arcs,), all on one device.
    ``by_edge`` has the arcs of each such row, where gradients are found on a GPU.
    """

    indptr: Tensor
    neighbour: Tensor
    edge: Tensor
    weight: Tensor
    by_edge: ByRow | None = None

    def targets(self) -> Tensor:
        """Node that each arc's message goes to."""
        n_arcs = self.indptr.diff()
        return torch.repeat_interleave(n_arcs, output_size=len(self.neighbour))


def sum_messages(h: Tensor, e: Tensor, arcs: Arcs) -> Tensor:
    r"""Sum over each node's neighbours of their rectified states and edge states.

    .. math:: out_i = \sum_{j \in N(i)} w_{ij} \, \mathrm{relu}(h_j + e_{ij})

    Parameters
    ----------
    h : Tensor of shape (n_nodes, width)
    e : Tensor of shape (n_edge_states, width)
    arcs : Arcs

    Returns
    -------
    out : Tensor of shape (n_nodes, width)
    """
    messages = torch.relu(h[arcs.neighbour] + e[arcs.edge]) * arcs.weight[:, None]
    messages = messages.to(h.dtype)
    if torch.compiler.is_compiling():
        # torch 2.13 compiles index_add to wrong sums on a CPU, in large batches.
        return torch.segment_reduce(messages, "sum", offsets=arcs.indptr, unsafe=True)
    return torch.zeros_like(h).index_add(0, arcs.targets(), messages)
