"""Latency: ``predict`` of one graph and of 32 beside a forward of torch_geometric.

The model is the same, four GINE layers of width 64; ours comes from a file. Both sides
begin with a list of Data on one thread, and runs are in turn: torch_geometric makes a
batch and calls the network, ``predict`` reads and checks, coarsens where it is asked
to, and gives labels. Prints milliseconds and ratios, and writes them as JSON.

    python examples/benchmarks/bench_latency.py --json latency.json

The graphs are the bundled molecules. ``--quick`` takes few of them and repeats.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from _bench import Benchmark, interleave
from bench_training import Twin, as_data
from sklearn.pipeline import Pipeline, make_pipeline
from torch_geometric.data import Batch, Data

from skshake import GraphCollection, KFCoarsener, SHAKEClassifier, load, save
from skshake.datasets import load_bace

SIZES, N_FORESTS = (1, 32), (1, 4, 16)
LARGEST_DIFFERENCE = 1e-4


def fit_and_load(
    graphs: GraphCollection, y: np.ndarray, **coarsening: object
) -> Pipeline:
    """A pipeline that was trained for an epoch, as a service loads it."""
    coarsener = KFCoarsener(random_state=0, **coarsening)
    model = make_pipeline(
        coarsener,
        SHAKEClassifier(n_networks=1, max_iter=1, temperature=1.0, random_state=0),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        save(model.fit(graphs, y), path)
        return load(path)


@torch.no_grad()
def forward(twin: Twin, items: list[Data]) -> torch.Tensor:
    """Outputs of torch_geometric's network."""
    return twin(Batch.from_data_list(items))


def main() -> None:
    """Run the benchmark."""
    benchmark = Benchmark(__doc__)
    torch.set_num_threads(1)
    graphs, y = load_bace(return_X_y=True)
    graphs, y = graphs[:: benchmark.scale], np.asarray(y)[:: benchmark.scale]
    items, slots_before = as_data(graphs, y)
    # Codes as the twin's tables have them, so that both sides read the same objects.
    plain = fit_and_load(items, y, q=np.inf, walk_length=0)
    shaken = fit_and_load(items, y, n_forests=max(N_FORESTS))
    twin = Twin(plain[-1].module_, slots_before).eval()
    expected = forward(twin, items).softmax(dim=1).numpy()
    if np.abs(plain.predict_proba(items) - expected).max() > LARGEST_DIFFERENCE:
        raise RuntimeError("both sides shall give the same")
    repeats = 20 * benchmark.repeats
    for size in SIZES:
        some, label = items[:size], f"{size} graph{'s' * (size > 1)}"
        ours, theirs = interleave(
            lambda some=some: plain.predict(some),
            lambda some=some: forward(twin, some),
            repeats=repeats,
        )
        benchmark.report(
            {
                f"{label}: forward of torch_geometric, ms": 1e3 * theirs,
                f"{label}: predict without coarsening, ms": 1e3 * ours,
                f"{label}: predict without coarsening / forward": ours / theirs,
            }
        )
        for n_forests in N_FORESTS:
            shaken.set_params(kfcoarsener__n_forests_transform=n_forests)
            ours, theirs = interleave(
                lambda some=some: shaken.predict(some),
                lambda some=some: forward(twin, some),
                repeats=repeats,
            )
            benchmark.report(
                {
                    f"{label}: predict, {n_forests} forests, ms": 1e3 * ours,
                    f"{label}: predict, {n_forests} forests / forward": ours / theirs,
                }
            )
    benchmark.write()


if __name__ == "__main__":
    main()
