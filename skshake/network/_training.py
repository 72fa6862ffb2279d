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
from skshake.network._checkpoint import Checkpoint
from skshake.network._early_stopping import EarlyStopping
from skshake.network._finishing import finish
from skshake.network._interruption import is_one_of_many
from skshake.network._model import SHAKENetwork
from skshake.network._optimizers import unflatten
from skshake.network._plan import EpochRecord, TrainingPlan
from skshake.network._ranks import ALONE, Ranks
from skshake.network._steps import Steps, Targets
from skshake.network.batches import DeviceHierarchies, Windows

Validate = Callable[[SHAKENetwork], float]


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


class Training:
    """State of a training that epochs move on.

    Parameters
    ----------
    network : SHAKENetwork
        Trained in place, by its engine.
    data : DeviceHierarchies
    targets : Targets
    plan : TrainingPlan
    ranks : Ranks, default=ALONE
        Processes that share each batch.
    """

    def __init__(
        self,
        network: SHAKENetwork,
        data: DeviceHierarchies,
        targets: Targets,
        plan: TrainingPlan,
        ranks: Ranks = ALONE,
    ) -> None:
        self.network, self.data, self.plan = network, data, plan
        self.ranks = ranks
        network.temperature.fill_(plan.temperature)
        self.steps = Steps(network, data, targets, plan, ranks)
        values = targets.values.cpu().numpy()
        self._targets = values.reshape(len(values), -1)
        self.batch_size = plan.batch_size
        self.rng = np.random.default_rng(plan.seed)
        self.stopping = EarlyStopping(plan.n_iter_no_change, plan.tol)
        self.history: list[EpochRecord] = []
        self.is_done = False
        self._window_rows = network.engine.window_rows
        # Of an epoch; how many there are does not depend on the order of graphs.
        batches = self._batches(np.random.default_rng(0))
        ranks.check_batches(batches)
        self._n_steps = len(batches)
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
        total = torch.zeros((), device=self.data.device)
        batches = self._batches(self.rng)
        own = [self.ranks.take(batch) for batch in batches]
        n_graphs, n_done = sum(map(len, batches)), 0
        windows = self._windows()
        # A batch leaves the list once it is done, so that those left can be halved.
        while batches:
            try:
                with self.ranks.guard():
                    window, b = windows.take(own)
                loss = self.steps.step(window, b)
            except torch.OutOfMemoryError as error:
                batches = self._halve(batches, error)
                own = [self.ranks.take(batch) for batch in batches]
                windows = self._windows()
                continue
            n_done += len(batches[0])
            total += loss * len(batches.pop(0))
            own.pop(0)
            self._schedule(n_done / n_graphs)
        self.steps.end_epoch()
        return float(total) / n_graphs

    def run_and_note(self, validate: Validate | None) -> None:
        """Run an epoch, note it, and note whether it was the last."""
        forest = self._forest
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

    def snapshot(self) -> SHAKENetwork:
        """The network that a training which ends now would give, on the CPU."""
        network = copy.deepcopy(self.network)
        network.load_state_dict(self.kept)
        return finish(network, self.data)

    def _average_statistics(self) -> None:
        """Average what batch normalisation has seen over the ranks."""
        self.ranks.average_statistics(self.network)
        if self.steps.ema is not None:
            self.ranks.average_statistics(self.steps.result)

    def _batches(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Graphs of each batch of an epoch."""
        return self.plan.loss.make_batches(rng, self._targets, self.batch_size)

    @property
    def _forest(self) -> int:
        """Which of the forests this epoch trains on."""
        return len(self.history) % self.data.n_forests

    def _windows(self) -> Windows:
        transposes = self.network.engine.needs_transposes
        return Windows(self.data, self._forest, self._window_rows, transposes)

    def _schedule(self, fraction: float) -> None:
        """Set the learning rate for the given fraction of the epoch done."""
        if self.scheduler is not None:
            n_steps = round(self._n_steps * (len(self.history) + fraction))
            while self.scheduler.last_epoch < n_steps:
                self.scheduler.step()

    def _halve(
        self, batches: list[np.ndarray], error: torch.OutOfMemoryError
    ) -> list[np.ndarray]:
        """Batches of half as many graphs, for the rest of the training."""
        self.batch_size = max(map(len, batches)) // 2
        if not self.batch_size:
            raise error
        self._window_rows //= 2
        self.steps.release()
        pairs = (np.array_split(batch, 2) for batch in batches)
        halves = [half for pair in pairs for half in pair if len(half)]
        if min(map(len, halves)) < self.ranks.n_ranks:
            raise error
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
            "loss": steps.loss.state_dict(),
            "optimizer": steps.optimizer.state_dict(),
            "scheduler": self.scheduler and self.scheduler.state_dict(),
            "batch_size": self.batch_size,
            "n_updates": steps.n_updates,
            "numpy": self.rng.bit_generator.state,
            "history": [asdict(record) for record in self.history],
            "best": (stopping.best_score, stopping.n_bad, stopping.best_state),
            "is_done": self.is_done,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        steps, stopping = self.steps, self.stopping
        self.network.load_state_dict(state["network"])
        if steps.ema is not None:
            steps.ema.load_state_dict(state["ema"])
        steps.loss.load_state_dict(state["loss"])
        steps.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.batch_size = state["batch_size"]
        steps.n_updates = state["n_updates"]
        self.rng.bit_generator.state = state["numpy"]
        self.history = [EpochRecord(**record) for record in state["history"]]
        stopping.best_score, stopping.n_bad, stopping.best_state = state["best"]
        self.is_done = state["is_done"]


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
