"""Message-passing layers: our own sums, and any layer of torch_geometric.

In: node states, edge states, a level of a batch. Out: node states of the same width.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from skshake.network._batches import LevelBatch
from skshake.network._message import sum_messages
from skshake.network._random import drop

# Heads of "gat", as far as they divide the width.
N_HEADS = 4


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation that uses its running statistics for a lone row."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) < 2:
            return nn.functional.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias
            )
        return super().forward(x)


def make_norm(norm: str | None, width: int) -> nn.Module:
    """Normalisation by its name."""
    if norm == "batch":
        return BatchNorm(width)
    return nn.LayerNorm(width) if norm == "layer" else nn.Identity()


class SumLayer(nn.Module):
    r"""One layer of GINE (Hu et al. 2020), or GIN where all edge states are zero.

    .. math:: h_i \leftarrow \mathrm{MLP}((1 + \epsilon) h_i
        + \sum_j w_{ij} \, \mathrm{relu}(h_j + e_{ij}))

    Each linear layer of the MLP is followed by a normalisation and ReLU, the last one
    by dropout too.
    """

    linears: Any
    norms: Any

    def __init__(
        self, width: int, n_linear: int, norm: str | None, dropout: float
    ) -> None:
        super().__init__()
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.linears = nn.ModuleList(nn.Linear(width, width) for _ in range(n_linear))
        self.norms = nn.ModuleList(make_norm(norm, width) for _ in range(n_linear))
        self.dropout = dropout

    def forward(
        self,
        h: Tensor,
        edge_states: Tensor,
        level: LevelBatch,
        stream: Tensor | None = None,
    ) -> Tensor:
        h = (1 + self.epsilon) * h + sum_messages(h, edge_states, level.arcs)
        for linear, norm in zip(self.linears, self.norms, strict=True):
            h = torch.relu(norm(linear(h)))
        return drop(h, self.dropout, stream)


class PyGLayer(nn.Module):
    """A layer of torch_geometric, with normalisation, ReLU and dropout after it.

    Edge states and weights are given to it as ``edge_attr`` and ``edge_weight``, where
    it takes such arguments.
    """

    def __init__(
        self, conv: nn.Module, width: int, norm: str | None, dropout: float
    ) -> None:
        super().__init__()
        self.conv = conv
        taken = inspect.signature(conv.forward).parameters
        # Layers with an ``edge_dim`` of None refuse edge features.
        has_dim = getattr(conv, "edge_dim", True) is not None
        self.takes_attr = "edge_attr" in taken and has_dim
        self.takes_weight = "edge_weight" in taken
        self.norm = make_norm(norm, width)
        self.dropout = dropout

    def forward(
        self,
        h: Tensor,
        edge_states: Tensor,
        level: LevelBatch,
        stream: Tensor | None = None,
    ) -> Tensor:
        arcs = level.arcs
        options = {}
        if self.takes_attr:
            options["edge_attr"] = edge_states[arcs.edge]
        if self.takes_weight:
            options["edge_weight"] = arcs.weight
        edge_index = torch.stack([arcs.neighbour, arcs.targets()])
        out = self.conv(h, edge_index, **options)
        if out.shape != h.shape:
            raise ValueError(
                f"conv: expected a layer that gives states of shape {tuple(h.shape)}, "
                f"got {tuple(out.shape)} from {self.conv}"
            )
        return drop(torch.relu(self.norm(out)), self.dropout, stream)


def _gcn(width: int) -> nn.Module:
    from torch_geometric.nn import GCNConv

    return GCNConv(width, width)


def _gat(width: int) -> nn.Module:
    from torch_geometric.nn import GATConv

    n_heads = N_HEADS if width % N_HEADS == 0 else 1
    return GATConv(width, width // n_heads, n_heads, edge_dim=width)


CONVS: dict[str, Callable[[int], nn.Module]] = {"gcn": _gcn, "gat": _gat}


def make_layer(
    conv: Any, width: int, n_linear: int, norm: str | None, dropout: float
) -> nn.Module:
    """Layer by its name, or from a factory of torch_geometric layers.

    Parameters
    ----------
    conv : {"gine", "gin", "gcn", "gat"} or callable
        A callable makes a layer from the width of the states.
    width, n_linear : int
    norm : {"batch", "layer"} or None
    dropout : float

    Raises
    ------
    TypeError
        If the callable makes something else than a torch module.
    """
    if conv in ("gine", "gin"):
        return SumLayer(width, n_linear, norm, dropout)
    layer = CONVS.get(conv, conv)(width)
    if not isinstance(layer, nn.Module):
        raise TypeError(
            "conv: expected a callable that makes a torch_geometric layer from the "
            f"width of the states, got one that makes {type(layer).__name__}"
        )
    return PyGLayer(copy.deepcopy(layer), width, norm, dropout)
