"""Message-passing layers by name, and any layer of torch_geometric.

In: node states, edge states, arcs. Out: node states of the same width.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from skshake.network._csr import BatchArcs

# Heads of "gat", as far as they divide the width.
N_HEADS = 4
# Names of :class:`SumLayer`, and whether it reads edge states under them.
SUM_LAYERS = {"gine": True, "gin": False}


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


def take_rows(table: Tensor, rows: Tensor) -> Tensor:
    """Rows of a table, with a gradient that is summed in order.

    That of ``table[rows]`` is summed on a CPU in whatever order its threads come.
    """
    if torch.compiler.is_compiling():
        # torch 2.13 compiles index_add, the gradient of index_select, to wrong sums on
        # a CPU, in large batches.
        return table[rows]
    return table.index_select(0, rows)


def sum_messages(h: Tensor, e: Tensor, arcs: BatchArcs) -> Tensor:
    r"""Sum over each node's neighbours of ReLU of their states and edge states.

    .. math:: out_i = \sum_{j \in N(i)} w_{ij} \, \mathrm{relu}(h_j + e_{ij})

    Parameters
    ----------
    h : Tensor of shape (n_nodes, width)
    e : Tensor of shape (n_edge_states, width)
    arcs : BatchArcs

    Returns
    -------
    out : Tensor of shape (n_nodes, width)
    """
    messages = torch.relu(take_rows(h, arcs.col) + take_rows(e, arcs.edge))
    messages = messages * arcs.weight[:, None]
    messages = messages.to(h.dtype)
    if torch.compiler.is_compiling():
        # Not index_add, see take_rows.
        return torch.segment_reduce(messages, "sum", offsets=arcs.rowptr, unsafe=True)
    return torch.zeros_like(h).index_add(0, arcs.targets(), messages)


class SublayerParameters(NamedTuple):
    """Parameters of a linear layer and its normalisation."""

    weight: Tensor
    bias: Tensor
    norm_weight: Tensor
    norm_bias: Tensor


class LayerParameters(NamedTuple):
    """Parameters of a :class:`SumLayer`."""

    epsilon: Tensor
    sublayers: list[SublayerParameters]


class SumLayer(nn.Module):
    r"""One layer of GINE (Hu et al. 2020), or GIN where all edge states are zero.

    .. math:: h_i \leftarrow \mathrm{MLP}((1 + \epsilon) h_i
        + \sum_j w_{ij} \, \mathrm{relu}(h_j + e_{ij}))

    The MLP is made of sublayers: a linear layer, a normalisation and ReLU.
    """

    linears: Any
    norms: Any

    def __init__(self, width: int, n_linear: int, norm: str | None) -> None:
        super().__init__()
        self.epsilon = nn.Parameter(torch.zeros(1))
        self.linears = nn.ModuleList(nn.Linear(width, width) for _ in range(n_linear))
        self.norms = nn.ModuleList(make_norm(norm, width) for _ in range(n_linear))

    def forward(self, h: Tensor, edge_states: Tensor, arcs: BatchArcs) -> Tensor:
        h = (1 + self.epsilon) * h + sum_messages(h, edge_states, arcs)
        for linear, norm in zip(self.linears, self.norms, strict=True):
            h = torch.relu(norm(linear(h)))
        return h


def flat_parameters(layers: Iterable[SumLayer]) -> list[Tensor]:
    """Parameters of all layers in a row, as an autograd function takes them."""
    parameters: list[Tensor] = []
    for layer in layers:
        parameters.append(layer.epsilon)
        for linear, norm in zip(layer.linears, layer.norms, strict=True):
            parameters += [linear.weight, linear.bias, norm.weight, norm.bias]
    return parameters


def split_parameters(
    parameters: Sequence[Tensor], n_linear: int
) -> list[LayerParameters]:
    """Layer by layer what :func:`flat_parameters` put in a row."""
    per_sublayer = len(SublayerParameters._fields)
    per_layer = 1 + per_sublayer * n_linear
    return [
        LayerParameters(
            parameters[first],
            [
                SublayerParameters(*parameters[k : k + per_sublayer])
                for k in range(first + 1, first + per_layer, per_sublayer)
            ],
        )
        for first in range(0, len(parameters), per_layer)
    ]


class PyGLayer(nn.Module):
    """A layer of torch_geometric, with normalisation and ReLU after it.

    Edge states and weights in messages are given to it as ``edge_attr`` and
    ``edge_weight``, where it takes such arguments.
    """

    def __init__(self, conv: nn.Module, width: int, norm: str | None) -> None:
        super().__init__()
        self.conv = conv
        taken = inspect.signature(conv.forward).parameters
        # Layers with an ``edge_dim`` of None refuse edge features.
        has_dim = getattr(conv, "edge_dim", True) is not None
        self.takes_attr = "edge_attr" in taken and has_dim
        self.takes_weight = "edge_weight" in taken
        self.norm = make_norm(norm, width)

    def forward(self, h: Tensor, edge_states: Tensor, arcs: BatchArcs) -> Tensor:
        options = {}
        if self.takes_attr:
            options["edge_attr"] = take_rows(edge_states, arcs.edge)
        if self.takes_weight:
            options["edge_weight"] = arcs.weight
        edge_index = torch.stack([arcs.col, arcs.targets()])
        out = self.conv(h, edge_index, **options)
        if out.shape != h.shape:
            raise ValueError(
                f"conv: expected a layer that gives states of shape {tuple(h.shape)}, "
                f"got {tuple(out.shape)} from {self.conv}"
            )
        return torch.relu(self.norm(out))


def _gcn(width: int) -> nn.Module:
    from torch_geometric.nn import GCNConv

    return GCNConv(width, width)


def _gat(width: int) -> nn.Module:
    from torch_geometric.nn import GATConv

    n_heads = N_HEADS if width % N_HEADS == 0 else 1
    return GATConv(width, width // n_heads, n_heads, edge_dim=width)


PYG_LAYERS: dict[str, Callable[[int], nn.Module]] = {"gcn": _gcn, "gat": _gat}


def make_layer(conv: Any, width: int, n_linear: int, norm: str | None) -> nn.Module:
    """Layer by its name, or from a factory of torch_geometric layers.

    Parameters
    ----------
    conv : {"gine", "gin", "gcn", "gat"} or callable
        A callable makes a layer from the width of the states.
    width, n_linear : int
    norm : {"batch", "layer"} or None

    Raises
    ------
    TypeError
        If the callable makes something else than a torch module.
    """
    if is_sum_layer(conv):
        return SumLayer(width, n_linear, norm)
    layer = PYG_LAYERS.get(conv, conv)(width)
    if not isinstance(layer, nn.Module):
        raise TypeError(
            "conv: expected a callable that makes a torch_geometric layer from the "
            f"width of the states, got one that makes {type(layer).__name__}"
        )
    return PyGLayer(copy.deepcopy(layer), width, norm)


def is_sum_layer(conv: Any) -> bool:
    """Whether layers are sums of messages and sublayers, which engines may fuse."""
    return isinstance(conv, str) and conv in SUM_LAYERS
