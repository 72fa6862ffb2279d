"""
Search: GridSearchCV and optuna
===============================

Parameters of a pipeline are searched as any others of scikit-learn are. The first to
search are ``clf__max_iter`` and ``clf__hidden_dim``, and whether to coarsen at all
(``coarsen__q``: "auto" or ``inf``); pages of the API say in their first paragraphs
which parameters to tune first.
"""

# %%
# A grid over the coarsener and the network at once. The outer score comes from graphs
# that the search has not seen.

import matplotlib.pyplot as plt
import numpy as np
import optuna
import pandas as pd
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag

graphs, y = load_mutag(return_X_y=True)
train, test = train_test_split(
    np.arange(len(y)), test_size=0.25, stratify=y, random_state=0
)
model = Pipeline(
    [
        ("coarsen", KFCoarsener(n_forests=4, random_state=0)),
        ("clf", SHAKEClassifier(max_iter=12, random_state=0)),
    ]
)
grid = {"coarsen__q": ["auto", np.inf], "clf__hidden_dim": [16, 64]}
search = GridSearchCV(model, grid, cv=3).fit(graphs[train], y[train])
print(search.best_params_, f"{search.score(graphs[test], y[test]):.3f}")

# %%
# Differences smaller than the standard error say nothing.

table = pd.DataFrame(search.cv_results_)
table["error"] = table["std_test_score"] / np.sqrt(3)
print(table[["param_coarsen__q", "param_clf__hidden_dim", "mean_test_score", "error"]])

# %%
# The same with optuna (``pip install optuna``), which draws where it has seen good
# scores, and stops when you say so. Coarsening takes a fraction of a trial's time.

optuna.logging.set_verbosity(optuna.logging.WARNING)


def objective(trial):
    """Cross-validated accuracy of one choice of parameters."""
    model.set_params(
        coarsen__q=trial.suggest_float("q", 0.3, 30.0, log=True),
        clf__n_layers=trial.suggest_int("n_layers", 2, 5),
        clf__dropout=trial.suggest_float("dropout", 0.0, 0.5),
    )
    return cross_val_score(model, graphs[train], y[train], cv=3).mean()


study = optuna.create_study(
    direction="maximize", sampler=optuna.samplers.TPESampler(seed=0)
)
study.optimize(objective, n_trials=5)
print(study.best_params, f"{study.best_value:.3f}")

# %%
# Trials by q. With as few graphs as here, differences are mostly chance.

_, ax = plt.subplots(layout="constrained")
ax.semilogx([t.params["q"] for t in study.trials], [t.value for t in study.trials], "o")
ax.set(xlabel="q", ylabel="accuracy, 3 folds")
plt.show()
