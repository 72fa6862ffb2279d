"""Accuracy and seconds of SHAKE and of what else there is, on the same folds.

    python examples/benchmarks/bench_peers.py DATA/graphs/MUTAG.npz --methods shake wl

``StratifiedKFold(10, shuffle=True, random_state=0)``, with ``--repeats 3`` also seeds 1
and 2; whatever is chosen is chosen inside the training folds. One row per fold goes to
``--csv``, and rows that the file holds are not measured again. Prints the mean, its
standard error (the deviation of all folds over the root of ten: repeats are of the same
graphs), and the seconds of one core for ten folds, then the mean rank of each method
over the sets that all of them have; ``--render`` prints that of all rows of the file.
``--share 0.2`` takes a fifth of each class, as a set of its own. ``ensemble`` takes
over the network that ``shake`` fitted on the same fold, and its seconds.
"""

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from _bench import markdown_row
from _partitions import CUTS, PartitionCoarsener
from _peers import WLSVC, Descriptors, PyGGIN, Statistics, with_forest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from skshake import (
    GraphCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SubtreeVectorizer,
)
from skshake.datasets import load_npz

N_FOLDS = 10
COLUMNS = ["set", "method", "repeat", "fold", "accuracy", "seconds"]
# What the search chooses from: whether to coarsen at all.
GRID = {"coarsen__q": ["auto", float("inf")]}


def make_shake(max_iter: int | None, coarsener: Any = None) -> Pipeline:
    """SHAKE with its defaults, or behind another coarsener."""
    # Classes do not depend on the temperature; probabilities are as the ensemble's.
    classifier = SHAKEClassifier(temperature=1.0, random_state=0)
    if max_iter:
        classifier.set_params(max_iter=max_iter)
    if coarsener is None:
        coarsener = KFCoarsener(random_state=0)
    return Pipeline([("coarsen", coarsener), ("clf", classifier)])


def make_partitioned(cut: str) -> Callable[[int | None], Pipeline]:
    """SHAKE's network on blocks that are cut otherwise."""
    return lambda max_iter: make_shake(
        max_iter, PartitionCoarsener(cut=cut, random_state=0)
    )


METHODS: dict[str, Callable[[int | None], Any]] = {
    "shake": make_shake,
    "ensemble": lambda max_iter: SHAKEEnsembleClassifier(
        shake=make_shake(max_iter), random_state=0
    ),
    "shake_search": lambda max_iter: GridSearchCV(make_shake(max_iter), GRID, cv=3),
    "one_level": lambda max_iter: make_shake(
        max_iter, KFCoarsener(q=float("inf"), random_state=0)
    ),
    **{f"shake_{cut}": make_partitioned(cut) for cut in CUTS},
    "wl": lambda max_iter: WLSVC(),
    "statistics": lambda max_iter: with_forest(Statistics()),
    # Dense, which trees read faster than sparse columns.
    "counts": lambda max_iter: with_forest(SubtreeVectorizer(sparse_output=False)),
    "descriptors": lambda max_iter: with_forest(Descriptors()),
    "gin": lambda max_iter: PyGGIN(),
}


def load(path: Path, share: float) -> tuple[str, GraphCollection, np.ndarray]:
    """Name, graphs and classes of a set, or of a share of each class of it."""
    graphs, y = load_npz(path, return_X_y=True)
    if share == 1:
        return path.stem, graphs, y
    some, _ = train_test_split(
        np.arange(len(y)), train_size=share, stratify=y, random_state=0
    )
    return f"{path.stem} ({share:g})", graphs[some], y[some]


def read_rows(path: Path) -> pd.DataFrame:
    """Rows of a file of results."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=COLUMNS)


def render(rows: pd.DataFrame) -> str:
    """Mean, standard error and seconds, a row per set, and mean ranks."""
    cells = rows.groupby(["method", "set"]).apply(_cell, include_groups=False)
    means = rows.groupby(["method", "set"]).accuracy.mean().unstack("method")
    methods = [method for method in METHODS if method in means]
    # Of sets that all methods have, rounded as shown: what is equal shares a rank.
    ranks = means[methods].dropna().round(3).rank(axis=1, ascending=False)
    table = cells.unstack("method").fillna("-")[methods]
    lines = [markdown_row(["set", *methods]), "|---" * (1 + len(methods)) + "|"]
    for name in rows["set"].unique():
        lines.append(markdown_row([name, *table.loc[name]]))
    shown = (f"{rank:.1f}" for rank in ranks.mean())
    lines.append(markdown_row([f"mean rank over {len(ranks)} sets", *shown]))
    return "\n".join(lines)


def _cell(rows: pd.DataFrame) -> str:
    """One method on one set."""
    n_folds = rows.fold.nunique()
    error = rows.accuracy.std(ddof=1) / np.sqrt(n_folds)
    n_repeats = rows.repeat.nunique()
    count = f"{n_repeats} x {n_folds}" if n_repeats > 1 else f"{n_folds}"
    note = "" if count == "10" else f" [{count}]"
    # Of all ten folds, wherever fewer were measured.
    seconds = rows.seconds.mean() * N_FOLDS
    return f"{rows.accuracy.mean():.3f} ± {error:.3f}{note} ({seconds:.0f} s)"


class Fold(NamedTuple):
    """A set with one of its folds."""

    graphs: GraphCollection
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray


def measure(
    method: str, fold: Fold, max_iter: int | None, networks: dict[str, Any]
) -> tuple[float, float]:
    """Accuracy and seconds of one method on one fold.

    ``networks`` holds the fold's fitted ``shake``, and its seconds, once there is one.
    """
    graphs, y, train, test = fold
    model, before = METHODS[method](max_iter), 0.0
    if method == "ensemble":
        if "shake" not in networks:
            measure("shake", fold, max_iter, networks)
        shake, before = networks["shake"]
        model.set_params(shake=FrozenEstimator(shake))
    start = time.process_time()
    model.fit(graphs[train], y[train])
    fitted = time.process_time() - start
    accuracy = float(np.mean(model.predict(graphs[test]) == y[test]))
    if method == "shake":
        networks["shake"] = model, fitted
    return accuracy, before + time.process_time() - start


def measure_set(
    name: str, graphs: GraphCollection, y: np.ndarray, arguments: argparse.Namespace
) -> None:
    """Append to the file what it lacks of one set."""
    rows = read_rows(arguments.csv)
    keys = ("set", "method", "repeat", "fold")
    done = set(zip(*(rows[key] for key in keys), strict=True))
    for repeat in range(arguments.repeats):
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat)
        each = islice(folds.split(np.zeros(len(y)), y), arguments.folds)
        for number, (train, test) in enumerate(each):
            networks: dict[str, Any] = {}
            for method in arguments.methods:
                if (name, method, repeat, number) in done:
                    continue
                fold = Fold(graphs, y, train, test)
                result = measure(method, fold, arguments.max_iter, networks)
                row = [[name, method, repeat, number, *result]]
                is_new = not arguments.csv.exists()
                pd.DataFrame(row, columns=COLUMNS).to_csv(
                    arguments.csv, mode="a", header=is_new, index=False
                )


def main() -> None:
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["shake"])
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="so many of the ten")
    parser.add_argument("--repeats", type=int, default=1, help="of the ten folds")
    parser.add_argument("--share", type=float, default=1.0, help="of the graphs")
    parser.add_argument("--max-iter", type=int, help="epochs of SHAKE's network")
    parser.add_argument("--csv", type=Path, default=Path("peers.csv"))
    parser.add_argument("--render", action="store_true", help="print all rows alone")
    arguments = parser.parse_args()
    # All share one core: seconds are those of the processor.
    torch.set_num_threads(1)
    threadpool_limits(1)
    names = []
    for path in [] if arguments.render else arguments.files:
        name, graphs, y = load(path, arguments.share)
        names.append(name)
        measure_set(name, graphs, y, arguments)
    rows = read_rows(arguments.csv)
    if not arguments.render:
        rows = rows[rows["set"].isin(names)]
    print(render(rows))


if __name__ == "__main__":
    main()
