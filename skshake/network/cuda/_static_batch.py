"""StaticBatch: a batch at fixed addresses, of fixed size, as a CUDA graph needs it.

In: a window, and how many rows of each kind nearly all batches have. Out: any batch of
the window, copied to where the last one was. What is behind its end repeats its last
value: offsets then delimit empty ranges, and indices point at rows that exist.
"""

from __future__ import annotations

import weakref
from functools import partial

import numpy as np
import torch
from torch import Tensor

from skshake.network.batches import (
    MOST_BATCHES,
    DeviceHierarchies,
    Part,
    Window,
    map_level,
)
from skshake.network.cuda._copies import copy_slices

# Standard deviations of a random batch's size by which the capacity exceeds its mean.
SPARE = 6.0
# Threads that copy one array, and values that each copies at once.
N_COPIERS, VALUES = 64, 256


def find_capacities(data: DeviceHierarchies, n_graphs: int) -> list[dict[str, int]]:
    """Rows of each unit of each level that nearly all batches of so many graphs have.

    Mean plus six standard deviations over random batches, at least those of any one
    graph, at most those of all graphs.
    """
    forests = [data.counts(k) for k in range(data.n_forests)]
    capacities: list[dict[str, int]] = []
    for depth in range(len(forests[0])):
        found: dict[str, int] = {}
        for unit in forests[0][depth]:
            most = 0
            for of_forest in forests:
                counts = of_forest[depth][unit]
                likely = n_graphs * counts.mean()
                likely += SPARE * np.sqrt(n_graphs) * counts.std()
                most = max(most, min(int(max(likely, counts.max())), counts.sum()))
            found[unit] = most
        found["graphs"] = n_graphs
        capacities.append(found)
    return capacities


class _Arrays:
    """Arrays of one data type, and the table by which they are filled.

    One kernel fills all arrays of a type. The k-th source and row belong to the k-th
    target: all three come in the order in which ``map_level`` visits a level's arrays.
    """

    def __init__(self, is_wide: bool, device: torch.device) -> None:
        # Whether values have 64 bits (offsets, indices) or 32 (numbers, weights).
        self.is_wide, self.device = is_wide, device
        self.targets: list[Tensor] = []
        self.sources: list[Tensor] = []
        self.rows: list[np.ndarray] = []

    def close(self) -> None:
        """Make the tables, once all arrays are known."""
        n = len(self.targets)
        # Sources change from window to window; what a graph reads must stay in place.
        self.addresses = torch.zeros(n, dtype=torch.int64, device=self.device)
        self.table = torch.zeros(
            n, MOST_BATCHES, 3, dtype=torch.int64, device=self.device
        )
        to_device = partial(torch.tensor, dtype=torch.int64, device=self.device)
        self.places = to_device([t.data_ptr() for t in self.targets])
        self.sizes = to_device([t.numel() for t in self.targets])

    def load(self) -> None:
        """Take the sources that were noted."""
        addresses = torch.tensor([t.data_ptr() for t in self.sources])
        self.addresses.copy_(addresses)
        if self.rows:
            table = torch.from_numpy(np.stack(self.rows))
            self.table[:, : table.shape[1]].copy_(table)
        # The window owns them; it outlives its batches, and no longer.
        self.sources = []

    def fill(self, batch: Tensor) -> None:
        """Copy the slices of a batch."""
        if self.targets:
            copy_slices[(len(self.targets), N_COPIERS)](
                batch,
                self.table,
                MOST_BATCHES,
                self.addresses,
                self.places,
                self.sizes,
                WIDE=self.is_wide,
                BLOCK=VALUES,
                num_warps=4,
            )


class StaticBatch:
    """A batch at fixed addresses, of fixed size, that slices of windows are copied to.

    Parameters
    ----------
    window : Window
        Gives the structure.
    capacities : list of dict
        See :func:`find_capacities`.
    """

    def __init__(self, window: Window, capacities: list[dict[str, int]]) -> None:
        device = window.graphs.device
        self.number = torch.zeros(1, dtype=torch.int64, device=device)
        self._capacities = capacities
        self._arrays = {wide: _Arrays(wide, device) for wide in (True, False)}
        # Of tables, which have as many rows in every batch, the size in the first.
        rows = [
            {unit: int(of_batches[1]) for unit, of_batches in bounds.items()} | capacity
            for bounds, capacity in zip(window.bounds, capacities, strict=True)
        ]
        self.graphs = self._new(rows[0], window.graphs, Part("graphs"))
        self.levels = [
            map_level(level, partial(self._new, rows[depth]))
            for depth, level in enumerate(window.levels)
        ]
        for arrays in self._arrays.values():
            arrays.close()
        self._window: weakref.ref[Window] | None = None

    def fits(self, window: Window, b: int) -> bool:
        """Whether there is room for a batch."""
        return all(
            bounds[unit][b + 1] - bounds[unit][b] <= capacity
            for bounds, capacities in zip(window.bounds, self._capacities, strict=True)
            for unit, capacity in capacities.items()
        )

    def take(self, window: Window, b: int) -> None:
        """Say which batch is meant; :meth:`fill` copies it."""
        # Not the window itself, whose arrays would stay in memory.
        if self._window is None or window is not self._window():
            self._load(window)
            self._window = weakref.ref(window)
        self.number.fill_(b)

    def fill(self) -> None:
        """Copy the batch; part of what is captured."""
        for arrays in self._arrays.values():
            arrays.fill(self.number)

    def _new(self, rows: dict[str, int], source: Tensor, part: Part) -> Tensor:
        """Room for slices of an array."""
        shape = (rows[part.unit] + part.is_ptr, *source.shape[1:])
        target = source.new_zeros(shape)
        self._arrays[source.dtype == torch.int64].targets.append(target)
        return target

    def _load(self, window: Window) -> None:
        for arrays in self._arrays.values():
            arrays.sources, arrays.rows = [], []

        def note(depth: int, source: Tensor, part: Part) -> Tensor:
            bounds = window.bounds[depth]
            arrays = self._arrays[source.dtype == torch.int64]
            width = int(np.prod(source.shape[1:]))
            first, last = bounds[part.unit][:-1], bounds[part.unit][1:]
            # What is taken off each value, so that it numbers rows of the batch alone;
            # -1 stands for the slice's own first value, which offsets begin with.
            shift = np.zeros_like(first)
            if part.points_to is not None:
                shift = bounds[part.points_to][:-1]
            if part.is_ptr:
                shift = np.full_like(first, -1)
            lengths = (last - first + part.is_ptr) * width
            arrays.sources.append(source)
            arrays.rows.append(np.column_stack([first * width, lengths, shift]))
            return source

        note(0, window.graphs, Part("graphs"))
        for depth, level in enumerate(window.levels):
            map_level(level, partial(note, depth))
        for arrays in self._arrays.values():
            arrays.load()
