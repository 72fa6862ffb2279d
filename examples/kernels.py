"""
A comparison with kernels
=========================

The Weisfeiler-Lehman kernel counts the subtrees that two graphs share. The same counts
are columns of :class:`~skshake.SubtreeVectorizer`, so a linear support vector machine
on them is that kernel's machine, without a matrix of all pairs of graphs.
"""

# %%
# Three models on the same folds, and GraKeL's kernel where it is installed (``pip
# install grakel``).

import time
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.svm import SVC, LinearSVC

from skshake import KFCoarsener, SHAKEClassifier, SubtreeVectorizer
from skshake.datasets import load_mutag

graphs, y = load_mutag(return_X_y=True)
subtrees = SubtreeVectorizer(depth=3, statistics=False)
models = {
    "network": make_pipeline(
        KFCoarsener(random_state=0), SHAKEClassifier(max_iter=20, random_state=0)
    ),
    "subtrees, linear SVM": make_pipeline(
        subtrees, MaxAbsScaler(), LinearSVC(C=0.1, random_state=0)
    ),
    "subtrees, RBF SVM": make_pipeline(subtrees, MaxAbsScaler(), SVC(C=10)),
}


def as_grakel(graphs):
    """Edges and labels of nodes, as GraKeL wants them."""
    found = []
    for graph in graphs:
        edges = [tuple(edge) for edge in graph.edges.tolist()]
        nodes = dict(enumerate(graph.x[:, 0].tolist()))
        found.append([edges + [edge[::-1] for edge in edges], nodes])
    return found


if find_spec("grakel"):
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    kernel = WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram)
    models["GraKeL's kernel, SVM"] = make_pipeline(
        FunctionTransformer(as_grakel), kernel, SVC(kernel="precomputed", C=1)
    )

# %%
# Accuracy and time of each.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = {}
for name, model in models.items():
    start = time.perf_counter()
    scores[name] = cross_val_score(model, graphs, y, cv=folds)
    seconds = time.perf_counter() - start
    print(f"{name:21} {np.mean(scores[name]):.3f}, {seconds:.1f} s")

_, ax = plt.subplots(layout="constrained")
ax.boxplot([*scores.values()], orientation="horizontal", tick_labels=[*scores])
ax.set(xlabel="accuracy, 5 folds")

# %%
# A linear model can be read: these subtrees speak for mutagenic molecules.

linear = models["subtrees, linear SVM"].fit(graphs, y)
names = linear[0].get_feature_names_out()
for column in np.argsort(linear[-1].coef_[0])[::-1][:3]:
    print(linear[0].describe(names[column]))
plt.show()
