"""
First steps
===========

Which of 188 nitroaromatic compounds are mutagenic? The pipeline learns the resolution
q* at which to coarsen the molecules, and a small graph neural network classifies what
is left. Prints a cross-validated accuracy beside a majority-class baseline, and saves
the curves from which q* was chosen to ``quickstart.png``.

    python examples/quickstart.py
"""

import time

import matplotlib
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag
from skshake.plotting import QSelectionDisplay

matplotlib.use("Agg")
start = time.perf_counter()

graphs, y = load_mutag(return_X_y=True)
print(graphs)

model = Pipeline(
    [
        ("coarsen", KFCoarsener(random_state=0)),
        ("clf", SHAKEClassifier(random_state=0)),
    ]
)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = cross_val_score(model, graphs, y, cv=folds)
baseline = cross_val_score(DummyClassifier(), graphs, y, cv=folds)
print(f"accuracy, 5 folds:    {scores.mean():.3f} +- {scores.std():.3f}")
print(f"majority class:       {baseline.mean():.3f} +- {baseline.std():.3f}")

coarsener = model.fit(graphs, y)["coarsen"]
print(f"learnt resolution q*: {coarsener.q_star_:.2f}")
print(
    f"kept at q*:           {coarsener.reduction_.nodes[0]:.0%} of the nodes, "
    f"{coarsener.reduction_.edges[0]:.0%} of the edges"
)

QSelectionDisplay.from_estimator(coarsener).figure_.savefig("quickstart.png", dpi=150)
print("figure:               quickstart.png")
print(f"time:                 {time.perf_counter() - start:.0f} s")
