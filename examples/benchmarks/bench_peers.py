"""Accuracy and wall time of SHAKE and of what else there is, on the same folds.

    python examples/benchmarks/bench_peers.py DATA/graphs/MUTAG.npz --methods shake wl

``StratifiedKFold(10, shuffle=True, random_state=0)``; whatever is chosen is chosen
inside the training folds. One row per fold goes to ``--csv``, and rows that the file
holds are not measured again. Prints mean, standard deviation, and the seconds of all
folds, one fold after the other; ``--render`` prints that of all rows of the file.
``--share 0.2`` takes a fifth of each class, as a set of its own, for slow methods.
"""

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _partitions import CUTS, PartitionCoarsener
from _peers import WLSVC, Descriptors, PyGGIN, Statistics, with_forest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline

from skshake import (
    GraphCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SubtreeVectorizer,
)
from skshake.datasets import load_npz

# What the search chooses from: whether to coarsen at all.
GRID = {"coarsen__q": ["auto", float("inf")]}


def make_shake(max_iter: int | None, coarsener: Any = None) -> Pipeline:
    """SHAKE with its defaults, or behind another coarsener."""
    classifier = SHAKEClassifier(random_state=0)
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


def make_ensemble(max_iter: int | None) -> SHAKEEnsembleClassifier:
    """SHAKE and trees on counts of subtrees, with the defaults."""
    ensemble = SHAKEEnsembleClassifier(random_state=0)
    return ensemble.set_params(shake__clf__max_iter=max_iter) if max_iter else ensemble


METHODS: dict[str, Callable[[int | None], Any]] = {
    "shake": make_shake,
    "ensemble": make_ensemble,
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
    columns = ["set", "method", "fold", "accuracy", "seconds"]
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)


def render(rows: pd.DataFrame) -> str:
    """Mean and deviation over folds, and seconds of all, a row per set."""
    groups = rows.groupby(["method", "set"])
    cells = groups.apply(
        lambda g: (
            f"{g.accuracy.mean():.3f} ± {g.accuracy.std(ddof=0):.3f}"
            f"{'' if len(g) == 10 else f' [{len(g)}]'} ({g.seconds.sum():.0f} s)"
        ),
        include_groups=False,
    )
    table = cells.unstack("method").fillna("-")
    table = table[[method for method in METHODS if method in table]]
    lines = ["| set | " + " | ".join(table.columns) + " |"]
    lines.append("|---" * (1 + len(table.columns)) + "|")
    for name in rows["set"].unique():
        lines.append(f"| {name} | " + " | ".join(table.loc[name]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["shake"])
    parser.add_argument("--folds", type=int, default=10, help="so many of the ten")
    parser.add_argument("--share", type=float, default=1.0, help="of the graphs")
    parser.add_argument("--max-iter", type=int, help="epochs of SHAKE's network")
    parser.add_argument("--csv", type=Path, default=Path("peers.csv"))
    parser.add_argument("--render", action="store_true", help="print all rows alone")
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv)
    done = set(zip(rows["set"], rows.method, rows.fold, strict=True))
    folds, names = StratifiedKFold(10, shuffle=True, random_state=0), []
    for path in [] if arguments.render else arguments.files:
        name, graphs, y = load(path, arguments.share)
        names.append(name)
        for method in arguments.methods:
            each = islice(folds.split(np.zeros(len(y)), y), arguments.folds)
            for fold, (train, test) in enumerate(each):
                if (name, method, fold) in done:
                    continue
                model = METHODS[method](arguments.max_iter)
                start = time.perf_counter()
                model.fit(graphs[train], y[train])
                accuracy = float(np.mean(model.predict(graphs[test]) == y[test]))
                seconds = time.perf_counter() - start
                row = pd.DataFrame(
                    [[name, method, fold, accuracy, seconds]], columns=rows.columns
                )
                row.to_csv(
                    arguments.csv,
                    mode="a",
                    header=not arguments.csv.exists(),
                    index=False,
                )
    rows = read_rows(arguments.csv)
    if not arguments.render:
        rows = rows[rows["set"].isin(names)]
    print(render(rows))


if __name__ == "__main__":
    main()
