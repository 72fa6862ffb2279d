"""Training: epochs, early stopping, averaged weights.

In: steps, hierarchies on a device, a plan. Out: trained weights and one record per
epoch. Losses stay on the device until an epoch ends.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from skshake._logging import logger
from skshake._progress import tqdm
from skshake._warnings import warn_user
from skshake.graphs import garbage_collection_paused
from skshake.network._averaging import Network
from skshake.network._checkpoint import Checkpoint
from skshake.network._early_stopping import EarlyStopping
from skshake.network._finishing import finish
from skshake.network._interruption import is_one_of_many
from skshake.network._optimizers import unflatten
from skshake.network._plan import EpochRecord, TrainingPlan
from skshake.network._ranks import ALONE, Ranks
from skshake.network._steps import Steps, Targets
from skshake.network.batches import (
    Buffer,
    DeviceHierarchies,
    Shares,
    StoredSet,
    WholeSet,
    Windows,
)

Validate = Callable[[Network], float]


class EpochHooks(Protocol):
    """Who is told of each epoch while a network is trained."""

    def begin(self) -> None:
        """An epoch begins."""

    def end(
        self, history: list[EpochRecord], make_network: Callable[[], Network]
    ) -> bool:
        """An epoch ended; True stops the training.

        ``history`` are the records of all epochs so far; ``make_network`` makes a copy
        of the network that the training would end with now.
        """


class Training:
    """State of a training that epochs move on.

    Parameters
    ----------
    network : Network
        Trained in place, by its engine.
    data : DeviceHierarchies or StoredSet
    targets : Targets
        Of all graphs.
    plan : TrainingPlan
    ranks : Ranks, default=ALONE
        Processes that share each batch.
    """

    def __init__(
        self,
        network: Network,
        data: DeviceHierarchies | StoredSet,
        targets: Targets,
        plan: TrainingPlan,
        ranks: Ranks = ALONE,
    ) -> None:
        self.network, self.plan, self.ranks = network, plan, ranks
        self.data = data if isinstance(data, StoredSet) else WholeSet(data)
        for one in network.networks:
            one.temperature.fill_(plan.temperature)
        self.targets = targets
        self.steps = Steps(network, self.data.sample, targets, plan, ranks)
        values = targets.values.cpu().numpy()
        self._targets = values.reshape(len(values), -1)
        self.batch_size = plan.batch_size
        self.rng = np.random.default_rng(plan.seed)
        self.stopping = EarlyStopping(plan.n_iter_no_change, plan.tol)
        self.history: list[EpochRecord] = []
        self.is_done = False
        self._window_rows = network.engine.window_rows
        # Of an epoch; how many there are does not depend on the order of graphs, nor
        # much on which of them are in a buffer together.
        self._n_steps = 0
        for graphs, shares in zip(self.data.plan(0), self.data.shares(0), strict=True):
            batches = self._batches(np.random.default_rng(0), graphs, shares)
            if shares is None:
                ranks.check_batches(batches)
            self._n_steps += len(batches)
        # Called where an epoch can be gone on with, between its buffers.
        self.on_buffer: Callable[[], None] | None = None
        self._forget_epoch()
        if plan.uses_ema:
            self.steps.average_weights(self._n_steps)
        self.scheduler: LRScheduler | None = None
        if plan.schedule == "one-cycle":
            optimizer = self.steps.optimizer
            self.scheduler = OneCycleLR(
                optimizer,
                [group["lr"] for group in optimizer.param_groups],
                total_steps=plan.max_iter * self._n_steps + 1,
                cycle_momentum=plan.optimizer == "adamw",
            )

    def run_epoch(self) -> float:
        """Mean loss of one pass over the batches."""
        self.network.train()
        for buffer in self.data.buffers(len(self.history), self._n_buffers):
            if self._n_buffers:
                self._average_statistics()
                if self.on_buffer is not None:
                    self.on_buffer()
            self._run_buffer(buffer)
            self._n_buffers += 1
        self.steps.end_epoch()
        loss: float = self.ranks.agree(float(self._total) / self._n_graphs)
        self._forget_epoch()
        return loss

    def _run_buffer(self, buffer: Buffer) -> None:
        """Take a step for each batch of the graphs of a buffer."""
        self._use(buffer)
        batches = self._batches(buffer.rng or self.rng, buffer.graphs, buffer.shares)
        own = self._take_own(batches, buffer)
        n_graphs, n_done = sum(map(len, batches)), 0
        windows = self._windows(buffer)
        # A batch leaves the list once it is done, so that those left can be halved.
        while batches:
            try:
                with self.ranks.guard():
                    window, b = windows.take(own)
                loss = self.steps.step(window, b)
            except torch.OutOfMemoryError as error:
                batches = self._halve(batches, error, buffer.shares)
                own = self._take_own(batches, buffer)
                windows = self._windows(buffer)
                continue
            n_done += len(batches[0])
            self._total += loss * len(batches.pop(0))
            own.pop(0)
            self._schedule(buffer.start + buffer.width * (n_done / n_graphs))
        self._n_graphs += n_graphs

    def _take_own(self, batches: list[np.ndarray], buffer: Buffer) -> list[np.ndarray]:
        """This rank's graphs of each batch; of a folder it has read no others."""
        if buffer.shares is not None:
            return [*batches]
        return [self.ranks.take(batch) for batch in batches]

    def _use(self, buffer: Buffer) -> None:
        """Let steps find the graphs of a buffer, by their numbers in it."""
        if buffer.graphs is not None:
            self.steps.use(buffer.data, self.targets.take(buffer.graphs))

    def _forget_epoch(self) -> None:
        """Begin to count: buffers, graphs and their loss."""
        self._n_buffers, self._n_graphs = 0, 0
        self._total = torch.zeros((), device=self.data.sample.device)

    def run_and_note(self, validate: Validate | None) -> None:
        """Run an epoch, note it, and note whether it was the last."""
        forest = len(self.history) % self.data.n_forests
        start = time.perf_counter()
        with garbage_collection_paused():
            loss = self.run_epoch()
        self._average_statistics()
        result = self.steps.result
        score = None if validate is None else validate(result)
        seconds = self.ranks.agree(time.perf_counter() - start)
        number = len(self.history) + 1
        self.history.append(EpochRecord(number, loss, score, seconds))
        if self.ranks.is_first:
            logger.info(
                "epoch %d of %d: loss %.4g%s, %.2f s, forest %d of %d",
                *(number, self.plan.max_iter, loss),
                "" if score is None else f", validation score {score:.4g}",
                *(seconds, forest + 1, self.data.n_forests),
            )
        self.is_done = number >= self.plan.max_iter or not np.isfinite(loss)
        if score is not None and self.stopping.update(score, result):
            self.is_done = True

    def finish(self) -> None:
        """Give the network the weights to end with, in memory of their own."""
        self._average_statistics()
        self.network.load_state_dict(self.kept)
        unflatten(self.network)

    @property
    def kept(self) -> dict[str, Tensor]:
        """Weights to end with: those of the best score, else the last."""
        return self.stopping.best_state or self.steps.result.state_dict()

    def snapshot(self) -> Network:
        """The network that a training which ends now would give, on the CPU."""
        network = copy.deepcopy(self.network)
        network.load_state_dict(self.kept)
        return finish(network, self.data.sample)

    def _average_statistics(self) -> None:
        """Average what batch normalisation has seen over the ranks."""
        self.ranks.average_statistics(self.network)
        if self.steps.ema is not None:
            self.ranks.average_statistics(self.steps.result)

    def _batches(
        self, rng: np.random.Generator, graphs: np.ndarray | None, shares: Shares | None
    ) -> list[np.ndarray]:
        """Graphs of each batch, as numbers among those of a buffer."""
        targets = self._targets if graphs is None else self._targets[graphs]
        batches = self.plan.loss.make_batches(rng, targets, self.batch_size)
        if shares is None:
            return batches
        # As many on each rank.
        n_batches = shares.count_batches(self.batch_size)
        return np.array_split(np.concatenate(batches), n_batches)

    def _windows(self, buffer: Buffer) -> Windows:
        transposes = self.network.engine.needs_transposes
        return Windows(buffer.data, buffer.forest, self._window_rows, transposes)

    def _schedule(self, fraction: float) -> None:
        """Set the learning rate for the given fraction of the epoch done."""
        if self.scheduler is not None:
            n_steps = round(self._n_steps * (len(self.history) + fraction))
            while self.scheduler.last_epoch < n_steps:
                self.scheduler.step()

    def _halve(
        self,
        batches: list[np.ndarray],
        error: torch.OutOfMemoryError,
        shares: Shares | None,
    ) -> list[np.ndarray]:
        """Batches of half as many graphs, for the rest of the training."""
        pairs = (np.array_split(batch, 2) for batch in batches)
        halves = [half for pair in pairs for half in pair if len(half)]
        if shares is None:
            self.batch_size = max(map(len, batches)) // 2
            fewest = min(map(len, halves)) // self.ranks.n_ranks
        else:
            # The same on all ranks, which have other numbers of graphs.
            fewest = shares.n_fewest // (2 * shares.count_batches(self.batch_size))
            self.batch_size //= 2
        if not (self.batch_size and fewest):
            raise error
        self._window_rows //= 2
        self.steps.release()
        if self.ranks.is_first:
            warn_user(
                f"out of memory: going on with batch_size={self.batch_size}",
                UserWarning,
            )
        return halves

    def state(self) -> dict[str, Any]:
        """Everything that the next epoch depends on, as plain values and tensors."""
        steps, stopping = self.steps, self.stopping
        return {
            "network": self.network.state_dict(),
            "ema": steps.ema and steps.ema.state_dict(),
            "loss": steps.losses.state_dict(),
            "optimizer": steps.optimizer.state_dict(),
            "scheduler": self.scheduler and self.scheduler.state_dict(),
            "batch_size": self.batch_size,
            "n_updates": steps.n_updates,
            "numpy": self.rng.bit_generator.state,
            "history": [asdict(record) for record in self.history],
            "best": (stopping.best_score, stopping.n_bad, stopping.best_state),
            "is_done": self.is_done,
            "buffer_bytes": self.data.n_bytes,
            "within_epoch": (self._n_buffers, self._n_graphs, self._total),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        steps, stopping = self.steps, self.stopping
        self.network.load_state_dict(state["network"])
        if steps.ema is not None:
            steps.ema.load_state_dict(state["ema"])
        steps.losses.load_state_dict(state["loss"])
        steps.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.batch_size = state["batch_size"]
        steps.n_updates = state["n_updates"]
        self.rng.bit_generator.state = state["numpy"]
        self.history = [EpochRecord(**record) for record in state["history"]]
        stopping.best_score, stopping.n_bad, stopping.best_state = state["best"]
        self.is_done = state["is_done"]
        if "within_epoch" in state:
            self._n_buffers, self._n_graphs, total = state["within_epoch"]
            # It comes from the first rank, or from another device.
            self._total = total.to(self.data.sample.device)


def train(
    training: Training,
    validate: Validate | None,
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
        Where to go on from, and to write to; of several ranks the first has it.
    on_epoch : EpochHooks or None, default=None
        Told of each epoch that is run; may stop the training. Of several ranks the
        first has them.

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
    ranks = training.ranks
    state = ranks.agree(checkpoint and checkpoint.load())
    if state:
        training.restore(state)
    if checkpoint is not None:
        training.on_buffer = lambda: checkpoint.save(training.state())
    progress = tqdm(
        total=training.plan.max_iter,
        initial=len(training.history),
        disable=not (training.plan.verbose and ranks.is_first),
        desc="epochs",
    )
    with progress, ranks.interrupts_held():
        try:
            while not training.is_done:
                if on_epoch is not None:
                    on_epoch.begin()
                training.run_and_note(validate)
                record = training.history[-1]
                shown = {"loss": record.loss, "score": record.validation_score}
                known = {k: v for k, v in shown.items() if v is not None}
                progress.set_postfix(known, refresh=False)
                progress.update()
                if checkpoint is not None:
                    checkpoint.save(training.state())
                # After the checkpoint: a training that is stopped here can go on.
                stops = on_epoch is not None and on_epoch.end(
                    training.history, training.snapshot
                )
                if ranks.agree(stops):
                    break
        except KeyboardInterrupt:
            if ranks.is_broken or not training.history:
                raise
            if ranks.agree(is_one_of_many()):
                raise
            if ranks.is_first:
                warn_user(
                    f"interrupted in epoch {len(training.history) + 1}: the best "
                    "weights so far are kept",
                    ConvergenceWarning,
                )
    training.finish()
    return training.history
