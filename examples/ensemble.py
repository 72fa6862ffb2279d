"""
The ensemble: the network and trees
===================================

:class:`~skshake.SHAKEEnsembleClassifier` averages the network with two forests on
counts of subtrees. They err differently, so that their mean is often better than each,
and the forests take little time beside the network.
"""

# %%
# One line makes it. Members are fitted on the same graphs.

import time

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skshake import (
    KFCoarsener,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SubtreeVectorizer,
)
from skshake.datasets import load_mutag

graphs, y = load_mutag(return_X_y=True)
models = {
    "network": make_pipeline(
        KFCoarsener(random_state=0), SHAKEClassifier(max_iter=30, random_state=0)
    ),
    "trees": make_pipeline(
        SubtreeVectorizer(), RandomForestClassifier(200, random_state=0)
    ),
    "ensemble": SHAKEEnsembleClassifier(random_state=0).set_params(
        shake__clf__max_iter=30
    ),
}

# %%
# Each molecule is predicted once, by a model that has not seen it.

folds = StratifiedKFold(3, shuffle=True, random_state=0)
results = {}
for name, model in models.items():
    start = time.perf_counter()
    p = cross_val_predict(model, graphs, y, cv=folds, method="predict_proba")
    results[name] = p
    accuracy = ((p[:, 1] > 0.5) == (y == 1)).mean()
    seconds = time.perf_counter() - start
    loss = log_loss(y, p)
    print(f"{name:9} accuracy {accuracy:.3f}, log loss {loss:.3f}, {seconds:.0f} s")

# %%
# Where do they disagree? Above the diagonal the network is surer of class 1.

_, ax = plt.subplots(layout="constrained")
for label, color in ((-1, "C0"), (1, "C1")):
    of_class = y == label
    ax.scatter(
        results["trees"][of_class, 1],
        results["network"][of_class, 1],
        s=12,
        color=color,
        label=f"class {label}",
    )
ax.plot([0, 1], [0, 1], color="0.6", lw=1)
ax.set(
    xlabel="probability of class 1, trees", ylabel="the same, network", aspect="equal"
)
ax.legend()

# %%
# The fitted members can be looked at one by one.

ensemble = models["ensemble"].fit(graphs, y)
print(ensemble.named_estimators_["shake"]["coarsen"].q_star_)
print(ensemble.named_estimators_["trees"][-1])
plt.show()
