"""
Several labels, some of them missing
====================================

Assays seldom cover all compounds. With a column for each label and NaN where it was not
measured, one network learns all of them, from whatever is known.

Here the labels are: does a molecule bind to BACE-1 (measured), is it polar, and does it
have a halogen (both computed)? A third of all entries is deleted.
"""

# %%

import matplotlib.pyplot as plt
import numpy as np
from rdkit.Chem import MolFromSmiles
from rdkit.Chem.rdMolDescriptors import CalcTPSA
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_bace

bace = load_bace()
rows = np.arange(0, len(bace.target), 4)
graphs, molecules = bace.data[rows], [MolFromSmiles(s) for s in bace.smiles[rows]]
area = np.array([CalcTPSA(molecule) for molecule in molecules])
halogens = {"F", "Cl", "Br", "I"}
has_halogen = [
    bool(halogens & {a.GetSymbol() for a in molecule.GetAtoms()})
    for molecule in molecules
]
truth = np.column_stack([bace.target[rows], area > np.median(area), has_halogen])
names = ["binds", "polar", "halogen"]

rng = np.random.default_rng(0)
y = np.where(rng.random(truth.shape) < 1 / 3, np.nan, truth)
print(y[:4])

# %%
# ``predict_proba`` has a column for each label: the probability that it is 1. Folds are
# not stratified, as scikit-learn stratifies by classes, of which there is no single
# column here. (``cross_val_predict`` numbers labels anew, NaN among them, so the loop
# is written out.)

model = make_pipeline(
    KFCoarsener(random_state=0), SHAKEClassifier(max_iter=20, random_state=0)
)
p = np.empty(y.shape)
for train, test in KFold(3, shuffle=True, random_state=0).split(y):
    p[test] = model.fit(graphs[train], y[train]).predict_proba(graphs[test])
print(p[:4].round(2))

# %%
# How well is each label ranked, by entries that were known and by those that were
# deleted? The latter is what the model is for: it fills the table.

known = ~np.isnan(y)
scores = {
    part: [roc_auc_score(truth[m, k], p[m, k]) for k, m in enumerate(mask.T)]
    for part, mask in (("known", known), ("deleted", ~known))
}
_, ax = plt.subplots(layout="constrained")
for shift, (part, values) in zip((-0.2, 0.2), scores.items(), strict=True):
    ax.bar(np.arange(3) + shift, values, 0.4, label=f"{part} entries")
ax.set(xticks=range(3), xticklabels=names, ylabel="ROC-AUC", ylim=(0.5, 1))
ax.legend(loc="lower right")
plt.show()
