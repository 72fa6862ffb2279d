"""Accuracy and time of the default pipeline under ten-fold cross-validation.

Prints one row per file: mean and standard deviation of the accuracy over
``StratifiedKFold(10, shuffle=True, random_state=0)``, and the wall time of all folds.

    python examples/benchmarks/bench_accuracy.py DATA/MUTAG.npz DATA/PROTEINS.npz

Files are what ``skshake.datasets.load_npz`` reads.
"""

import argparse
import time
from pathlib import Path

from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_npz


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--n-jobs", type=int, default=2, help="folds at a time")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument(
        "--max-iter", type=int, help="epochs (default: the estimator's)"
    )
    arguments = parser.parse_args()
    print(f"{'set':12} {'graphs':>7} {'accuracy':>9} {'sd':>6} {'seconds':>8}")
    for path in arguments.files:
        graphs, y = load_npz(path, return_X_y=True)
        classifier = SHAKEClassifier(random_state=0)
        if arguments.max_iter:
            classifier.set_params(max_iter=arguments.max_iter)
        model = Pipeline(
            [("coarsen", KFCoarsener(random_state=0)), ("clf", classifier)]
        )
        folds = StratifiedKFold(arguments.folds, shuffle=True, random_state=0)
        start = time.perf_counter()
        scores = cross_val_score(model, graphs, y, cv=folds, n_jobs=arguments.n_jobs)
        seconds = time.perf_counter() - start
        print(
            f"{path.stem:12} {len(graphs):7} {scores.mean():9.3f} {scores.std():6.3f} "
            f"{seconds:8.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
