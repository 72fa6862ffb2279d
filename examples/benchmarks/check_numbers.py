"""What logarithms of numeric features are worth: ``log_features`` of both transformers.

    python examples/benchmarks/check_numbers.py [DATA/PROTEINS.npz ...]

On generated graphs of accounts and transfers, whose amounts are between 1 and 10^6, and
on files that ``skshake.datasets.load_npz`` reads. The class of generated graphs is the
mean of the logarithm ("mean"), or how many amounts are between 10 and 100 ("band"), on
nodes or on edges. Prints the accuracy of the network and of a forest by the folds of
``StratifiedKFold(4, shuffle=True, random_state=1)``.
"""

import argparse
from pathlib import Path

import numpy as np
from _bench import Table
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from skshake import (
    GraphCollection,
    KFCoarsener,
    SHAKEClassifier,
    SubtreeVectorizer,
    from_edges,
)
from skshake.datasets import load_npz

N_GRAPHS = 400


def draw_amounts(
    kind: str, label: int, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Amounts between 1 and 10^6, whose distribution depends on the class."""
    if kind == "mean":
        return 10 ** np.clip(rng.normal(2.5 + label, 1.2, size), 0, 6)
    logs = rng.uniform(0, 6, size)
    is_in_band = rng.random(size) < (0.45 if label else 0.15)
    elsewhere = np.where((logs > 1) & (logs < 2), logs + 3, logs)
    return 10 ** np.where(is_in_band, rng.uniform(1, 2, size), elsewhere)


def make_transfers(kind: str, where: str) -> tuple[GraphCollection, np.ndarray]:
    """Random graphs of 10 to 20 accounts, with amounts on nodes or on edges."""
    rng, y = np.random.default_rng(0), np.arange(N_GRAPHS) % 2
    edges, n_nodes, x, edge_attr = [], [], [], []
    for label in y.tolist():
        n = int(rng.integers(10, 21))
        pairs = [(j, rng.integers(j)) for j in range(1, n)]
        pairs += [tuple(rng.choice(n, 2, replace=False)) for _ in range(n // 2 + 1)]
        pairs = np.unique(np.sort(pairs, axis=1), axis=0)
        if where == "edges":
            edge_attr.append(draw_amounts(kind, label, len(pairs), rng))
            x.append(rng.normal(size=n))
        else:
            x.append(draw_amounts(kind, label, n, rng))
        edges.append(pairs)
        n_nodes.append(n)
    graphs = from_edges(
        np.concatenate(edges),
        list(map(len, edges)),
        n_nodes,
        x=np.concatenate(x)[:, None],
        edge_attr=np.concatenate(edge_attr)[:, None] if edge_attr else None,
    )
    return graphs, y


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--max-iter", type=int, default=40)
    parser.add_argument("--models", nargs="+", default=["network", "forest"])
    arguments = parser.parse_args()
    sets = {path.stem: load_npz(path, return_X_y=True) for path in arguments.files}
    for kind in ("mean", "band"):
        for where in ("nodes", "edges"):
            sets[f"{kind}, {where}"] = make_transfers(kind, where)
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    rules = {"auto": "auto", "none": False, "all": True}
    table = Table("set", "model", *(f"log_features={rule}" for rule in rules))
    for name, (graphs, y) in sets.items():
        for model in arguments.models:
            row = []
            for rule in rules.values():
                transformer = SubtreeVectorizer(log_features=rule)
                last = RandomForestClassifier(200, random_state=0)
                if model == "network":
                    transformer = KFCoarsener(log_features=rule, random_state=0)
                    last = SHAKEClassifier(max_iter=arguments.max_iter, random_state=0)
                pipeline = make_pipeline(transformer, last)
                scores = cross_val_score(pipeline, graphs, y, cv=folds)
                row.append(f"{scores.mean():.3f}")
            table.add(name, model, *row)


if __name__ == "__main__":
    main()
