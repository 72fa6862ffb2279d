"""Which cases hide money that runs in a circle? From a database to an answer.

Reads transfers and accounts as graphs, one per case, compares by month with a random
forest on totals, chooses a threshold that finds four of five frauds, and turns all
transfers round.

    python examples/payments.py
"""

import argparse

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier, graphs_from_edgelist
from skshake.datasets import make_payments

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--cases", type=int, default=400)
data = make_payments(parser.parse_args().cases, random_state=0)
tables = {
    "edges": data.transfers,
    "graph": ["case", "month"],
    "edge_attrs": ["amount", "channel", "time"],
    "aggregate": {"amount": "sum", "channel": "count", "time": "min"},
    "nodes": data.accounts,
    "node": "account",
    "node_attrs": ["kind", "opened"],
    "directed": True,
}
graphs = graphs_from_edgelist(**tables, source="payer", target="payee")
y = data.cases.set_index(["case", "month"])["is_fraud"].loc[[*graphs.names]].to_numpy()
folds = {"groups": [month for _, month in graphs.names], "cv": GroupKFold(4)}
print(graphs, f"{y.sum()} of them are fraud", sep="\n")

model = make_pipeline(KFCoarsener(random_state=0), SHAKEClassifier(random_state=0))
forest = RandomForestClassifier(500, random_state=0)
totals = data.transfers.groupby("case")["amount"].agg(["size", "sum", "mean", "max"])
for name, estimator, X in (("totals", forest, totals), ("graphs", model, graphs)):
    p = cross_val_predict(estimator, X, y, method="predict_proba", **folds)[:, 1]
    print(f"average precision by month, {name}: {average_precision_score(y, p):.3f}")
precision, recall, thresholds = precision_recall_curve(y, p)
k = np.flatnonzero(recall >= 0.8)[-1]
print(f"recall {recall[k]:.2f} from {thresholds[k]:.3f}, precision {precision[k]:.2f}")

p = model.fit(graphs, y).predict_proba(graphs)[:, 1]
turned = graphs_from_edgelist(**tables, source="payee", target="payer")
change = np.abs(model.predict_proba(turned)[:, 1] - p)
print(f"reversing all transfers changes probabilities by up to {change.max():.3f}")
