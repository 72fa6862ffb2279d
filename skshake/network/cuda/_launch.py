"""How kernels of the conv stack are launched over the rows of one batch.

In: tensors of a batch, which may be padded: rows behind the last graph do not count.
Out: tensors. Nothing asks the device for a number, so that a whole step can be captured
(:mod:`skshake.network.cuda._graphs`).
"""

from __future__ import annotations

import torch
from torch import Tensor

from skshake.network._dropout import count_kept
from skshake.network._norm import N_ROWS
from skshake.network._readouts import N_POOLINGS
from skshake.network._torch_engine import LevelPlan
from skshake.network.cuda import _messages, _pooling, _sublayers

# Entries of one row of a matrix (arcs of one edge state) that one program sums.
MOST_ENTRIES, MOST_SPLITS = 64, 64
# Programs that share the rows where sums over all of them are needed.
N_SHARES = 128
# Launcher, and columns, that one program holds at once.
ROWS, COLUMNS = 16, 16


def ceil_power(number: float) -> int:
    """Smallest power of two that is at least the number."""
    return 1 << max(0, int(-(-number // 1)) - 1).bit_length()


def count_splits(n_entries: int, n_rows: int) -> int:
    """Programs that share a row of a matrix: many where rows are few and long."""
    splits = ceil_power(8 * n_entries / max(n_rows, 1) / MOST_ENTRIES)
    return min(splits, MOST_SPLITS) if n_entries > 8 * n_rows else 1


def count_warps(n_values: int) -> int:
    """Warps of a program that holds so many values at once."""
    return 1 if n_values <= 1_024 else 4


class Launcher:
    """Launches kernels over the rows of one batch of states."""

    def __init__(self, plan: LevelPlan, h: Tensor) -> None:
        self.capacity, self.width = h.shape
        # Launcher that count; on the device, because the host may not know them.
        self.n_rows = plan.node_ptr[-1:]
        self.wide = {"width": self.width, "WIDTH": ceil_power(self.width)}
        self.blocks = (-(-self.capacity // ROWS),)
        arcs_per_node = len(plan.arcs.col) / max(self.capacity, 1)
        self.arcs_per_step = min(16, ceil_power(arcs_per_node))
        self.arcs = plan.arcs
        self.indices = (plan.arcs.rowptr, plan.arcs.col, plan.arcs.edge)

    def sum_messages(self, epsilon: Tensor, h: Tensor, e: Tensor) -> Tensor:
        """Sums of messages; see the kernel, as for all that follow."""
        out = torch.empty_like(h)
        _messages.sum_messages[(self.capacity,)](
            *self.indices,
            self.arcs.weight,
            epsilon,
            h,
            e,
            out,
            ARCS=self.arcs_per_step,
            num_warps=count_warps(self.arcs_per_step * self.width),
            **self.wide,
        )
        return out

    def sum_messages_backward(
        self, epsilon: Tensor, h: Tensor, e: Tensor, grad: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Gradients of the states and of epsilon."""
        grad_h, grad_epsilon = torch.empty_like(h), h.new_empty(self.capacity)
        _messages.sum_messages_backward[(self.capacity,)](
            *self.indices,
            self.arcs.weight,
            epsilon,
            h,
            e,
            grad,
            grad_h,
            grad_epsilon,
            ARCS=self.arcs_per_step,
            num_warps=count_warps(self.arcs_per_step * self.width),
            **self.wide,
        )
        return grad_h, grad_epsilon.sum().view(1)

    def add_edge_gradients(
        self, h: Tensor, e: Tensor, grad: Tensor, grad_e: Tensor
    ) -> None:
        """Add a layer's gradient of the edge states to (n_splits, n_edges, width)."""
        assert self.arcs.by_edge is not None
        splits, n_edges, _ = grad_e.shape
        if not n_edges:
            return
        n_arcs = min(16, ceil_power(len(self.arcs.col) / n_edges))
        _messages.add_edge_gradients[(n_edges, splits)](
            *self.arcs.by_edge[:3],
            self.arcs.col,
            self.arcs.weight,
            h,
            e,
            grad,
            grad_e,
            n_edges,
            SPLITS=splits,
            ARCS=n_arcs,
            num_warps=count_warps(n_arcs * self.width),
            **self.wide,
        )

    def find_norm(
        self, z: Tensor, layer: torch.nn.BatchNorm1d, weight: Tensor, bias: Tensor
    ) -> Tensor:
        """Batch normalisation in training, float32 (4, width); see the kernel."""
        sums = z.new_empty(N_SHARES, 2, self.width)
        _sublayers.sum_columns[(N_SHARES,)](
            z, self.n_rows, sums, ROWS=ROWS, num_warps=4, **self.wide
        )
        norm = z.new_empty(N_ROWS, self.width)
        _sublayers.find_norm[(-(-self.width // COLUMNS),)](
            sums,
            self.n_rows,
            weight,
            bias,
            layer.running_mean,
            layer.running_var,
            layer.momentum,
            layer.eps,
            norm,
            self.width,
            N_SHARES=N_SHARES,
            COLUMNS=COLUMNS,
            num_warps=4,
        )
        assert layer.num_batches_tracked is not None
        layer.num_batches_tracked.add_(1)
        return norm

    def normalise(
        self, z: Tensor, norm: Tensor, keep: float, stream: Tensor | None, out: Tensor
    ) -> None:
        _sublayers.normalise[self.blocks](
            z,
            norm,
            self.n_rows,
            keep,
            count_kept(keep),
            # Nothing is read from it where nothing is dropped.
            self.n_rows if stream is None else stream,
            out,
            self.capacity,
            DROPS=stream is not None,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )

    def through_sublayer(
        self, out: Tensor, grad: Tensor, z: Tensor, norm: Tensor, factor: float
    ) -> Tensor:
        """Gradient before the normalisation, in place; sums (2, width) on the way."""
        sums = z.new_empty(N_SHARES, 2, self.width)
        _sublayers.relu_dropout_backward[(N_SHARES,)](
            out,
            grad,
            z,
            norm,
            self.n_rows,
            factor,
            sums,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )
        totals = sums.sum(dim=0)
        _sublayers.normalise_backward[self.blocks](
            z,
            norm,
            totals,
            self.n_rows,
            grad,
            self.capacity,
            ROWS=ROWS,
            num_warps=4,
            **self.wide,
        )
        return totals


class GraphPooling:
    """Pooled states of all layers, and their gradients."""

    def __init__(self, plan: LevelPlan, launcher: Launcher, states: Tensor) -> None:
        self.plan, self.launcher, self.states = plan, launcher, states
        n_graphs, self.n_states = len(plan.node_ptr) - 1, len(states)
        shape = (n_graphs, self.n_states, N_POOLINGS, launcher.width)
        self.pooled = states.new_empty(shape)
        self.ties = states.new_empty(n_graphs, self.n_states, launcher.width)
        _pooling.pool_graphs[(n_graphs, self.n_states)](
            plan.node_ptr,
            states,
            self.pooled,
            self.ties,
            launcher.capacity,
            n_states=self.n_states,
            ROWS=ROWS,
            num_warps=4,
            **launcher.wide,
        )

    def number_rows(self) -> None:
        """Note the graph of each row, for the gradients."""
        launcher, node_ptr = self.launcher, self.plan.node_ptr
        self.owner = node_ptr.new_empty(launcher.capacity)
        _pooling.number_rows[(len(node_ptr) - 1,)](node_ptr, self.owner, ROWS=128)

    def add_gradient(self, s: int, grad_pooled: Tensor, grad: Tensor) -> None:
        launcher = self.launcher
        _pooling.pool_graphs_backward[launcher.blocks](
            self.plan.node_ptr,
            self.owner,
            self.states[s],
            self.pooled,
            self.ties,
            grad_pooled,
            launcher.n_rows,
            grad,
            s,
            launcher.capacity,
            n_states=self.n_states,
            ROWS=ROWS,
            num_warps=4,
            **launcher.wide,
        )
