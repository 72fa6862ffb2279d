"""The grid of the paper's appendix, as a scikit-learn search.

    python examples/reproduce/search.py --dataset DD --data DATA --n-iter 20

Layers, read-out, linear layers per message-passing layer, and width, chosen on the
training part by cross-validation; ``--n-iter`` draws so many of the 1,008 settings, 0
tries all. Prints the best settings, and the test score of the first.
"""

import argparse
from pathlib import Path

import pandas as pd
from _paper import COMMON, GRID, SETTINGS, load, split
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier


def main() -> None:
    """Run the search."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", choices=SETTINGS, required=True)
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--n-iter", type=int, default=20)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--max-iter", type=int, default=100, help="epochs, at most")
    parser.add_argument("--max-width", type=int, default=2048)
    parser.add_argument("--n-jobs", type=int)
    arguments = parser.parse_args()
    data, setting = load(arguments.dataset, arguments.data), SETTINGS[arguments.dataset]
    parts = split(data, seed=0)
    model = Pipeline(
        [
            ("coarsen", KFCoarsener(q=setting.q, walk_length=0, random_state=0)),
            (
                "clf",
                SHAKEClassifier(
                    **COMMON,
                    optimizer=setting.optimizer,
                    loss=setting.loss,
                    max_iter=arguments.max_iter,
                    early_stopping=True,
                    random_state=0,
                ),
            ),
        ]
    )
    widths = [w for w in GRID["clf__hidden_dim"] if w <= arguments.max_width]
    grid = {**GRID, "clf__hidden_dim": widths}
    common = {
        "scoring": "roc_auc" if setting.loss == "auc_margin" else "accuracy",
        "cv": arguments.folds,
        "n_jobs": arguments.n_jobs,
        "verbose": 1,
    }
    if arguments.n_iter:
        search = RandomizedSearchCV(
            model, grid, n_iter=arguments.n_iter, random_state=0, **common
        )
    else:
        search = GridSearchCV(model, grid, **common)
    train, test = parts["train"], parts["test"]
    search.fit(data.data[train], data.target[train])
    results = pd.DataFrame(search.cv_results_).sort_values("rank_test_score")
    columns = [f"param_{name}" for name in GRID] + ["mean_test_score", "mean_fit_time"]
    print(results[columns].head(10).to_string(index=False))
    print(f"test score: {search.score(data.data[test], data.target[test]):.4f}")


if __name__ == "__main__":
    main()
