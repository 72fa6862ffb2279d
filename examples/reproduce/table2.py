"""A row of the paper's Table 2: the original graphs and the coarsened ones.

    python examples/reproduce/table2.py --dataset DD --data DATA --seeds 0 1 2

Trains both with the paper's settings and appends a row per run to ``--csv``; runs that
the file holds are not done again. ``render.py`` makes the table and a figure of it.
``--profile cpu`` narrows and shortens for machines without a GPU; ``--generated N``
takes N graphs of the set's shape instead of the set, for times alone.
"""

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from _paper import PROFILES, SETTINGS, Setting, load, options, split
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.utils import Bunch
from tqdm.auto import tqdm

from skshake import KFCoarsener, SHAKEClassifier

# What makes a run, and what is measured of it.
KEY = ("dataset", "variant", "profile", "generated", "q", "seed")
MEASURED = (
    "learnt_q",
    "nodes",
    "edges",
    "epochs",
    "coarsening_seconds",
    "training_seconds",
    "score",
)


def run(setting: Setting, data: Bunch, key: dict, verbose: int) -> dict[str, Any]:
    """One training, with times."""
    y, parts = np.asarray(data.target), split(data, key["seed"])
    graphs = {part: data.data[rows] for part, rows in parts.items()}
    start = time.perf_counter()
    q = key["q"] if key["q"] == "auto" else float(key["q"])
    # The paper's network sees features alone, not walks on the input graph.
    coarsener = KFCoarsener(q=q, walk_length=0, random_state=key["seed"], n_jobs=-1)
    coarse = {"train": coarsener.fit_transform(graphs["train"])}
    coarse |= {part: coarsener.transform(graphs[part]) for part in ("valid", "test")}
    coarsened = time.perf_counter()
    model = SHAKEClassifier(
        **options(setting, key["variant"], key["profile"]),
        early_stopping=True,
        random_state=key["seed"],
        verbose=verbose,
    )
    model.fit(
        coarse["train"],
        y[parts["train"]],
        X_val=coarse["valid"],
        y_val=y[parts["valid"]],
    )
    trained = time.perf_counter()
    true = y[parts["test"]]
    if setting.loss == "auc_margin":
        score = roc_auc_score(true, model.predict_proba(coarse["test"])[:, 1])
    else:
        score = accuracy_score(true, model.predict(coarse["test"]))
    return {
        "learnt_q": coarsener.q_[0],
        "nodes": coarsener.reduction_.nodes[0],
        "edges": coarsener.reduction_.edges[0],
        "epochs": model.n_iter_,
        "coarsening_seconds": coarsened - start,
        "training_seconds": trained - coarsened,
        "score": score,
    }


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows of a file of results; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a file of results."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [*KEY, *MEASURED])
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main() -> None:
    """Do the runs that are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", choices=SETTINGS, required=True)
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--seeds", nargs="+", type=int, default=[42])
    parser.add_argument("--profile", choices=PROFILES, default="paper")
    parser.add_argument("--q", help="of the coarsened graphs (default: the paper's)")
    parser.add_argument("--generated", type=int, default=0, help="number of graphs")
    parser.add_argument("--csv", type=Path, default=Path("table2.csv"))
    parser.add_argument("--verbose", type=int, default=0)
    arguments = parser.parse_args()
    setting = SETTINGS[arguments.dataset]
    of_variant = {"original": "inf", "coarsened": arguments.q or str(setting.q)}
    keys = [
        {
            "dataset": arguments.dataset,
            "variant": variant,
            "profile": arguments.profile,
            "generated": arguments.generated,
            "q": q,
            "seed": seed,
        }
        for seed in arguments.seeds
        for variant, q in of_variant.items()
    ]
    done = {tuple(row[k] for k in KEY) for row in read_rows(arguments.csv)}
    missing = [key for key in keys if tuple(map(str, key.values())) not in done]
    data = load(arguments.dataset, arguments.data, arguments.generated)
    for key in tqdm(missing, "runs"):
        found = run(setting, data, key, arguments.verbose)
        append_row(arguments.csv, key | found)
        tqdm.write(
            f"{key['dataset']} {key['variant']}, seed {key['seed']}: score "
            f"{found['score']:.4f}, q {found['learnt_q']:.3g}, {found['nodes']:.1%} of "
            f"the nodes, {found['epochs']} epochs, coarsening "
            f"{found['coarsening_seconds']:.1f} s, training "
            f"{found['training_seconds']:.1f} s"
        )


if __name__ == "__main__":
    main()
