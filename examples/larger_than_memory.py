"""From a download to a trained model without ever having all graphs in memory.

    python examples/larger_than_memory.py --folder /scratch/ppa --fetch
    python examples/larger_than_memory.py --folder /scratch/small --graphs 200

The first downloads ogbg-ppa (158,100 graphs, 3 GB), the second generates graphs of its
shape, which nothing can be learnt from. Either way graphs come in parts: a sample
teaches the coarsener, joblib spreads the parts over --jobs processes, and the network
is trained from buffers of --memory bytes. Started again after an interruption, it goes
on where it was.
"""

import argparse
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from skshake import HierarchyCollection, KFCoarsener, SHAKEClassifier, save
from skshake.datasets import fetch_ogb, iter_ogb, make_like

PART_GRAPHS, N_CLASSES = 50, 3


def make_part(number, n_graphs):
    """Graphs and their classes: a part is what a function without arguments gives."""
    graphs = make_like("ogbg-ppa", n_graphs, random_state=number)
    return graphs, np.arange(n_graphs) % N_CLASSES


def find_sources(arguments):
    """Parts to learn from, all parts, and training and test rows."""
    if arguments.fetch:
        folder = fetch_ogb("ogbg-ppa", data_home=arguments.folder, as_folder=True)
        train, test = (
            pd.read_csv(folder / f"split/species/{part}.csv.gz", header=None)[0]
            for part in ("train", "test")
        )
        some = [next(iter_ogb(folder, n_graphs=5_000))]
        return some, iter_ogb(folder), np.sort(train), np.sort(test)
    sizes = [
        min(PART_GRAPHS, arguments.graphs - first)
        for first in range(0, arguments.graphs, PART_GRAPHS)
    ]
    sources = [partial(make_part, k, size) for k, size in enumerate(sizes)]
    rows = np.random.default_rng(0).permutation(arguments.graphs)
    train, test = np.split(rows, [int(0.8 * len(rows))])
    return sources[:2], sources, np.sort(train), np.sort(test)


def main() -> None:
    """Coarsen, train, predict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--graphs", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", type=int, default=2**29, help="bytes")
    parser.add_argument("--max-iter", type=int, default=2)
    arguments = parser.parse_args()
    hierarchies = arguments.folder / "hierarchies"
    some, sources, train, test = find_sources(arguments)

    coarsener = KFCoarsener(n_forests=1, random_state=0, verbose=1).fit(some)
    # Any other backend of joblib writes the same: threads, dask, ray.
    with joblib.parallel_config("loky", n_jobs=arguments.jobs):
        coarsener.transform_to(hierarchies, sources)

    X = HierarchyCollection.open(hierarchies, memory=arguments.memory)
    print(f"{X}: {X.n_bytes / 2**20:.0f} MiB")
    classifier = SHAKEClassifier(
        max_iter=arguments.max_iter,
        random_state=0,
        checkpoint=arguments.folder / "checkpoints",
        verbose=1,
    )
    classifier.fit(X[train], X.y[train])
    print(f"accuracy: {classifier.score(X[test], X.y[test]):.3f}")
    save(coarsener, arguments.folder / "coarsener.skops")
    save(classifier, arguments.folder / "classifier.skops")


if __name__ == "__main__":
    main()
