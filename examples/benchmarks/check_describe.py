"""How right are the times that ``describe`` estimates, and how long does it take?

    python examples/benchmarks/check_describe.py DATA/graphs/PROTEINS.npz

Files are what ``skshake.datasets.load_npz`` and ``load_molecules_csv`` read. Of each
set this prints the seconds of ``describe``, with and without the estimate, and of
coarsening and an epoch the estimated and the measured seconds: medians of ``--repeats``
rounds in which both take turns, since a machine may be busy. Epochs are measured from
the second on, two of them.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from skshake import GraphCollection, KFCoarsener, SHAKEClassifier, describe
from skshake.datasets import load_molecules_csv, load_npz
from skshake.description import run_trial

COLUMNS = ("describe", "without", "coarsening", "estimate", "epoch", "estimate")


def seconds_of(function: Callable) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def read(path: Path) -> GraphCollection:
    """Graphs of a file of either kind."""
    is_table = ".csv" in path.suffixes
    return load_molecules_csv(path).data if is_table else load_npz(path).data


def measure(graphs: GraphCollection) -> tuple[float, ...]:
    """Seconds of one round, in the order of the columns."""
    trial = run_trial(graphs, 1)
    coarsener = KFCoarsener(random_state=0)
    coarsening = seconds_of(lambda: coarsener.fit_transform(graphs))
    model = SHAKEClassifier(max_iter=3, random_state=0)
    model.fit(coarsener.transform(graphs), np.arange(len(graphs)) % 2)
    epoch = float(np.mean([record.seconds for record in model.history_[1:]]))
    return (
        seconds_of(lambda: describe(graphs)),
        seconds_of(lambda: describe(graphs, time_fit=False)),
        coarsening,
        trial.coarsen_seconds,
        epoch,
        trial.epoch_seconds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    arguments = parser.parse_args()
    print(f"{'seconds':<12}", *(f"{name:>10}" for name in COLUMNS))
    for path in arguments.files:
        graphs = read(path)
        # Kernels are compiled, or loaded.
        describe(graphs[: min(len(graphs), 200)])
        rounds = [measure(graphs) for _ in range(arguments.repeats)]
        medians = np.median(rounds, axis=0).tolist()
        name = path.name.partition(".")[0]
        print(f"{name:<12}", *(f"{median:10.3g}" for median in medians), flush=True)


if __name__ == "__main__":
    main()
