"""Ranks: processes that train one network together, and what they tell each other.

In: a process group. Out: means of gradients and statistics over all ranks, and values
that all of them take from the first. One process alone is a group of one, which tells
nobody anything. What decides the course of a training (a score, a request to stop, an
interruption, a shortage of memory) goes through here, so that no rank waits for another
that has gone a different way.
"""

from __future__ import annotations

import io
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from enum import IntEnum
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

# Whether this thread trains: its predictions are its own then, not all ranks'.
_is_training: ContextVar[bool] = ContextVar("is_training", default=False)


class LostRankError(RuntimeError):
    """Another rank has ended before the training has."""


class Signal(IntEnum):
    """What a rank says before each step; the largest of all ranks counts."""

    GO_ON = 0
    INTERRUPTED = 1
    OUT_OF_MEMORY = 2


class Ranks:
    """One process alone; :class:`ProcessRanks` are several.

    Attributes
    ----------
    rank : int
        The number of this process, from 0.
    n_ranks : int
    is_broken : bool
        Whether this rank no longer goes the way of the others.
    """

    rank: int = 0
    n_ranks: int = 1
    is_broken: bool = False

    @property
    def is_first(self) -> bool:
        """Whether this rank writes, shows and decides."""
        return self.rank == 0

    @property
    def n_beside(self) -> int:
        """Number of ranks on this machine, which share its memory."""
        return 1

    def take(self, batch: np.ndarray) -> np.ndarray:
        """This rank's graphs of a batch that all ranks know."""
        return batch[self.rank :: self.n_ranks]

    def agree(self, value: Any) -> Any:
        """Value of the first rank."""
        return value

    def check_equal(self, described: dict[str, str]) -> None:
        """Refuse ranks that differ in what is described, on all of them."""

    def check_batches(self, batches: list[np.ndarray]) -> None:
        """Refuse batches that do not have a graph for each rank."""

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Tell the others if memory runs out inside."""
        yield

    def go_on(self) -> None:
        """Wait until all ranks have their gradients; raise what another met with."""

    def average(
        self, parameters: Iterable[Tensor], loss: Tensor, count: Callable[[], Tensor]
    ) -> Tensor:
        """Mean loss over the labels of all ranks; gradients become those of it.

        Parameters
        ----------
        parameters : iterable of Tensor
            Their gradients are averaged in place.
        loss : Tensor of shape ()
            Mean over this rank's labels.
        count : callable
            Number of this rank's labels, a Tensor of shape ().
        """
        return loss

    def average_statistics(self, network: nn.Module) -> None:
        """Average all buffers that hold numbers over the ranks."""

    def copy_first(self, network: nn.Module) -> None:
        """Take all weights and buffers of the first rank."""

    def own_rows(self, n_rows: int) -> np.ndarray:
        """Consecutive rows that are this rank's."""
        return split_between(n_rows, self.n_ranks)[self.rank]

    def join_rows(self, found: np.ndarray | None, n_rows: int) -> np.ndarray:
        """Rows of all ranks in order, on all of them; None stands for no own rows."""
        assert found is not None
        return found

    @contextmanager
    def interrupts_held(self) -> Iterator[None]:
        """Inside, Ctrl-C is heard between steps, by all ranks at once."""
        yield


ALONE = Ranks()


class ProcessRanks(Ranks):
    """Ranks of a process group.

    Parameters
    ----------
    rank, n_ranks : int
    control : torch.distributed.ProcessGroup
        For tensors on the CPU.
    gradients : torch.distributed.ProcessGroup or None, default=None
        For tensors on GPUs; None for ``control``.
    timeout : datetime.timedelta or None, default=None
        How long one waits for another; None is what the groups say.
    """

    def __init__(
        self,
        rank: int,
        n_ranks: int,
        control: Any,
        gradients: Any = None,
        timeout: timedelta | None = None,
    ) -> None:
        self.rank, self.n_ranks = rank, n_ranks
        self._groups = [control, gradients or control]
        self._timeout = timeout
        self._is_interrupted = False
        # Before torch 2.8 a group that is destroyed keeps Python's lock and waits for
        # its threads; one of them that frees the last tensors would wait for that lock.
        self._last_tensors: deque[Tensor] = deque(maxlen=4)

    @property
    def n_beside(self) -> int:
        return int(os.environ.get("LOCAL_WORLD_SIZE", self.n_ranks))

    def agree(self, value: Any) -> Any:
        return self._send(value, 0)

    def check_equal(self, described: dict[str, str]) -> None:
        first, *others = (self._send(described, root) for root in range(self.n_ranks))
        # All ranks say the same, whichever of them differs.
        for rank, other in enumerate(others, start=1):
            different = [what for what in first if other[what] != first[what]]
            if different:
                raise ValueError(
                    f"processes that train together differ in {' and '.join(different)}"
                    f" (rank 0 and rank {rank}); give fit the same graphs (coarsened "
                    "with the same random_state), targets and parameters in each"
                )

    def check_batches(self, batches: list[np.ndarray]) -> None:
        fewest = min(map(len, batches))
        if fewest < self.n_ranks:
            raise ValueError(
                f"batch_size: expected a graph for each of {self.n_ranks} processes in "
                f"each batch, got a batch of {fewest}"
            )

    @contextmanager
    def guard(self) -> Iterator[None]:
        try:
            yield
        except torch.OutOfMemoryError:
            self._tell(Signal.OUT_OF_MEMORY)
            raise

    def go_on(self) -> None:
        own = Signal.INTERRUPTED if self._is_interrupted else Signal.GO_ON
        heard = self._tell(own)
        if heard == Signal.OUT_OF_MEMORY:
            raise torch.OutOfMemoryError("another rank is out of memory")
        if heard == Signal.INTERRUPTED:
            raise KeyboardInterrupt

    def average(
        self, parameters: Iterable[Tensor], loss: Tensor, count: Callable[[], Tensor]
    ) -> Tensor:
        # As many numbers on all ranks, whether a parameter is used or not.
        learnt = [p for p in parameters if p.requires_grad]
        for parameter in learnt:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        n = count().to(loss)
        parts = [p.grad.reshape(-1) for p in learnt if p.grad is not None]
        sums = torch.cat([*parts, loss.reshape(1), torch.ones_like(loss).reshape(1)])
        sums *= n
        self._reduce(sums)
        sums /= sums[-1].clamp(min=1)
        sizes = [p.numel() for p in learnt]
        for parameter, mean in zip(learnt, sums[:-2].split(sizes), strict=True):
            assert parameter.grad is not None
            parameter.grad.copy_(mean.view_as(parameter.grad))
        return sums[-2]

    @torch.no_grad()
    def average_statistics(self, network: nn.Module) -> None:
        buffers = [b for b in network.buffers() if b.is_floating_point() and b.numel()]
        if not buffers:
            return
        # In float64 the mean of equal numbers is that number.
        sums = torch.cat([buffer.reshape(-1).cpu().double() for buffer in buffers])
        self._reduce(sums)
        parts = (sums / self.n_ranks).split([buffer.numel() for buffer in buffers])
        for buffer, mean in zip(buffers, parts, strict=True):
            buffer.copy_(mean.view_as(buffer))

    def copy_first(self, network: nn.Module) -> None:
        network.load_state_dict(self.agree(network.state_dict()))

    def join_rows(self, found: np.ndarray | None, n_rows: int) -> np.ndarray:
        # The first rank has rows wherever any rank has.
        rows = np.zeros(
            (n_rows, *self.agree(None if found is None else found.shape[1:]))
        )
        if found is not None:
            rows[self.own_rows(n_rows)] = found
        self._reduce(torch.from_numpy(rows))
        return rows

    def leave(self) -> None:
        """Give up the groups, so that their connections can be closed."""
        self._groups.clear()
        self.is_broken = True

    @contextmanager
    def interrupts_held(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or before in (None, signal.SIG_IGN):
            yield
            return

        def note(number: int, frame: Any) -> None:
            if self._is_interrupted:
                # Asked for twice: the others are left behind.
                self.is_broken = True
                raise KeyboardInterrupt
            self._is_interrupted = True

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _tell(self, own: Signal) -> Signal:
        largest = torch.tensor([int(own)])
        self._reduce(largest, dist.ReduceOp.MAX)
        return Signal(int(largest))

    def _send(self, value: Any, root: int) -> Any:
        """Value of a rank, on all ranks."""
        data, size = b"", torch.zeros(1, dtype=torch.int64)
        if self.rank == root:
            file = io.BytesIO()
            torch.save(value, file)
            data = file.getvalue()
            size += len(data)
        self._broadcast(size, root)
        numbers = torch.zeros(int(size), dtype=torch.uint8)
        if self.rank == root:
            numbers.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        self._broadcast(numbers, root)
        if self.rank == root:
            return value
        file = io.BytesIO(numbers.numpy().tobytes())
        return torch.load(file, map_location="cpu", weights_only=False)

    def _broadcast(self, values: Tensor, root: int) -> None:
        options = self._options(dist.BroadcastOptions())
        options.rootRank = root
        self._last_tensors.append(values)
        with _all_alive():
            self._groups[0].broadcast([values], options).wait()

    def _reduce(self, values: Tensor, op: Any = dist.ReduceOp.SUM) -> None:
        options = self._options(dist.AllreduceOptions())
        options.reduceOp = op
        self._last_tensors.append(values)
        with _all_alive():
            self._groups[values.device.type != "cpu"].allreduce(
                [values], options
            ).wait()

    def _options(self, options: Any) -> Any:
        if self._timeout is not None:
            options.timeout = self._timeout
        return options


@contextmanager
def _all_alive() -> Iterator[None]:
    """Say in our words that another rank is gone."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        raise LostRankError(
            "another process of this training has ended, or cannot be reached; its own "
            "message says why. With checkpoint=folder an equal fit goes on from the "
            f"last complete epoch ({str(error).partition('. ')[0]})"
        ) from error


def split_between(n_rows: int, n_ranks: int) -> list[np.ndarray]:
    """Consecutive rows of each rank; the first has as many as any."""
    return np.array_split(np.arange(n_rows), n_ranks)


def is_in_group() -> bool:
    """Whether the user has started a process group of several ranks."""
    has_group = dist.is_available() and dist.is_initialized()
    return has_group and dist.get_world_size() > 1


def count_ranks_beside() -> int:
    """Number of ranks of the user's group on this machine, which share its memory."""
    if not is_in_group():
        return 1
    return int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size()))


def device_of_rank(device: torch.device) -> torch.device:
    """The GPU of this process in a group, where any GPU is asked for."""
    if device.type != "cuda" or device.index is not None or not is_in_group():
        return device
    local_rank = int(os.environ.get("LOCAL_RANK") or dist.get_rank())
    return torch.device("cuda", local_rank % torch.cuda.device_count())


def is_training() -> bool:
    """Whether the caller is called by a fit."""
    return _is_training.get()


@contextmanager
def join_group() -> Iterator[Ranks]:
    """Ranks of the process group that the user has started, or this process alone.

    Predictions inside are each process's own.
    """
    token = _is_training.set(True)
    try:
        with _ranks_of_group() as ranks:
            yield ranks
    finally:
        _is_training.reset(token)


@contextmanager
def _ranks_of_group() -> Iterator[Ranks]:
    if not is_in_group():
        yield ALONE
        return
    # Of our own: whoever leaves it closes its connections, which ends the others.
    control = dist.new_group(backend="gloo")
    world, n_ranks = dist.group.WORLD, dist.get_world_size()
    ranks = ProcessRanks(dist.get_rank(), n_ranks, control, world)
    try:
        yield ranks
    finally:
        ranks.leave()
        dist.destroy_process_group(control)
        del control
