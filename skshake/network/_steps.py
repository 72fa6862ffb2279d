"""Steps: one update of the weights from one batch.

In: a network, its targets, a plan; then batch by batch. Out: losses, which stay on the
device; the weights move in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from skshake.network._averaging import Network
from skshake.network._optimizers import PESG, flatten, make_optimizer
from skshake.network._plan import TrainingPlan
from skshake.network._random import OwnStream, StepStreams, find_streams, torch_stream
from skshake.network._ranks import ALONE, Ranks
from skshake.network.batches import DeviceHierarchies, LevelBatch, Window, send

# Seeds of torch's generators have fewer bits than ours.
LARGEST_SEED = 2**62 - 1
# Ours are below this. Users' layers take those above, and the next rank those beyond.
SEEDS = 2**32


@dataclass(frozen=True)
class Targets:
    """Encoded targets and weights of graphs on the device.

    ``values`` int64 (n_graphs,), codes of classes, or float32 (n_graphs, n_tasks);
    ``weights`` float32 (n_graphs,).
    """

    values: Tensor
    weights: Tensor

    def take(self, graphs: np.ndarray) -> Targets:
        """Those of some graphs."""
        chosen = send(graphs, self.values.device)
        return Targets(self.values[chosen], self.weights[chosen])

    @property
    def n_tasks(self) -> int:
        """Number of columns."""
        return self.values.shape[1] if self.values.ndim == 2 else 1


class Steps:
    """What a step needs: network, loss, optimiser, random numbers.

    Parameters
    ----------
    network : Network
        Trained in place, by its engine.
    data : DeviceHierarchies
    targets : Targets
    plan : TrainingPlan
    ranks : Ranks, default=ALONE
        Whose gradients are averaged.
    """

    def __init__(
        self,
        network: Network,
        data: DeviceHierarchies,
        targets: Targets,
        plan: TrainingPlan,
        ranks: Ranks = ALONE,
    ) -> None:
        self.network, self.data, self.targets, self.plan = network, data, targets, plan
        self._ranks = ranks
        # Each network learns by itself, by a loss whose parameters are its own.
        self.losses = nn.ModuleList(
            plan.loss.make(plan.form, targets.n_tasks) for _ in network.networks
        ).to(data.device)
        self._is_flat = network.engine.has_flat_weights
        weights = [flatten(network)] if self._is_flat else list(network.parameters())
        self.optimizer = make_optimizer(
            plan.optimizer,
            weights,
            self.losses,
            plan.learning_rate,
            plan.weight_decay,
            tuple(
                f"{k}.{name}"
                for k in range(len(self.losses))
                for name in plan.loss.ascends
            ),
        )
        self.ema: AveragedModel | None = None
        self.n_updates = 0
        # Each rank drops others of its values.
        self._seed = plan.seed + 2 * SEEDS * ranks.rank
        self._streams = StepStreams(self._seed, network.n_streams, data.device)
        self._streams_now: Tensor | None = None
        self._networks: list[Callable[..., Tensor]] = [
            torch.compile(one, dynamic=True) if plan.compile else one
            for one in network.networks
        ]
        self._differentiator = self._make_differentiator()

    def use(self, data: DeviceHierarchies, targets: Targets) -> None:
        """Go on with other graphs."""
        self.data, self.targets = data, targets
        # What was captured points into the last ones.
        self._differentiator = self._make_differentiator()

    def average_weights(self, n_steps: int) -> None:
        """Keep an exponential moving average of the weights, over so many steps."""
        decay = get_ema_multi_avg_fn(1 - 1 / n_steps)
        self.ema = AveragedModel(self.network, multi_avg_fn=decay, use_buffers=True)

    @property
    def result(self) -> Network:
        """The network to validate and to keep."""
        return self.network if self.ema is None else cast(Any, self.ema.module)

    def step(self, window: Window, b: int) -> Tensor:
        """One update from a batch of a window; the loss stays on the device.

        Of several ranks each has its part of the batch; loss and update are those of
        all parts.
        """
        self._streams_now = self._streams.of_step(self.n_updates)
        with self._ranks.guard(), self._own_stream():
            loss = self._find_gradients(window, b)
        self._ranks.go_on()
        moved = (p for group in self.optimizer.param_groups for p in group["params"])
        try:
            loss = self._ranks.average(moved, loss, partial(self._count, window, b))
            self._update()
        except torch.OutOfMemoryError as error:
            if self._ranks.n_ranks == 1:
                raise
            # Others have gone on: halving here alone would leave them waiting.
            raise RuntimeError(
                "out of memory in an update that ranks share; take a smaller "
                "batch_size or hidden_dim"
            ) from error
        return loss

    def end_epoch(self) -> None:
        """Tell the optimiser, if it wants to know."""
        if isinstance(self.optimizer, PESG):
            self.optimizer.end_epoch()

    def differentiate(self, batch: Sequence[LevelBatch], graphs: Tensor) -> Tensor:
        """Loss of some graphs, mean over networks; adds gradients to the parameters'.

        One network follows the other, so that the states of one at a time are kept.
        """
        device_type, in_bf16 = self.data.device.type, self.plan.precision == "bf16"
        targets = self.targets.values[graphs], self.targets.weights[graphs]
        streams: Sequence[Tensor | None] = [None] * len(self._networks)
        if self._streams_now is not None:
            streams = self._streams_now.chunk(len(self._networks))
        losses = []
        for network, find_loss, own in zip(
            self._networks, self.losses, streams, strict=True
        ):
            # Without a cache, which in a user's own autocast outlives a step's weights.
            with torch.autocast(
                device_type, torch.bfloat16, enabled=in_bf16, cache_enabled=False
            ):
                outputs = network(batch, own)
            loss = find_loss(outputs.float(), *targets)
            loss.backward()
            losses.append(loss.detach())
        return torch.stack(losses).mean()

    def forget_gradients(self) -> None:
        """Set gradients to zero, or to None where that is allowed."""
        self.optimizer.zero_grad(set_to_none=not self._is_flat)

    def release(self) -> None:
        """Give back memory that is not needed between steps."""
        self.forget_gradients()
        # Made again when needed.
        self._differentiator = self._make_differentiator()
        self.network.engine.release_memory(self.data.device)

    def _make_differentiator(self) -> Callable[..., Tensor] | None:
        engine = self.network.engine
        return engine.make_differentiator(self.optimizer, self.data, self.differentiate)

    def _own_stream(self) -> AbstractContextManager[Any]:
        """What users' layers draw from, which may draw by themselves."""
        if not callable(self.network.shape.conv):
            return nullcontext()
        # Beyond all seeds, whose streams are those of our own layers.
        stream = find_streams(self._seed + SEEDS, self.n_updates, 1)[0]
        seed = int(stream) & LARGEST_SEED
        if self.plan.compile:
            return torch_stream(seed, self.data.device)
        return OwnStream(seed)

    def _find_gradients(self, window: Window, b: int) -> Tensor:
        """Loss of a batch; gradients are in the parameters afterwards."""
        if self._differentiator is not None:
            return self._differentiator(window, b)
        self.forget_gradients()
        return self.differentiate(window.batch(b), window.graphs_of(b))

    def _count(self, window: Window, b: int) -> Tensor:
        """Number of labels that the loss of a batch is the mean of."""
        count: Tensor = self.plan.loss.count(self.targets.values[window.graphs_of(b)])
        return count

    def _update(self) -> None:
        """Move the weights by their gradients."""
        if self.plan.clip_norm is not None:
            for one in self.network.networks:
                clip_grad_norm_(one.parameters(), self.plan.clip_norm)
        self.optimizer.step()
        self.n_updates += 1
        if self.ema is not None:
            self.ema.update_parameters(self.network)
