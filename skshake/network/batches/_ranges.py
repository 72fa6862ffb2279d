"""Ranges of rows, one per graph, that a batch takes one after the other.

In: where each graph's rows begin. Out: rows of any graphs, gathered on the host by
threads, on a device by index arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from skshake._jit import kernel
from skshake.network._threads import count_lanes, run_tasks, split_rows
from skshake.network.batches._records import send

# Lanes that copy the values of a batch.
MOST_COPIERS = 4


class Chosen(NamedTuple):
    """Graphs of a batch, on the device and on the host."""

    graphs: Tensor
    host: np.ndarray


class Ranges:
    """Ranges of the rows of all graphs.

    Parameters
    ----------
    ptr : int64 array of shape (n_graphs + 1,)
    device : torch.device
    """

    def __init__(self, ptr: np.ndarray, device: torch.device) -> None:
        self.starts = send(ptr[:-1].copy(), device)
        self.counts = send(np.diff(ptr), device)
        # Kept on the host too: the size of a batch is known without asking the device.
        self.host_counts = np.diff(ptr)
        self._take = self._take_on_host
        if device.type != "cpu":
            self._take = self._take_on_device

    def take(
        self, values: Tensor, chosen: Chosen, shift: Tensor | None = None
    ) -> Tensor:
        """Values of the chosen graphs' rows, each plus the shift of its graph.

        Integers are kept in 32 bits, and come in the 64 that torch indexes with.
        """
        return self._take(values, chosen, shift)

    def _take_on_device(
        self, values: Tensor, chosen: Chosen, shift: Tensor | None
    ) -> Tensor:
        rows, owner = self._rows(chosen)
        taken = values[rows]
        if not values.is_floating_point():
            taken = taken.long()
        return taken if shift is None else taken + shift[owner]

    def _take_on_host(
        self, values: Tensor, chosen: Chosen, shift: Tensor | None
    ) -> Tensor:
        ends = np.cumsum(self.host_counts[chosen.host])
        n_rows = int(ends[-1]) if len(ends) else 0
        dtype = values.dtype if values.is_floating_point() else torch.int64
        out = values.new_empty(n_rows, *values.shape[1:], dtype=dtype)
        if values.numel() == 0:
            return out
        n_lanes = min(count_lanes(n_rows), MOST_COPIERS)
        bounds = split_rows(len(ends), n_lanes)
        first_rows = np.concatenate([[0], ends])[bounds]
        ranges = HostRanges(
            self.starts.numpy(),
            self.counts.numpy(),
            chosen.host,
            width=values.numel() // len(values),
        )
        flat, rows = values.numpy().reshape(-1), out.numpy().reshape(-1)
        moves = shift is not None
        shifts = (out.new_empty(0) if shift is None else shift).numpy()

        def task(lane: int) -> None:
            first, last, row = bounds[lane], bounds[lane + 1], first_rows[lane]
            copy_ranges(first, last, ranges, row, flat, moves, shifts, rows)

        run_tasks(task, n_lanes)
        return out

    def _rows(self, chosen: Chosen) -> tuple[Tensor, Tensor]:
        """Rows to gather and the graph (within the batch) that owns each."""
        total = int(self.host_counts[chosen.host].sum())
        counts = self.counts[chosen.graphs]
        owner = torch.repeat_interleave(counts, output_size=total)
        # Row t of the batch is row t + shift of all, with one shift for each graph.
        first = counts.cumsum(0) - counts
        shift = self.starts[chosen.graphs] - first
        rows = torch.arange(total, device=counts.device) + shift[owner]
        return rows, owner


class HostRanges(NamedTuple):
    """Ranges of some graphs, for kernels.

    ``starts`` and ``counts``, int64 (n_all,), of all graphs; ``graphs``, int64
    (n_graphs,), those of a batch; ``width``, values of a row.
    """

    starts: np.ndarray
    counts: np.ndarray
    graphs: np.ndarray
    width: int


@kernel
def copy_ranges(first, last, ranges, row, values, moves, shift, out):
    """Copy the ranges of some graphs one after the other.

    Parameters
    ----------
    first, last : int, places among ``ranges.graphs``  # IN
    ranges : HostRanges  # IN
    row : int, of ``out`` that they begin at  # IN
    values : array (n_rows * width,)  # IN
    moves : bool, whether ``shift`` is added  # IN
    shift : array (n_graphs,), to add to the values of each graph  # IN
    out : array like values  # OUT
    """
    at = row * ranges.width
    for place in range(first, last):
        graph = ranges.graphs[place]
        start = ranges.starts[graph] * ranges.width
        count = ranges.counts[graph] * ranges.width
        for k in range(count):
            out[at + k] = values[start + k]
        if moves:
            for k in range(count):
                out[at + k] += shift[place]
        at += count
