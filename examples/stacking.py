"""Stack SHAKE with a random forest on Morgan fingerprints, in plain scikit-learn.

    python examples/stacking.py DATA/molhiv.csv.gz

The file is what ``skshake.datasets.load_molecules_csv`` reads: SMILES and a label of
two classes, the split beside it. Both models learn from the training part; a logistic
regression learns from the validation part how to combine them. Prints the ROC-AUC of
each, and of the stack, on the test part. ``--max-iter`` shortens the training.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
from skshake.datasets import load_molecules_csv
from skshake.graphs import parse_smiles


def fingerprints(smiles: list[str]) -> np.ndarray:
    """Morgan fingerprints of radius 2, one row per molecule."""
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return np.array(
        [generator.GetFingerprintAsNumPy(parse_smiles(text)) for text in smiles]
    )


def log_odds(probabilities: np.ndarray) -> np.ndarray:
    """Columns of log-odds, kept finite: the scale on which models add up."""
    clipped = np.clip(probabilities, 1e-3, 1 - 1e-3)
    return np.log(clipped / (1 - clipped))


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-iter", type=int, default=60)
    parser.add_argument("--n-trees", type=int, default=500)
    arguments = parser.parse_args()
    seed = arguments.seed
    data = load_molecules_csv(arguments.file)
    smiles = np.array(data.smiles, dtype=object)
    part = {
        name: (list(smiles[data[name]]), data.target[data[name]])
        for name in ("train", "valid", "test")
    }
    models = {
        "shake": make_pipeline(
            MoleculeFeaturizer(),
            KFCoarsener(random_state=seed),
            SHAKEClassifier(
                dropout=0.3,
                early_stopping=True,
                max_iter=arguments.max_iter,
                random_state=seed,
            ),
        ),
        "forest": make_pipeline(
            FunctionTransformer(fingerprints),
            RandomForestClassifier(arguments.n_trees, n_jobs=-1, random_state=seed),
        ),
    }
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(*part["train"])
        print(f"{name:8} fitted in {time.perf_counter() - start:.0f} s", flush=True)
    stack = StackingClassifier(
        [(name, FrozenEstimator(model)) for name, model in models.items()],
        make_pipeline(FunctionTransformer(log_odds), LogisticRegression()),
        cv="prefit",
        stack_method="predict_proba",
    ).fit(*part["valid"])
    for name, model in {**models, "stack": stack}.items():
        smiles, y = part["test"]
        score = roc_auc_score(y, model.predict_proba(smiles)[:, 1])
        print(f"{name:8} test ROC-AUC {score:.4f}", flush=True)


if __name__ == "__main__":
    main()
