"""
Choosing q and levels
=====================

The resolution q says how coarse graphs become: the smaller q, the fewer nodes are left.
This page shows how q* is learnt, what other values of q would do, and what several
levels are.
"""

# %%
# By default q* is learnt from the features of the training graphs. Labels play no part.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier, expected_nodes
from skshake.datasets import load_mutag
from skshake.plotting import HierarchyDisplay, QSelectionDisplay

graphs, y = load_mutag(return_X_y=True)
coarsener = KFCoarsener(random_state=0).fit(graphs)
low, high = coarsener.q_star_interval_
print(f"q* = {coarsener.q_star_:.2f}, with 95 % between {low:.2f} and {high:.2f}")
print(coarsener.reduction_.describe())
QSelectionDisplay.from_estimator(coarsener)

# %%
# ``phi`` weighs size against information: 1 by default. A larger one makes graphs
# coarser.

for phi in (0.5, 1.0, 1.5):
    fitted = KFCoarsener(phi=phi, random_state=0).fit(graphs)
    print(f"phi = {phi}: q* = {fitted.q_star_:5.2f}, {fitted.reduction_.nodes[0]:.0%}")

# %%
# How many nodes are left at any q is known without drawing forests; the expectation
# is exact.

qs = np.geomspace(0.05, 200, 40)
left = [expected_nodes(graphs[:40], q).value / graphs[:40].n_nodes for q in qs]
_, ax = plt.subplots(layout="constrained")
ax.semilogx(qs, left)
ax.axvline(coarsener.q_star_, color="C1", label="q*")
ax.set(xlabel="q", ylabel="part of the nodes that is left")
ax.legend()

# %%
# Accuracy at several q. Between neighbouring values it differs by less than between
# folds, so q* is a good start and seldom worth a search.

for q in (0.3, "auto", np.inf):
    model = make_pipeline(
        KFCoarsener(q=q, random_state=0), SHAKEClassifier(max_iter=15, random_state=0)
    )
    scores = cross_val_score(model, graphs, y, cv=3)
    print(f"q = {q}: accuracy {scores.mean():.3f} +- {scores.std():.3f}")

# %%
# Several levels: a sequence of q gives one level each, ``inf`` is the graph itself. The
# network reads them from coarse to fine. ``n_levels=2`` with a learnt q* adds a level
# at which half as many nodes are left, and ``include_original=True`` the graph itself.

levels = KFCoarsener(q=[np.inf, 2.5, 0.5], random_state=0).fit(graphs)
HierarchyDisplay.from_estimator(levels, graphs[2])
plt.show()
