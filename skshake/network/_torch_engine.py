"""Engine: how a network's parts are computed; this one does so in plain torch.

In: tensors on any device, of any floating type. Out: tensors, differentiable as usual.
It is the reference that the engines of ``cpu/`` and ``cuda/`` are tested against, and
it runs what they do not: other layers than "gine" and "gin", layer normalisation,
residual connections, float64, autocast, ``torch.compile``, gradients in evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from skshake.network._csr import CSR, BatchArcs
from skshake.network._dropout import drop
from skshake.network._readouts import ReadOut
from skshake.network.batches import DeviceHierarchies

# Rows (nodes and edges of all levels) that are gathered at once, but one batch at
# least: as many as a CPU's cache easily holds, or a device's memory.
WINDOW_ROWS, DEVICE_WINDOW_ROWS = 32_768, 30_000_000


class LevelPlan(NamedTuple):
    """What the layers of a level are given beside tensors that have gradients.

    ``node_ptr`` delimits the graphs; ``shares_edges`` says whether arcs of several
    graphs may use one edge state. Each layer drops a fraction ``dropout`` of its
    states, by random numbers of its own in ``streams``, int64 (n_layers,), or none.
    ``readout`` pools all states, or is None where nothing is pooled; ``n_linear`` are
    the linear layers of a layer of ours.
    """

    arcs: BatchArcs
    node_ptr: Tensor
    shares_edges: bool
    n_linear: int
    dropout: float
    streams: Tensor | None
    is_training: bool
    residual: bool
    readout: ReadOut | None

    @property
    def pools(self) -> bool:
        """Whether states are pooled."""
        return self.readout is not None


@dataclass(frozen=True)
class Engine:
    """Computes in plain torch; engines of devices override what they do better.

    Parameters
    ----------
    fuses : bool, default=False
        Whether all layers of a level are computed at once, where an engine can.
    window_rows : int
        Rows (nodes and edges of all levels) of batches that are gathered at once.
    """

    fuses: bool = False
    window_rows: int = WINDOW_ROWS

    # Whether batches need the transpose of each of their sparse matrices.
    needs_transposes: ClassVar[bool] = False

    @property
    def has_flat_weights(self) -> bool:
        """Whether the optimiser moves one parameter that holds all of the network's."""
        return False

    @property
    def uses_torch_threads(self) -> bool:
        """Whether torch computes layers, in threads of its own."""
        return True

    def sum_rows(self, csr: CSR, table: Tensor) -> Tensor:
        """Weighted sum of rows of a table, for each row of a sparse matrix.

        Parameters
        ----------
        csr : CSR
            Of shape (n_rows, n_cols).
        table : Tensor of shape (n_cols, width)

        Returns
        -------
        sums : Tensor of shape (n_rows, width)
        """
        return functional.embedding_bag(
            csr.col,
            table,
            csr.rowptr,
            mode="sum",
            per_sample_weights=csr.value.to(table.dtype),
            include_last_offset=True,
        )

    def linear(self, layer: nn.Linear, x: Tensor) -> Tensor:
        """A linear layer."""
        return layer(x)

    def run_mlp(self, layers: nn.Sequential, x: Tensor) -> Tensor:
        """Linear layers and ReLUs in turn."""
        states: Tensor = layers(x)
        return states

    def drop(self, h: Tensor, rate: float, stream: Tensor | None) -> Tensor:
        """Dropout; see :func:`skshake.network._dropout.drop`."""
        return drop(h, rate, stream)

    def run_layers(
        self,
        layers: Sequence[nn.Module],
        plan: LevelPlan,
        h: Tensor,
        edge_states: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Run the layers of a level, and pool the states before and after each.

        Parameters
        ----------
        layers : sequence of torch.nn.Module
            Each takes states, edge states and arcs, and gives states.
        plan : LevelPlan
        h : Tensor of shape (n_nodes, width)
        edge_states : Tensor of shape (n_edge_states, width)

        Returns
        -------
        h : Tensor of shape (n_nodes, width)
            After the last layer.
        pooled : Tensor of shape (n_graphs, n_parts * width * (1 + n_layers))
            Of no columns where nothing is pooled.
        """
        states = [h]
        for k, layer in enumerate(layers):
            stream = None if plan.streams is None else plan.streams[k]
            h = self.drop(layer(h, edge_states, plan.arcs), plan.dropout, stream)
            if plan.residual:
                h = h + states[-1]
            states.append(h)
        if plan.readout is None:
            return h, h.new_empty(len(plan.node_ptr) - 1, 0)
        pooled = [plan.readout.pool(state, plan.node_ptr) for state in states]
        return h, torch.cat(pooled, dim=1)

    def make_differentiator(
        self,
        optimizer: torch.optim.Optimizer,
        data: DeviceHierarchies,
        differentiate: Callable[..., Tensor],
    ) -> Callable[..., Tensor] | None:
        """What finds gradients of whole batches in a way of its own, if it has one.

        Parameters
        ----------
        optimizer : torch.optim.Optimizer
            Its parameters get the gradients.
        data : DeviceHierarchies
        differentiate : callable
            Takes levels and graphs of a batch; gives the loss, and adds gradients.

        Returns
        -------
        differentiator : callable or None
            Takes a window and the number of a batch in it; gives the loss.
        """
        return None

    def free_memory(self, device: torch.device) -> int | None:
        """Bytes that are free on the device; None where its memory is the host's."""
        if device.type != "cuda":
            return None
        free, _ = torch.cuda.mem_get_info(device)
        return free

    def release_memory(self, device: torch.device) -> None:
        """Give back what torch keeps for later, after it ran out of memory."""
        if device.type == "cuda":
            torch.cuda.empty_cache()


PLAIN = Engine()
