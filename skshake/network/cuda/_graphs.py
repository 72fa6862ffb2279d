"""Forward and backward of a step as one CUDA graph, replayed for every batch.

In: a window of batches. Out: the loss, and gradients of the parameters in place.
Batches are padded to a capacity that depends on the data alone, so that one capture
fits them all; a larger batch is computed as it is. Host and device meet once an epoch.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import torch
from torch import Tensor

from skshake.network.batches import (
    MOST_BATCHES,
    DeviceHierarchies,
    LevelBatch,
    Part,
    Window,
    map_level,
)
from skshake.network.cuda._copies import copy_slices

# Standard deviations of a random batch's size by which the capacity exceeds its mean.
SPARE = 6.0
# Uses of a size of batch before its capture: kernels are compiled and tuned in them.
WARM_UPS = 2
# Threads that copy one array, and values that each copies at once.
N_COPIERS, VALUES = 64, 256

_one_capture = Lock()

Differentiate = Callable[[Sequence[LevelBatch], Tensor], Tensor]


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
    """Arrays of one data type, and the table by which they are filled."""

    def __init__(self, is_wide: bool, device: torch.device) -> None:
        self.is_wide, self.device = is_wide, device
        self.targets: list[Tensor] = []
        self.sources: list[Tensor] = []
        self.rows: list[np.ndarray] = []

    def close(self) -> None:
        """Make the tables, once all arrays are known."""
        n = len(self.targets)
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


class _Capture:
    """What is captured for one size of batch, once it is."""

    def __init__(self, batch: StaticBatch) -> None:
        self.batch = batch
        self.n_uses = 0
        self.graph: Any = None
        self.loss: Tensor | None = None
        self.gradients: list[Tensor | None] = []


class CUDAGraphs:
    """Computes losses and gradients of batches, by replay where it can.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
        Its parameters get the gradients.
    data : DeviceHierarchies
    differentiate : callable
        Takes levels and graphs of a batch; gives the loss, and adds gradients.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        data: DeviceHierarchies,
        differentiate: Differentiate,
    ) -> None:
        self._parameters: list[Tensor] = [
            parameter
            for group in optimizer.param_groups
            for parameter in group["params"]
        ]
        self._data, self._differentiate = data, differentiate
        self._stream = torch.cuda.Stream(data.device)
        self._captures: dict[tuple[int, int], _Capture] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, window: Window, b: int) -> Tensor:
        """Loss of a batch; gradients are in the parameters afterwards."""
        n_graphs = len(window.graphs_of(b))
        # Unique rows of features, which batches share, differ from forest to forest.
        key = (n_graphs, window.forest)
        if key not in self._captures:
            capacities = find_capacities(self._data, n_graphs)
            self._captures[key] = _Capture(StaticBatch(window, capacities))
        capture = self._captures[key]
        if not capture.batch.fits(window, b):
            self._forget_gradients()
            return self._differentiate(window.batch(b), window.graphs_of(b))
        capture.batch.take(window, b)
        if capture.graph is None and capture.n_uses < WARM_UPS:
            return self._warm_up(capture)
        if capture.graph is None:
            self._record(capture)
        return self._replay(capture)

    def _warm_up(self, capture: _Capture) -> Tensor:
        """Loss of a batch without a graph: kernels are compiled and tuned now."""
        capture.n_uses += 1
        self._forget_gradients()
        return self._on_stream(partial(self._body, capture))

    def _record(self, capture: _Capture) -> None:
        """Capture a graph, which computes nothing yet."""
        self._forget_gradients()
        graph = torch.cuda.CUDAGraph()
        # Other threads may allocate meanwhile, but not capture.
        with (
            _one_capture,
            torch.cuda.graph(
                graph,
                pool=self._pool,
                stream=self._stream,
                capture_error_mode="thread_local",
            ),
        ):
            capture.loss = self._body(capture)
        capture.gradients = [p.grad for p in self._parameters]
        capture.graph = graph

    def _replay(self, capture: _Capture) -> Tensor:
        """Loss of a batch, and gradients where the graph always leaves them."""
        gradients = zip(self._parameters, capture.gradients, strict=True)
        for parameter, gradient in gradients:
            parameter.grad = gradient
        capture.graph.replay()
        assert capture.loss is not None
        return capture.loss

    def _body(self, capture: _Capture) -> Tensor:
        """What is captured: copy the batch, differentiate."""
        batch = capture.batch
        batch.fill()
        return self._differentiate(batch.levels, batch.graphs)

    def _on_stream(self, function: Callable[[], Tensor]) -> Tensor:
        """Call a function on the stream of captures, between what is on the current."""
        current = torch.cuda.current_stream(self._data.device)
        self._stream.wait_stream(current)
        try:
            with torch.cuda.stream(self._stream):
                return function()
        finally:
            current.wait_stream(self._stream)

    def _forget_gradients(self) -> None:
        for parameter in self._parameters:
            parameter.grad = None
