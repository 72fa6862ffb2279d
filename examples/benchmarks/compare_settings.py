"""Cross-validated accuracy of one change at a time to the defaults, on several sets.

The defaults of the estimators were chosen from this table. Folds are the first ones
of ``StratifiedKFold(10, shuffle=True, random_state=1)``: not those of the reported
results.

    python examples/benchmarks/compare_settings.py DATA/graphs/MUTAG.npz

Files are what ``skshake.datasets.load_npz`` reads.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

import numpy as np
from _bench import Table
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_npz

# The paper's: large batches, a high constant rate, stopping on a held-out tenth.
PAPER = {
    "batch_size": 256,
    "learning_rate": 0.005,
    "schedule": "constant",
    "early_stopping": True,
    "max_iter": 100,
}
SETTINGS: dict[str, tuple[dict, dict]] = {
    "default": ({}, {}),
    "paper's training": ({}, PAPER),
    "no walks": ({"walk_length": 0}, {}),
    "walks of 16 steps": ({"walk_length": 16}, {}),
    "one forest": ({"n_forests": 1}, {}),
    "no coarsening": ({"q": float("inf")}, {}),
    "two levels, add": ({"include_original": True}, {"n_layers": 2}),
    "two levels, replace": (
        {"include_original": True},
        {"n_layers": 2, "level_input": "replace"},
    ),
    "layer norm": ({}, {"norm": "layer"}),
    "residual": ({}, {"residual": True}),
    "dropout 0.3": ({}, {"dropout": 0.3}),
    "dropout 0.5": ({}, {"dropout": 0.5}),
    "weight decay 0.01": ({}, {"weight_decay": 0.01}),
    "100 epochs": ({}, {"max_iter": 100}),
    "constant rate": ({}, {"schedule": "constant"}),
    "rate 0.003": ({}, {"learning_rate": 0.003}),
    "width 128": ({}, {"hidden_dim": 128}),
    "2 layers": ({}, {"n_layers": 2}),
    "early stopping": ({}, {"early_stopping": True}),
}


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--max-iter", type=int, help="epochs (default: the setting's)")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    arguments = parser.parse_args()
    sets = [load_npz(path, return_X_y=True) for path in arguments.files]
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    table = Table("setting", *(path.stem for path in arguments.files))
    for name in arguments.settings:
        coarsening, training = SETTINGS[name]
        if arguments.max_iter:
            training = {**training, "max_iter": arguments.max_iter}
        row = []
        for graphs, y in sets:
            model = Pipeline(
                [
                    ("coarsen", KFCoarsener(random_state=0, **coarsening)),
                    ("clf", SHAKEClassifier(random_state=0, **training)),
                ]
            )
            some = list(islice(folds.split(np.zeros(len(y)), y), arguments.folds))
            start = time.perf_counter()
            scores = cross_val_score(model, graphs, y, cv=some, n_jobs=arguments.n_jobs)
            seconds = time.perf_counter() - start
            row.append(f"{scores.mean():.3f} ({seconds:.0f} s)")
        table.add(name, *row)


if __name__ == "__main__":
    main()
