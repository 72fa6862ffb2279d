"""Are probabilities as often right as they say, before and after scikit-learn's?

    python examples/benchmarks/check_calibration.py DATA/graphs/PROTEINS.npz

Files are what ``skshake.datasets.load_npz`` reads. Each graph is predicted once, by the
folds of ``StratifiedKFold(3, shuffle=True, random_state=1)``: by the network with its
defaults, by a SHAKEEnsembleClassifier and its trees, and by
``CalibratedClassifierCV(model, cv=3)`` around the network and around the ensemble.

ECE is the expected calibration error: the mean distance between the greatest
probability and the accuracy, over 15 bins of the former. "chance" is the ECE that
outcomes drawn from the very probabilities would have.
"""

import argparse
from pathlib import Path

import numpy as np
from _bench import Table
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier, SHAKEEnsembleClassifier
from skshake.datasets import load_npz

N_BINS, N_DRAWS = 15, 200


def calibration_error(confidence: np.ndarray, is_right: np.ndarray) -> float:
    """Expected calibration error, over bins of equal width."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    distance = np.bincount(bins, confidence - is_right, minlength=N_BINS)
    return float(np.abs(distance).sum() / len(confidence))


def error_by_chance(confidence: np.ndarray) -> float:
    """Calibration error of probabilities that are right, for so many graphs."""
    rng = np.random.default_rng(0)
    draws = rng.random((N_DRAWS, len(confidence))) < confidence
    return float(np.mean([calibration_error(confidence, draw) for draw in draws]))


def predict_all(
    max_iter: int, method: str, train: tuple, graphs: object
) -> dict[str, np.ndarray]:
    """Probabilities of graphs by each model."""
    network = Pipeline(
        [
            ("coarsen", KFCoarsener(random_state=0)),
            ("clf", SHAKEClassifier(max_iter=max_iter, random_state=0)),
        ]
    )
    ensemble = SHAKEEnsembleClassifier(random_state=0)
    ensemble.set_params(shake__clf__max_iter=max_iter)
    fitted = clone(ensemble).fit(*train)
    found = {
        "network": clone(network).fit(*train).predict_proba(graphs),
        "trees": fitted.named_estimators_["trees"].predict_proba(graphs),
        "ensemble": fitted.predict_proba(graphs),
    }
    for name, model in (("network", network), ("ensemble", ensemble)):
        calibrated = CalibratedClassifierCV(model, method=method, cv=3).fit(*train)
        found[f"{name}, calibrated"] = calibrated.predict_proba(graphs)
    return found


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--graphs", type=int, help="most graphs of each set, at random")
    parser.add_argument("--max-iter", type=int, default=60)
    parser.add_argument("--method", default="sigmoid", help="of CalibratedClassifierCV")
    arguments = parser.parse_args()
    heads = ("accuracy", "log loss", "ECE", "chance")
    table = Table("set", "graphs", "model", *heads)
    for path in arguments.files:
        graphs, y = load_npz(path, return_X_y=True)
        some = np.random.default_rng(0).permutation(len(y))[: arguments.graphs]
        graphs, y = graphs[some], y[some]
        found: dict[str, np.ndarray] = {}
        folds = StratifiedKFold(3, shuffle=True, random_state=1)
        for train, test in folds.split(np.zeros(len(y)), y):
            predicted = predict_all(
                arguments.max_iter,
                arguments.method,
                (graphs[train], y[train]),
                graphs[test],
            )
            for name, rows in predicted.items():
                found.setdefault(name, np.empty((len(y), rows.shape[1])))[test] = rows
        for name, probabilities in found.items():
            confidence, best = probabilities.max(axis=1), probabilities.argmax(axis=1)
            labels = np.unique(y)
            is_right = labels[best] == y
            numbers = (
                accuracy_score(y, labels[best]),
                log_loss(y, probabilities, labels=labels),
                calibration_error(confidence, is_right),
                error_by_chance(confidence),
            )
            shown = (f"{number:.3f}" for number in numbers)
            table.add(path.stem, f"{len(y)}", name, *shown)


if __name__ == "__main__":
    main()
