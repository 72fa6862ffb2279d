"""Training: steps, epochs, early stopping, best weights.

In: a network, hierarchies on a device, targets, a plan. Out: trained weights and one
record per epoch. Losses stay on the device until an epoch ends.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, cast

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from skshake._progress import tqdm
from skshake.graphs import garbage_collection_paused
from skshake.network._batches import DeviceHierarchies, LevelBatch
from skshake.network._batching import (
    CPU_RUN_ROWS,
    RUN_ROWS,
    BatchesInRuns,
    balanced_batches,
    shuffled_batches,
)
from skshake.network._captured import CapturedSteps, can_capture
from skshake.network._checkpoint import Checkpoint
from skshake.network._finishing import finish
from skshake.network._interruption import is_one_of_many
from skshake.network._losses import make_loss
from skshake.network._model import SHAKENetwork
from skshake.network._optimizers import PESG, flatten, make_optimizer, unflatten
from skshake.network._random import OwnStream, StepStreams, find_streams, torch_stream
from skshake.network._runs import Run

# Of a generator of torch.
LARGEST_SEED = 2**62 - 1


@dataclass(frozen=True)
class TrainingPlan:
    """How to train; see :class:`skshake.SHAKEClassifier` for the meaning of each."""

    max_iter: int
    batch_size: int
    optimizer: str
    loss: str
    learning_rate: float
    weight_decay: float
    schedule: str
    averages: bool
    clip_norm: float | None
    n_iter_no_change: int
    tol: float
    precision: str
    compile: bool
    seed: int
    verbose: int


@dataclass(frozen=True)
class EpochRecord:
    """One epoch.

    Parameters
    ----------
    epoch : int
        From 1.
    loss : float
        Mean training loss of the epoch.
    validation_score : float or None
        None when nothing is held out.
    seconds : float
        Wall time, validation included.
    """

    epoch: int
    loss: float
    validation_score: float | None
    seconds: float


class EpochHooks(Protocol):
    """Who is told of each epoch while a network is trained."""

    def begin(self) -> None:
        """An epoch begins."""

    def end(
        self, history: list[EpochRecord], make_network: Callable[[], SHAKENetwork]
    ) -> bool:
        """An epoch ended; True stops the training.

        ``history`` are the records of all epochs so far; ``make_network`` makes a copy
        of the network that the training would end with now.
        """


@dataclass(frozen=True)
class Targets:
    """Encoded targets and weights of graphs on the device.

    ``values`` int64 (n_graphs,), codes of classes, or float32 (n_graphs, n_tasks);
    ``weights`` float32 (n_graphs,).
    """

    values: Tensor
    weights: Tensor


@dataclass
class EarlyStopping:
    """Remembers the best score, and says when it has not improved for too long."""

    patience: int
    tol: float
    best_score: float = -np.inf
    n_bad: int = 0
    best_state: dict = field(default_factory=dict)

    def update(self, score: float, network: nn.Module) -> bool:
        """Note the score of an epoch; True when training should stop.

        The best weights are those of the best score; only an improvement by more than
        ``tol`` counts against the patience.
        """
        self.n_bad = 0 if score > self.best_score + self.tol else self.n_bad + 1
        if score > self.best_score:
            self.best_score = score
            self.best_state = copy.deepcopy(network.state_dict())
        return self.n_bad >= self.patience


class Training:
    """State of a training that epochs move on.

    Parameters
    ----------
    network : SHAKENetwork
        Trained in place.
    data : DeviceHierarchies
    targets : Targets
    plan : TrainingPlan
    """

    def __init__(
        self,
        network: SHAKENetwork,
        data: DeviceHierarchies,
        targets: Targets,
        plan: TrainingPlan,
    ) -> None:
        self.network, self.data, self.targets, self.plan = network, data, targets, plan
        n_tasks = targets.values.shape[1] if targets.values.ndim == 2 else 1
        self.loss = make_loss(plan.loss, n_tasks).to(data.device)
        # A GPU moves many parameters in one call anyway, and replays their gradients;
        # parameters of a user's layers may be frozen.
        self._is_flat = data.device.type == "cpu" and network.shape.is_compiled
        weights = [flatten(network)] if self._is_flat else list(network.parameters())
        self.optimizer = make_optimizer(
            plan.optimizer, weights, self.loss, plan.learning_rate, plan.weight_decay
        )
        self._streams = StepStreams(plan.seed, network.n_streams, data.device)
        self._dropped: Tensor | None = None
        self.batch_size = plan.batch_size
        self.n_updates = 0
        self.rng = np.random.default_rng(plan.seed)
        self.stopping = EarlyStopping(plan.n_iter_no_change, plan.tol)
        self.history: list[EpochRecord] = []
        self.is_done = False
        self.n_steps = len(self._batches(np.random.default_rng(0)))
        self.scheduler: LRScheduler | None = None
        if plan.schedule == "one-cycle":
            self.scheduler = OneCycleLR(
                self.optimizer,
                [group["lr"] for group in self.optimizer.param_groups],
                total_steps=plan.max_iter * self.n_steps + 1,
                cycle_momentum=plan.optimizer == "adamw",
            )
        self.average: AveragedModel | None = None
        if plan.averages:
            decay = 1 - 1 / self.n_steps
            self.average = AveragedModel(
                network, multi_avg_fn=get_ema_multi_avg_fn(decay), use_buffers=True
            )
        self._forward: Callable[..., Tensor] = network
        if plan.compile:
            self._forward = torch.compile(network, dynamic=True)
        on_gpu = data.device.type == "cuda"
        self._run_rows = RUN_ROWS if on_gpu else CPU_RUN_ROWS
        self._captured: CapturedSteps | None = None
        if can_capture(network, plan.precision, data.device) and not plan.compile:
            self._captured = CapturedSteps(self.optimizer, data, self._differentiate)

    def _batches(self, rng: np.random.Generator) -> list[np.ndarray]:
        if self.plan.loss == "auc_margin":
            values = self.targets.values.cpu().numpy()
            values = values.reshape(len(values), -1)
            return balanced_batches(rng, values, self.batch_size)
        return shuffled_batches(rng, self.data.n_graphs, self.batch_size)

    def step(self, run: Run, b: int) -> Tensor:
        """One update from a batch of a run; the loss stays on the device."""
        self._dropped = self._streams.of_step(self.n_updates)
        with self._own_stream():
            loss = self._find_gradients(run, b)
        self._update()
        return loss

    def _own_stream(self) -> AbstractContextManager:
        """What users' layers draw from, which may draw by themselves."""
        if not callable(self.network.shape.conv):
            return nullcontext()
        # Beyond all seeds, whose streams are those of our own layers.
        stream = find_streams(self.plan.seed + 2**32, self.n_updates, 1)[0]
        seed = int(stream) & LARGEST_SEED
        if self.plan.compile:
            return torch_stream(seed, self.data.device)
        return OwnStream(seed)

    def _find_gradients(self, run: Run, b: int) -> Tensor:
        """Loss of a batch; gradients are in the parameters afterwards."""
        if self._captured is not None:
            return self._captured(run, b)
        self._forget_gradients()
        return self._differentiate(run.batch(b), run.graphs_of(b))

    def _differentiate(self, batch: Sequence[LevelBatch], graphs: Tensor) -> Tensor:
        """Loss of some graphs; gradients are added to the parameters'."""
        device_type, in_bf16 = self.data.device.type, self.plan.precision == "bf16"
        # Without a cache, which in a user's own autocast outlives a step's weights.
        with torch.autocast(
            device_type, torch.bfloat16, enabled=in_bf16, cache_enabled=False
        ):
            outputs = self._forward(batch, self._dropped)
        loss: Tensor = self.loss(
            outputs.float(), self.targets.values[graphs], self.targets.weights[graphs]
        )
        loss.backward()
        return loss.detach()

    def _forget_gradients(self) -> None:
        self.optimizer.zero_grad(set_to_none=not self._is_flat)

    def _update(self) -> None:
        """Move the weights by their gradients."""
        if self.plan.clip_norm is not None:
            clip_grad_norm_(self.network.parameters(), self.plan.clip_norm)
        self.optimizer.step()
        self.n_updates += 1
        if self.average is not None:
            self.average.update_parameters(self.network)

    @property
    def result(self) -> SHAKENetwork:
        """The network to validate and to keep."""
        return self.network if self.average is None else cast(Any, self.average.module)

    @property
    def kept(self) -> dict[str, Tensor]:
        """Weights to end with: those of the best score, else the last."""
        return self.stopping.best_state or self.result.state_dict()

    def snapshot(self) -> SHAKENetwork:
        """The network that a training which ends now would give, on the CPU."""
        network = copy.deepcopy(self.network)
        network.load_state_dict(self.kept)
        return finish(network, self.data)

    def run_epoch(self) -> float:
        """Mean loss of one pass over the batches."""
        self.network.train()
        forest = len(self.history) % self.data.n_forests
        total = torch.zeros((), device=self.data.device)
        batches = self._batches(self.rng)
        n_graphs, n_done = sum(map(len, batches)), 0
        runs = BatchesInRuns(self.data, forest, self._run_rows)
        while batches:
            try:
                loss = self.step(*runs.take(batches))
            except torch.OutOfMemoryError as error:
                batches = self._halve(batches, error)
                runs = BatchesInRuns(self.data, forest, self._run_rows)
                continue
            n_done += len(batches[0])
            total += loss * len(batches.pop(0))
            self._schedule(n_done / n_graphs)
        if isinstance(self.optimizer, PESG):
            self.optimizer.end_epoch()
        return float(total) / n_graphs

    def _schedule(self, share: float) -> None:
        """Set the learning rate for the given share of the epoch done."""
        if self.scheduler is not None:
            n_steps = round(self.n_steps * (len(self.history) + share))
            while self.scheduler.last_epoch < n_steps:
                self.scheduler.step()

    def _halve(
        self, batches: list[np.ndarray], error: torch.OutOfMemoryError
    ) -> list[np.ndarray]:
        """Batches of half as many graphs, for the rest of the training."""
        self.batch_size = max(map(len, batches)) // 2
        if not self.batch_size:
            raise error
        self._forget_gradients()
        self._run_rows //= 2
        if self._captured is not None:
            self._captured.forget()
        if self.data.device.type == "cuda":
            torch.cuda.empty_cache()
        warnings.warn(
            f"out of memory: going on with batch_size={self.batch_size}",
            UserWarning,
            stacklevel=2,
        )
        halves = (np.array_split(batch, 2) for batch in batches)
        return [half for pair in halves for half in pair if len(half)]

    def state(self) -> dict[str, Any]:
        """Everything that the next epoch depends on, as plain values and tensors."""
        stopping = self.stopping
        return {
            "network": self.network.state_dict(),
            "average": self.average and self.average.state_dict(),
            "loss": self.loss.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler and self.scheduler.state_dict(),
            "batch_size": self.batch_size,
            "n_updates": self.n_updates,
            "numpy": self.rng.bit_generator.state,
            "history": [asdict(record) for record in self.history],
            "best": (stopping.best_score, stopping.n_bad, stopping.best_state),
            "is_done": self.is_done,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self.network.load_state_dict(state["network"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.loss.load_state_dict(state["loss"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.batch_size = state["batch_size"]
        self.n_updates = state["n_updates"]
        self.rng.bit_generator.state = state["numpy"]
        self.history = [EpochRecord(**record) for record in state["history"]]
        stopping = self.stopping
        stopping.best_score, stopping.n_bad, stopping.best_state = state["best"]
        self.is_done = state["is_done"]


def train(
    training: Training,
    validate: Callable[[SHAKENetwork], float] | None,
    checkpoint: Checkpoint | None,
    on_epoch: EpochHooks | None = None,
) -> list[EpochRecord]:
    """Run epochs; with validation, end with the weights of the best score.

    Parameters
    ----------
    training : Training
    validate : callable or None
        Score of a network, greater is better; None trains for ``max_iter``.
    checkpoint : Checkpoint or None
        Where to go on from, and to write to.
    on_epoch : EpochHooks or None, default=None
        Told of each epoch that is run; may stop the training.

    Returns
    -------
    history : list of EpochRecord

    Warns
    -----
    ConvergenceWarning
        If the loss is no longer finite, or the user interrupts; the best weights so far
        are kept.

    Raises
    ------
    KeyboardInterrupt
        If the user interrupts a search, or the first epoch.
    """
    state = checkpoint and checkpoint.load()
    if state:
        training.restore(state)
    plan = training.plan
    progress = tqdm(
        total=plan.max_iter,
        initial=len(training.history),
        disable=not plan.verbose,
        desc="epochs",
    )
    with progress:
        try:
            while not training.is_done:
                if on_epoch is not None:
                    on_epoch.begin()
                _run_one(training, validate)
                record = training.history[-1]
                shown = {"loss": record.loss, "score": record.validation_score}
                known = {k: v for k, v in shown.items() if v is not None}
                progress.set_postfix(known, refresh=False)
                progress.update()
                if checkpoint is not None:
                    checkpoint.save(training.state())
                # After the checkpoint: a training that is stopped here can go on.
                if on_epoch is not None and on_epoch.end(
                    training.history, training.snapshot
                ):
                    break
        except KeyboardInterrupt:
            if not training.history or is_one_of_many():
                raise
            warnings.warn(
                f"interrupted in epoch {len(training.history) + 1}: the best weights "
                "so far are kept",
                ConvergenceWarning,
                stacklevel=2,
            )
    training.network.load_state_dict(training.kept)
    unflatten(training.network)
    return training.history


def _run_one(
    training: Training, validate: Callable[[SHAKENetwork], float] | None
) -> None:
    """Run an epoch, note it, and say whether it was the last."""
    start = time.perf_counter()
    with garbage_collection_paused():
        loss = training.run_epoch()
    score = None if validate is None else validate(training.result)
    history = training.history
    seconds = time.perf_counter() - start
    history.append(EpochRecord(len(history) + 1, loss, score, seconds))
    training.is_done = len(history) >= training.plan.max_iter
    if score is not None and training.stopping.update(score, training.result):
        training.is_done = True
    if not np.isfinite(loss):
        training.is_done = True
