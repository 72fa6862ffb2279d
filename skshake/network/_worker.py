"""A process of a training on several devices: all ranks but the first.

    python -m skshake.network._worker FOLDER RANK N_RANKS DEVICE

In: the folder of a job. Out: nothing; the first rank has the trained network too. It
ends with the process that started it, whose end it sees by its standard input.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from threading import Thread

import torch

from skshake.network._fitting import fit_network
from skshake.network._launching import meet, read_job


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main(folder: Path, rank: int, n_ranks: int, device: torch.device) -> None:
    """Train as a rank."""
    # The first rank hears Ctrl-C and says it to all; it warns for all, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    Thread(target=_end_with_parent, daemon=True).start()
    training, held_out, shape, plan, previous = read_job(folder)
    (folder / f"rank{rank}.ready").touch()
    ranks = meet(folder, rank, n_ranks, device)
    job = (training, held_out, shape, plan)
    fit_network(*job, _leave_to_first, device, previous, ranks=ranks)


def _leave_to_first(*given: object) -> float:
    """Stands for the score, which the first rank finds."""
    return 0.0


if __name__ == "__main__":
    _, of_job, number, count, name = sys.argv
    main(Path(of_job), int(number), int(count), torch.device(name))
