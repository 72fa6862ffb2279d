"""Training on a list of devices: a process on each, started from here.

In: what `fit_network` takes, with a device or several. Out: what it gives. This process
is the first rank, so callbacks, bars, checkpoints and Ctrl-C are as ever. The others
(:mod:`skshake.network._worker`) are started without a look at the user's script, which
needs no ``__main__`` guard, and map the graphs from files.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import torch
import torch.distributed as dist

from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._averaging import Network
from skshake.network._engine import resolve_devices
from skshake.network._fitting import (
    LabelledGraphs,
    check_loss_is_shared,
    fit_network,
)
from skshake.network._plan import EpochRecord, NetworkShape, TrainingPlan
from skshake.network._ranks import ALONE, LostRankError, ProcessRanks, Ranks
from skshake.network._training import EpochHooks

# Seconds between two looks at processes that start, and for one to end by itself.
LOOK, GRACE = 0.02, 10.0
# Until the ranks have met, and while they train: one may wait for another's callbacks.
MEETING, TRAINING = timedelta(seconds=60), timedelta(days=30)
# Characters of what a process has printed that an error shows.
MOST_PRINTED = 2_000


def fit_on(
    device: Any,
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    plan: TrainingPlan,
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    previous: Network | None = None,
    checkpoint: Any = None,
    on_epoch: EpochHooks | None = None,
    ranks: Ranks = ALONE,
) -> tuple[Network, list[EpochRecord]]:
    """Train on a device, or on each of a list of them at once.

    Parameters
    ----------
    device : str, torch.device, or a list of these
    training, held_out, shape, plan, score, previous, checkpoint, on_epoch
        As :func:`fit_network` takes them.
    ranks : Ranks, default=ALONE
        Of the process group that this process is in.

    Returns
    -------
    network : Network
        On the CPU.
    history : list of EpochRecord
    """
    devices = resolve_devices(device)
    others = (previous, checkpoint, on_epoch)
    if len(devices) == 1:
        job = (training, held_out, shape, plan)
        return fit_network(*job, score, devices[0], *others, ranks)
    if ranks is not ALONE:
        raise ValueError(
            f"device={device!r}: expected one device within a process group, whose "
            "processes have one each; device='auto' finds it"
        )
    check_loss_is_shared(plan)
    with tempfile.TemporaryDirectory(prefix="skshake-") as folder:
        write_job(Path(folder), training, held_out, shape, plan, previous)
        # All ranks read the same files.
        training, held_out, *_ = read_job(Path(folder))
        job = (training, held_out, shape, plan)
        with _started(devices, Path(folder)) as started:
            return fit_network(*job, score, devices[0], *others, started)


def write_job(
    folder: Path,
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    plan: TrainingPlan,
    previous: Network | None,
) -> None:
    """Write what all ranks are given."""
    parts = {"training": training, "held_out": held_out}
    for name, part in parts.items():
        if part is not None:
            if not isinstance(part.hierarchies, StoredHierarchies):
                part.hierarchies.save(folder / f"{name}.npz")
            np.savez(
                folder / f"{name}_labels.npz",
                targets=part.targets,
                weights=part.weights,
            )
    try:
        # Functions of notebooks too, which plain pickles cannot hold.
        stored = {name: _stored(part) for name, part in parts.items()}
        job = cloudpickle.dumps((stored, shape, plan, previous))
    except Exception as error:
        raise TypeError(
            f"device: conv or loss cannot be sent to other processes: {error}"
        ) from error
    (folder / "job.pkl").write_bytes(job)


def read_job(
    folder: Path,
) -> tuple[
    LabelledGraphs,
    LabelledGraphs | None,
    NetworkShape,
    TrainingPlan,
    Network | None,
]:
    """What :func:`write_job` wrote; graphs are mapped, not read."""
    stored, *job = cloudpickle.loads((folder / "job.pkl").read_bytes())
    training = _read_labelled(folder, "training", stored["training"])
    held_out = None
    if (folder / "held_out_labels.npz").exists():
        held_out = _read_labelled(folder, "held_out", stored["held_out"])
    return (training, held_out, *job)


def _stored(part: LabelledGraphs | None) -> StoredHierarchies | None:
    """Hierarchies that are in a folder of the user's already: all ranks read there."""
    if part is None or not isinstance(part.hierarchies, StoredHierarchies):
        return None
    return part.hierarchies


def _read_labelled(
    folder: Path, name: str, stored: StoredHierarchies | None
) -> LabelledGraphs:
    hierarchies: HierarchyCollection | None = stored
    if hierarchies is None:
        hierarchies = HierarchyCollection.load(folder / f"{name}.npz", mmap_mode="r")
    with np.load(folder / f"{name}_labels.npz") as labels:
        return LabelledGraphs(hierarchies, **labels)


def meet(folder: Path, rank: int, n_ranks: int, device: torch.device) -> ProcessRanks:
    """The ranks that a folder stands for, once all are here."""
    store = dist.FileStore(str(folder / "store"), n_ranks)
    control = dist.ProcessGroupGloo(
        dist.PrefixStore("control", store), rank, n_ranks, MEETING
    )
    gradients = None
    if device.type == "cuda" and dist.is_nccl_available():
        options = dist.ProcessGroupNCCL.Options()
        gradients = dist.ProcessGroupNCCL(
            dist.PrefixStore("gradients", store), rank, n_ranks, options
        )
    return ProcessRanks(rank, n_ranks, control, gradients, timeout=TRAINING)


class _Workers:
    """Processes of all ranks but the first.

    Parameters
    ----------
    devices : sequence of torch.device
    folder : Path
        Of the job.
    n_threads : int
        Of each.
    """

    def __init__(
        self, devices: Sequence[torch.device], folder: Path, n_threads: int
    ) -> None:
        self._devices, self._folder = devices, folder
        paths = [path or os.getcwd() for path in sys.path]
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": str(n_threads),
            "PYTHONPATH": os.pathsep.join(paths),
        }
        self._processes: list[subprocess.Popen] = []
        for rank, device in enumerate(devices):
            if not rank:
                continue
            command = [sys.executable, "-m", "skshake.network._worker", str(folder)]
            with open(self._log(rank), "wb") as log:
                self._processes.append(
                    subprocess.Popen(
                        [*command, str(rank), str(len(devices)), str(device)],
                        # It ends with us: nothing is written, but the end is seen.
                        stdin=subprocess.PIPE,
                        stdout=log,
                        stderr=log,
                        env=environment,
                    )
                )

    def _log(self, rank: int) -> Path:
        return self._folder / f"rank{rank}.log"

    def wait_until_ready(self) -> None:
        """Wait until all can meet."""
        ready = [self._folder / f"rank{k + 1}.ready" for k in range(len(self))]
        while not all(path.exists() for path in ready):
            self.check()
            time.sleep(LOOK)

    def __len__(self) -> int:
        return len(self._processes)

    def check(self) -> None:
        """Say of a process that has ended why it has.

        Raises
        ------
        LostRankError
            If one has.
        """
        for rank, process in enumerate(self._processes, start=1):
            code = process.poll()
            if code:
                how = f"signal {_name(-code)}" if code < 0 else f"code {code}"
                printed = self._log(rank).read_text(errors="replace").strip()
                raise LostRankError(
                    f"the process of device {self._devices[rank]} (rank {rank}) ended "
                    f"with {how}; with checkpoint=folder an equal fit goes on from the "
                    f"last complete epoch\n{printed[-MOST_PRINTED:]}"
                )

    def explain(self) -> None:
        """The same, of a process that has hung up and may be about to end."""
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            self.check()
            time.sleep(LOOK)

    def end(self, *, at_once: bool) -> None:
        """End all processes; those that may finish have their time."""
        for process in self._processes:
            try:
                process.wait(0.0 if at_once else GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


@contextmanager
def _started(devices: Sequence[torch.device], folder: Path) -> Iterator[ProcessRanks]:
    """Ranks of processes that are started, and end with the block."""
    before = torch.get_num_threads()
    n_threads = max(1, before // len(devices))
    workers = _Workers(devices, folder, n_threads)
    is_done = False
    try:
        workers.wait_until_ready()
        ranks = meet(folder, 0, len(devices), devices[0])
        if devices[0].type == "cpu":
            torch.set_num_threads(n_threads)
        try:
            yield ranks
            is_done = True
        except LostRankError:
            ranks.leave()
            workers.explain()
            raise
        finally:
            ranks.leave()
            torch.set_num_threads(before)
    finally:
        workers.end(at_once=not is_done)
