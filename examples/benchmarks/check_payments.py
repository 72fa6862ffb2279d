"""Do explanations find the transfers that were planted? By setting, and by reading.

Trains on three quarters of the months, and explains the frauds of the others that are
flagged: those above the threshold that finds four of five. A transfer's score is the
contribution of its edge, or that with its share of what both of its accounts add.

    python examples/benchmarks/check_payments.py
"""

import argparse

import numpy as np
from _bench import Table
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier, explain, graphs_from_edgelist
from skshake.datasets import make_payments

SETTINGS = {
    "q*": ({"n_forests": 8}, 0.0),
    "q = inf": ({"q": np.inf}, 0.0),
    "q = inf, dropout": ({"q": np.inf}, 0.3),
}


def read(n_cases, seed):
    """Graphs, which are fraud, and the planted pairs of accounts by case."""
    data = make_payments(n_cases, random_state=seed)
    graphs = graphs_from_edgelist(
        data.transfers,
        graph=["case", "month"],
        source="payer",
        target="payee",
        edge_attrs=["amount", "channel", "time"],
        aggregate={"amount": "sum", "channel": "count", "time": "min"},
        nodes=data.accounts,
        node="account",
        node_attrs=["kind", "opened"],
        directed=True,
    )
    frauds = data.cases.set_index(["case", "month"])["is_fraud"]
    columns = ["case", "month", "payer", "payee"]
    planted = {*map(frozenset, data.transfers.loc[data.planted, columns].to_numpy())}
    return graphs, frauds.loc[[*graphs.names]].to_numpy(), planted


def measure(model, graphs, y, planted):
    """Average precision, and by reading how many flagged frauds are explained well."""
    months = np.array([month for _, month in graphs.names])
    known = np.unique(months)
    is_test = months >= known[len(known) * 3 // 4]
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    p = model.fit(graphs[train], y[train]).predict_proba(graphs[test])[:, 1]
    threshold = np.quantile(p[y[test]], 0.2, method="lower")
    explanation = explain(model, graphs[test[y[test] & (p >= threshold)]])
    flagged = explanation.graphs
    found = {"edges": [], "edges and ends": []}
    for k, graph in enumerate(flagged):
        one, names = explanation[k], graph.node_names[graph.edges]
        is_planted = np.array([{*flagged.names[k], *pair} in planted for pair in names])
        degree = np.bincount(graph.edges.ravel(), minlength=graph.n_nodes)
        of_ends = (one.nodes[0] / np.maximum(degree, 1))[graph.edges].sum(axis=1)
        for name, scores in zip(found, (0, of_ends), strict=True):
            top = is_planted[np.argsort(-(one.edges[0] + scores))]
            found[name].append([top[0], top[:4].sum() >= 3])
    shares = [np.mean(found[name], axis=0) for name in found]
    return average_precision_score(y[test], p), *np.concatenate(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seeds", type=int, nargs="+", default=[3, 4, 5])
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    parser.add_argument("--max-iter", type=int, default=60)
    options = parser.parse_args()
    data = [read(options.cases, seed) for seed in options.seeds]
    shares = ("first planted", "3 of the first 4")
    with_ends = (f"{share}, with ends" for share in shares)
    table = Table("setting", "seeds", "average precision", *shares, *with_ends)
    for name in options.settings:
        coarsening, dropout = SETTINGS[name]
        rows = [
            measure(
                make_pipeline(
                    KFCoarsener(**coarsening, random_state=0),
                    SHAKEClassifier(
                        dropout=dropout, max_iter=options.max_iter, random_state=0
                    ),
                ),
                *each,
            )
            for each in data
        ]
        for what, over in (("mean", np.mean), ("lowest", np.min)):
            table.add(name, what, *(f"{value:.3f}" for value in over(rows, axis=0)))


if __name__ == "__main__":
    main()
