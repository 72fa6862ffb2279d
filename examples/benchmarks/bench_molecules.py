"""Scores on a molecule set's scaffold split, beside fingerprints and random forests.

Trains on the training part, stops early on the validation part, and prints the test
score: mean ROC-AUC over labels, or RMSE (mean over columns) for numbers. One row per
seed, then mean and standard deviation.

    python examples/benchmarks/bench_molecules.py DATA/molecules/molhiv.csv.gz

The file is what ``skshake.datasets.load_molecules_csv`` reads, its split beside it;
``--target`` names its columns of labels, where it has others too, such as potencies.
``--then-auc-margin`` goes on with the AUC-margin loss where training ended, and scores
both. ``--method ensemble`` fits an ensemble in one line to the training part, and
scores its members too. ``--method fingerprints`` trains a random forest on Morgan
fingerprints instead, ``--method torch-molecule`` that package's graph neural network
(stopped early too).
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from _bench import Table, tell
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import roc_auc_score, root_mean_squared_error
from sklearn.utils import Bunch

from skshake import (
    KFCoarsener,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SHAKEEnsembleRegressor,
    SHAKERegressor,
)
from skshake.datasets import load_molecules_csv

# Of the estimator; the estimator's default where one is not given.
OPTIONS = (
    "loss",
    "optimizer",
    "learning_rate",
    "max_iter",
    "hidden_dim",
    "dropout",
    "schedule",
)


def is_numbers(y: np.ndarray) -> bool:
    """Whether targets are numbers to predict, not labels of 0 and 1."""
    return not np.isin(y[~np.isnan(y)], (0, 1)).all()


def are_of_one_kind(y: np.ndarray) -> bool:
    """Whether all columns are labels, or all are numbers: one score is for all."""
    columns = y.reshape(len(y), -1).T
    return len({is_numbers(column) for column in columns}) == 1


def score(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over columns of ROC-AUC, or of RMSE for numbers, of labelled entries."""
    y, predicted = y.reshape(len(y), -1), predicted.reshape(len(y), -1)
    scores = []
    for column, found in zip(y.T, predicted.T, strict=True):
        known = ~np.isnan(column)
        if is_numbers(y):
            scores.append(root_mean_squared_error(column[known], found[known]))
        elif len(np.unique(column[known])) == 2:
            scores.append(roc_auc_score(column[known], found[known]))
    return float(np.mean(scores))


def run_shake(
    data: Bunch, seed: int, arguments: argparse.Namespace
) -> dict[str, float]:
    """Test score of the pipeline, and after going on with the AUC margin."""
    start = time.perf_counter()
    q = "auto" if arguments.q == "auto" else float(arguments.q)
    coarsener = KFCoarsener(
        q=q, n_forests=arguments.n_forests, random_state=seed, n_jobs=2
    ).fit(data.data[data.train])
    coarse = {
        part: coarsener.transform(data.data[data[part]])
        for part in ("train", "valid", "test")
    }
    seconds = time.perf_counter() - start
    tell(f"seed {seed}: q {coarsener.q_[0]:.3f}, coarsening {seconds:.1f} s")
    y = data.target
    options = {
        name: getattr(arguments, name)
        for name in OPTIONS
        if getattr(arguments, name) is not None
    }
    estimator = SHAKERegressor if is_numbers(y) else SHAKEClassifier
    model = estimator(random_state=seed, early_stopping=True, **options)
    scores = {"shake": fit_and_score(model, coarse, data)}
    if arguments.then_auc_margin:
        model.set_params(
            loss="auc_margin", optimizer="pesg", learning_rate=0.01, warm_start=True
        )
        scores["shake, then AUC margin"] = fit_and_score(model, coarse, data)
    return scores


def fit_and_score(model: Any, coarse: dict[str, Any], data: Bunch) -> float:
    """Test score after training."""
    start, y = time.perf_counter(), data.target
    model.fit(
        coarse["train"], y[data.train], X_val=coarse["valid"], y_val=y[data.valid]
    )
    seconds = time.perf_counter() - start
    found = score(y[data.test].astype(float), predict(model, coarse["test"], y))
    tell(
        f"{model.loss}: {model.n_iter_} epochs in {seconds:.0f} s, median "
        f"{np.median([record.seconds for record in model.history_]):.2f} s; valid "
        f"{model.best_score_:.4f}, test {found:.4f}"
    )
    return found


def predict(model: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Numbers, or probabilities of the labels of 1."""
    if is_numbers(y):
        numbers: np.ndarray = model.predict(X)
        return numbers
    probabilities: np.ndarray = model.predict_proba(X)
    return probabilities[:, 1] if y.ndim == 1 else probabilities


def run_ensemble(
    data: Bunch, seed: int, arguments: argparse.Namespace
) -> dict[str, float]:
    """Test scores of the ensemble in one line, fitted to the training part alone.

    And of its members: the network, and trees on counts of subtrees.
    """
    start, y = time.perf_counter(), data.target
    estimator = SHAKEEnsembleRegressor if is_numbers(y) else SHAKEEnsembleClassifier
    ensemble = estimator(n_jobs=2, random_state=seed)
    ensemble.fit(data.data[data.train], y[data.train])
    seconds = time.perf_counter() - start
    network = ensemble.named_estimators_["shake"][-1].history_
    tell(
        f"seed {seed}: ensemble {seconds:.0f} s, of which epochs "
        f"{sum(record.seconds for record in network):.0f} s"
    )
    test, truth = data.data[data.test], y[data.test].astype(float)
    models = {"ensemble": ensemble, **ensemble.named_estimators_}
    return {name: score(truth, predict(models[name], test, y)) for name in models}


def run_fingerprints(
    data: Bunch, seed: int, arguments: argparse.Namespace
) -> dict[str, float]:
    """Test score of a random forest per column on Morgan fingerprints."""
    from rdkit.Chem import rdFingerprintGenerator

    from skshake.graphs import parse_smiles

    start = time.perf_counter()
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    bits = np.array(
        [generator.GetFingerprintAsNumPy(parse_smiles(text)) for text in data.smiles]
    )
    y = data.target.reshape(len(data.target), -1).astype(float)
    predicted = np.empty((len(data.test), y.shape[1]))
    for k, column in enumerate(y.T):
        rows = data.train[~np.isnan(column[data.train])]
        forest = RandomForestRegressor if is_numbers(y) else RandomForestClassifier
        model = forest(500, n_jobs=2, random_state=seed).fit(bits[rows], column[rows])
        if is_numbers(y):
            predicted[:, k] = model.predict(bits[data.test])
        else:
            predicted[:, k] = model.predict_proba(bits[data.test])[:, -1]
    found = score(y[data.test], predicted)
    seconds = time.perf_counter() - start
    tell(f"seed {seed}: fingerprints, {seconds:.0f} s; test {found:.4f}")
    return {"fingerprints": found}


def run_torch_molecule(
    data: Bunch, seed: int, arguments: argparse.Namespace
) -> dict[str, float]:
    """Test score of torch-molecule's network, with its settings but for those given.

    Molecules that it refuses are not trained on, and predicted by the training mean.
    """
    import torch
    from rdkit import Chem
    from torch_molecule import GNNMolecularPredictor

    torch.manual_seed(seed)
    smiles = np.array(data.smiles, dtype=object)
    y = data.target.reshape(len(data.target), -1).astype(float)
    is_read = np.array([Chem.MolFromSmiles(text) is not None for text in smiles])
    train, valid, test = (
        data[part][is_read[data[part]]] for part in ("train", "valid", "test")
    )
    start = time.perf_counter()
    given = {
        "hidden_size": arguments.hidden_dim,
        "epochs": arguments.max_iter,
        "drop_ratio": arguments.dropout,
    }
    model = GNNMolecularPredictor(
        num_task=y.shape[1],
        task_type="regression" if is_numbers(y) else "classification",
        patience=10,
        # Its batch normalisation fails where one molecule is left for the last batch.
        batch_size=128 - (len(train) % 128 == 1),
        **{name: value for name, value in given.items() if value is not None},
    )
    model.fit(list(smiles[train]), y[train], list(smiles[valid]), y[valid])
    predicted = np.tile(np.nanmean(y[train], axis=0), (len(y), 1))
    predicted[test] = model.predict(list(smiles[test]))["prediction"]
    found = score(y[data.test], predicted[data.test])
    seconds = time.perf_counter() - start
    tell(f"seed {seed}: torch-molecule, {seconds:.0f} s; test {found:.4f}")
    return {"torch-molecule": found}


METHODS = {
    "shake": run_shake,
    "ensemble": run_ensemble,
    "fingerprints": run_fingerprints,
    "torch-molecule": run_torch_molecule,
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--target", nargs="+", help="columns to predict (default: all numeric ones)"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--q", default="auto", help="auto, inf or a number")
    parser.add_argument("--loss", help="auto, cross_entropy or auc_margin")
    parser.add_argument("--optimizer", help="adamw or pesg")
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--max-iter", type=int, help="epochs, at most")
    parser.add_argument("--hidden-dim", type=int)
    parser.add_argument("--dropout", type=float)
    parser.add_argument("--schedule", help="auto, one-cycle or constant")
    parser.add_argument(
        "--n-forests",
        type=lambda text: text if text == "auto" else int(text),
        default="auto",
    )
    parser.add_argument("--method", choices=METHODS, default="shake")
    parser.add_argument("--then-auc-margin", action="store_true")
    arguments = parser.parse_args()
    data = load_molecules_csv(arguments.file, target=arguments.target)
    if not are_of_one_kind(data.target):
        names = ", ".join(map(repr, data.target_names))
        parser.error(f"--target: expected labels alone or numbers alone, got {names}")
    if arguments.then_auc_margin and is_numbers(data.target):
        parser.error("--then-auc-margin: the targets are numbers, not labels")
    run = METHODS[arguments.method]
    found = [run(data, seed, arguments) for seed in arguments.seeds]
    table = Table("file", "model", "score", "mean", "deviation", "seeds")
    measure = "RMSE" if is_numbers(data.target) else "ROC-AUC"
    for name in found[0]:
        scores = [of_seed[name] for of_seed in found]
        numbers = (f"{np.mean(scores):.4f}", f"{np.std(scores):.4f}")
        table.add(arguments.file.name, name, measure, *numbers, f"{len(scores)}")


if __name__ == "__main__":
    main()
