"""Training in one process and in two, on cores of their own: seconds and their ratio.

The bundled molecules of BACE, 8,192 with repeats, in batches of 256 graphs, on two
levels. Each process computes in one thread, so two need two idle cores. Where others
use these, "slowest over quickest" of the repeats says how much, and the time of the
first process on its core (its half of the work, averaging included) says what idle
cores would give at best. The start of the second process, which imports torch, is a row
of its own. The last row compares both after two steps without normalisation: later ones
carry a rounding on, as they do in one process.

    python examples/benchmarks/bench_ranks.py --json ranks.json
"""

import statistics
import time

import numpy as np
import torch
from _bench import Benchmark

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_bace
from skshake.network._training import Training

BATCH_SIZE, N_EPOCHS = 256, 4
run_epoch = Training.run_epoch
on_core: list[float] = []


def timed(training: Training) -> float:
    """An epoch, whose seconds on the core are noted."""
    begin = time.process_time()
    loss = run_epoch(training)
    on_core.append(time.process_time() - begin)
    return loss


def fit(device: str | list[str], X: object, y: np.ndarray, **more: object):
    """A fitted classifier, and the seconds of its fit."""
    settings = {"batch_size": BATCH_SIZE, "early_stopping": False, "random_state": 0}
    model = SHAKEClassifier(**{**settings, **more}, device=device)
    begin = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - begin


def main() -> None:
    """Measure both in turn."""
    benchmark = Benchmark(__doc__)
    Training.run_epoch = timed  # type: ignore[method-assign]
    torch.set_num_threads(1)
    n_graphs = 8_192 // (8 if benchmark.arguments.quick else 1)
    graphs, y = load_bace(return_X_y=True)
    rows = np.arange(n_graphs) % len(graphs)
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    X, y = coarsener.fit_transform(graphs)[rows], y[rows]
    ways: dict[str, str | list[str]] = {"one": "cpu", "two": ["cpu", "cpu"]}
    epochs: dict[str, list[float]] = {way: [] for way in ways}
    cores: dict[str, list[float]] = {way: [] for way in ways}
    starts = []
    for run in range(benchmark.repeats + 1):
        for way, device in ways.items():
            on_core.clear()
            model, seconds = fit(device, X, y, max_iter=N_EPOCHS)
            # The first compiles; the first epoch of each fit gathers what others reuse.
            of_epochs = [record.seconds for record in model.history_]
            if run:
                epochs[way].append(statistics.median(of_epochs))
                cores[way].append(statistics.median(on_core))
                if way == "two":
                    starts.append(seconds - sum(of_epochs))
    for way, seconds in epochs.items():
        benchmark.report({f"{way}: seconds of an epoch": statistics.median(seconds)})
        benchmark.report({f"{way}: slowest over quickest": max(seconds) / min(seconds)})
        on_first = statistics.median(cores[way])
        benchmark.report({f"{way}: seconds of the first on its core": on_first})
    pairs = [one / two for one, two in zip(*epochs.values(), strict=True)]
    benchmark.report({"speed-up, median": statistics.median(pairs)})
    benchmark.report({"speed-up, best": max(pairs)})
    bound = statistics.median(cores["one"]) / statistics.median(cores["two"])
    benchmark.report({"speed-up of the first on its core": bound})
    benchmark.report({"seconds beside the epochs, two": statistics.median(starts)})
    few, of_few = X[: 2 * BATCH_SIZE], y[: 2 * BATCH_SIZE]
    outputs = [
        fit(device, few, of_few, norm=None, max_iter=1)[0].predict_proba(few)
        for device in ways.values()
    ]
    difference = np.abs(outputs[0] - outputs[1]).max()
    benchmark.report({"largest difference of probabilities": difference})
    benchmark.write()


if __name__ == "__main__":
    main()
