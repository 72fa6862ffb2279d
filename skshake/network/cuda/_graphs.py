"""Forward and backward of a step as one CUDA graph, replayed for every batch.

In: a window of batches. Out: the loss, and gradients of the parameters in place.
Batches are padded to a capacity that depends on the data alone, so that one capture
fits them all; a larger batch is computed as it is. Host and device meet once an epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from skshake.network.batches import DeviceHierarchies, LevelBatch, Window
from skshake.network.cuda._static_batch import StaticBatch, find_capacities

# Uses of a size of batch before its capture: kernels are compiled and tuned in them.
WARM_UPS = 2
_one_capture = Lock()

Differentiate = Callable[[Sequence[LevelBatch], Tensor], Tensor]


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
