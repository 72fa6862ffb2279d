"""Time and ROC-AUC of the default estimators on ogbg-molhiv's scaffold split.

Prints seconds of reading and of coarsening, seconds per epoch, and the test ROC-AUC at
the best validation score, for each seed.

    python examples/benchmarks/bench_molhiv.py DATA/molhiv.csv.gz --seeds 0

The file is what ``skshake.datasets.load_molecules_csv`` reads, its split beside it.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_molecules_csv


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument(
        "--max-iter", type=int, help="epochs (default: the estimator's)"
    )
    arguments = parser.parse_args()

    start = time.perf_counter()
    data = load_molecules_csv(arguments.file)
    parts = {
        name: (data.data[data[name]], data.target[data[name]])
        for name in ("train", "valid", "test")
    }
    print(f"reading SMILES: {time.perf_counter() - start:.1f} s")
    for seed in arguments.seeds:
        start = time.perf_counter()
        coarsener = KFCoarsener(random_state=seed).fit(parts["train"][0])
        fitted = time.perf_counter()
        coarse = {
            name: coarsener.transform(graphs) for name, (graphs, _) in parts.items()
        }
        transformed = time.perf_counter()
        classifier = SHAKEClassifier(random_state=seed)
        if arguments.max_iter:
            classifier.set_params(max_iter=arguments.max_iter)
        classifier.fit(
            coarse["train"],
            parts["train"][1],
            X_val=coarse["valid"],
            y_val=parts["valid"][1],
        )
        seconds = time.perf_counter() - transformed
        probability = classifier.predict_proba(coarse["test"])[:, 1]
        print(
            f"seed {seed}: q* {coarsener.q_star_:.3f}, coarsener fit "
            f"{fitted - start:.1f} s, transform of all {transformed - fitted:.1f} s; "
            f"{classifier.n_iter_} epochs in {seconds:.0f} s, median "
            f"{np.median([r.seconds for r in classifier.history_]):.2f} s each; "
            f"ROC-AUC valid {classifier.best_score_:.4f}, test "
            f"{roc_auc_score(parts['test'][1], probability):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
