"""Draw the picture of README.md and of the start page: python docs/pictures/molecule.py

A model of the bundled inhibitors of BACE-1 coarsens one of them and explains what it
predicts. Dark text on white, so it can be read on light and dark pages.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
from skshake.datasets import load_bace
from skshake.plotting import ExplanationDisplay, HierarchyDisplay

MOLECULE = "Fc1cc(cc(F)c1)CC(NC(=O)C)C(O)C[NH2+]Cc1cc(OC)ccc1"


def main():
    mpl.use("Agg")
    bace = load_bace()
    coarsener = KFCoarsener(n_forests=4, random_state=0)
    model = make_pipeline(
        MoleculeFeaturizer(), coarsener, SHAKEClassifier(max_iter=30, random_state=0)
    ).fit(bace.smiles, bace.target)
    p = model.predict_proba([MOLECULE])[0, 1]
    figure, axes = plt.subplots(1, 3, figsize=(12, 2.7), layout="constrained")
    HierarchyDisplay.from_estimator(coarsener, MOLECULE, ax=axes[:2])
    ExplanationDisplay.from_estimator(model, MOLECULE, target=1, ax=axes[2])
    axes[0].set_title("a molecule: trees of a forest", fontsize=11)
    axes[1].set_title(f"coarse graph at q* = {coarsener.q_star_:.2f}", fontsize=11)
    axes[2].set_title(f"what speaks for “binds”, p = {p:.2f}", fontsize=11)
    folder = Path(__file__).parents[1] / "_static"
    figure.savefig(folder / "molecule.png", dpi=100)


if __name__ == "__main__":
    main()
