"""
First steps
===========

Which of 188 nitroaromatic compounds are mutagenic? The pipeline learns the resolution
q* at which to coarsen the molecules, and a small graph neural network classifies what
is left. The script prints a cross-validated accuracy beside that of the majority class,
and saves the curves from which q* was chosen to ``quickstart.png``::

    python examples/quickstart.py
"""

# %%
# The molecules come with the package. A collection of graphs is indexed as a list is.

import time

import matplotlib
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag
from skshake.plotting import HierarchyDisplay, LearningCurveDisplay, QSelectionDisplay

matplotlib.use("Agg")
start = time.perf_counter()

graphs, y = load_mutag(return_X_y=True)
print(graphs)

# %%
# Two estimators make the model: one coarsens, one classifies. Cross-validation is
# scikit-learn's own, so q* is learnt anew from the training part of each fold.

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

# %%
# What did it learn? The fitted coarsener has q*, and says what is left of the graphs.

coarsener = model.fit(graphs, y)["coarsen"]
print(f"learnt resolution q*: {coarsener.q_star_:.2f}")
print(
    f"kept at q*:           {coarsener.reduction_.nodes[0]:.0%} of the nodes, "
    f"{coarsener.reduction_.edges[0]:.0%} of the edges"
)

# %%
# q* is where J is least: to the left coarse graphs lose information, to the right they
# are large.

QSelectionDisplay.from_estimator(coarsener).figure_.savefig("quickstart.png", dpi=150)
print("figure:               quickstart.png")

# %%
# One molecule, and what coarsening made of it. Atoms of one colour become one node.

HierarchyDisplay.from_estimator(coarsener, graphs[0])

# %%
# Training went through 60 epochs, each on another forest.

LearningCurveDisplay.from_estimator(model["clf"])
print(f"time:                 {time.perf_counter() - start:.0f} s")
# sphinx_gallery_thumbnail_number = 2
