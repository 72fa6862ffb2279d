"""
Stacking with fingerprints
==========================

Any model of scikit-learn can join the network. Here a random forest on Morgan
fingerprints does, and a logistic regression learns from the validation part how to
combine the two. Without a file it takes inhibitors of BACE-1, which come with the
package::

    python examples/stacking.py DATA/molecules/molhiv.csv.gz

The file is what :func:`skshake.datasets.load_molecules_csv` reads: SMILES and a label
of two classes, the split beside it. ``--max-iter`` shortens the training.
"""

# %%
# Three parts: both models learn from ``train``, the stack from ``valid``.

import argparse
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
from skshake.datasets import load_bace, load_molecules_csv

parser = argparse.ArgumentParser(description="SHAKE and fingerprints, stacked.")
parser.add_argument("file", type=Path, nargs="?")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--max-iter", type=int, default=60)
parser.add_argument("--n-trees", type=int, default=500)
arguments = parser.parse_args()
seed = arguments.seed
data = load_molecules_csv(arguments.file) if arguments.file else load_bace()
smiles = np.array(data.smiles, dtype=object)
part = {
    name: (list(smiles[data[name]]), data.target[data[name]])
    for name in ("train", "valid", "test")
}
print({name: len(labels) for name, (_, labels) in part.items()})

# %%
# Both models take SMILES, so that both can be members of one stack.


def fingerprints(smiles: list[str]) -> np.ndarray:
    """Morgan fingerprints of radius 2, one row per molecule."""
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    molecules = MoleculeFeaturizer().read(smiles)
    return np.array([generator.GetFingerprintAsNumPy(each) for each in molecules])


def log_odds(probabilities: np.ndarray) -> np.ndarray:
    """Columns of log-odds, kept finite: the scale on which models add up."""
    clipped = np.clip(probabilities, 1e-3, 1 - 1e-3)
    return np.log(clipped / (1 - clipped))


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

# %%
# ``FrozenEstimator`` keeps what is fitted, so nothing is trained twice.

stack = StackingClassifier(
    [(name, FrozenEstimator(model)) for name, model in models.items()],
    make_pipeline(FunctionTransformer(log_odds), LogisticRegression()),
    cv="prefit",
    stack_method="predict_proba",
).fit(*part["valid"])

# %%
# The test part has scaffolds that neither model has seen.

_, ax = plt.subplots(layout="constrained")
for name, model in {**models, "stack": stack}.items():
    smiles, y = part["test"]
    p = model.predict_proba(smiles)[:, 1]
    print(f"{name:8} test ROC-AUC {roc_auc_score(y, p):.4f}", flush=True)
    RocCurveDisplay.from_predictions(y, p, name=name, ax=ax)
plt.show()
