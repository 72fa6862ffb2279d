"""
Regression: predict a number
============================

:class:`~skshake.SHAKERegressor` predicts numbers. Here it learns how lipophilic a
molecule is: its logP, as rdkit computes it, so that no file is needed. The molecules
are the inhibitors of BACE-1 that come with the package.
"""

# %%
# SMILES go in. The first step of the pipeline reads them.

import matplotlib.pyplot as plt
import numpy as np
from rdkit.Chem import MolFromSmiles
from rdkit.Chem.Crippen import MolLogP
from sklearn.metrics import PredictionErrorDisplay, r2_score, root_mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKERegressor
from skshake.datasets import load_bace
from skshake.model_selection import scaffold_groups
from skshake.plotting import LearningCurveDisplay

smiles = load_bace().smiles[::3]
y = np.array([MolLogP(MolFromSmiles(text)) for text in smiles])
print(f"{len(smiles)} molecules, logP {y.mean():.2f} +- {y.std():.2f}")

# %%
# Whole scaffolds are held out: no ring system of the test part was in training.

groups = scaffold_groups(smiles)
names = np.unique(groups)
held_out = np.isin(groups, train_test_split(names, test_size=0.2, random_state=0)[1])
model = make_pipeline(
    MoleculeFeaturizer(),
    KFCoarsener(random_state=0),
    SHAKERegressor(max_iter=40, random_state=0),
)
model.fit(smiles[~held_out], y[~held_out])
found, truth = model.predict(smiles[held_out]), y[held_out]
print(f"R2 {r2_score(truth, found):.2f}", end=", ")
print(f"RMSE {root_mean_squared_error(truth, found):.2f}", end=", ")
print(f"that of the mean {root_mean_squared_error(truth, 0 * truth + y.mean()):.2f}")

# %%
# Predictions against the truth, and how training went.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
PredictionErrorDisplay.from_predictions(
    truth, found, kind="actual_vs_predicted", ax=axes[0]
)
LearningCurveDisplay.from_estimator(model[-1], ax=axes[1])
plt.show()

# %%
# Several numbers per graph are learnt at once: give ``y`` one column for each, with NaN
# where a number is not known (see :doc:`several_labels`).
