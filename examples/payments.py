"""Which cases hide money that runs in a circle? From tables of a database to an answer.

Reads transfers and accounts as graphs, compares by month with a random forest on totals,
chooses a threshold that finds four of five frauds, and turns all transfers round.

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
parser.add_argument("--max-iter", type=int, default=60)
arguments = parser.parse_args()
data = make_payments(arguments.cases, random_state=0)
columns = {
    "graph": ["case", "month"],
    "nodes": data.accounts,
    "node": "account",
    "node_attrs": ["kind", "opened"],
    "edge_attrs": ["amount", "channel", "time"],
    "aggregate": {"amount": "sum", "channel": "count", "time": "min"},
    "directed": True,
}
graphs = graphs_from_edgelist(data.transfers, source="payer", target="payee", **columns)
y = data.cases.set_index(["case", "month"]).loc[[*graphs.names], "is_fraud"].to_numpy()
months = [month for _, month in graphs.names]
print(graphs, f"{y.sum()} are fraud, from {min(months)} to {max(months)}", sep="\n")

totals = data.transfers.groupby("case")["amount"].agg(["size", "sum", "mean", "max"])
model = make_pipeline(
    KFCoarsener(random_state=0),
    SHAKEClassifier(max_iter=arguments.max_iter, random_state=0),
)
folds = {"groups": months, "cv": GroupKFold(4), "method": "predict_proba"}
forest = cross_val_predict(RandomForestClassifier(500), totals, y, **folds)[:, 1]
scores = cross_val_predict(model, graphs, y, **folds)[:, 1]
print(f"average precision, by month: {average_precision_score(y, scores):.3f}")
print(f"forest on totals:            {average_precision_score(y, forest):.3f}")
precision, recall, thresholds = precision_recall_curve(y, scores)
k = np.flatnonzero(recall >= 0.8)[-1]
print(
    f"recall {recall[k]:.2f} from {thresholds[k]:.3f} on, precision {precision[k]:.2f}"
)

suspect = model.fit(graphs, y).predict_proba(graphs)[:, 1]
turned = graphs_from_edgelist(data.transfers, source="payee", target="payer", **columns)
change = pd.Series(np.abs(model.predict_proba(turned)[:, 1] - suspect))
print(
    f"reversing all transfers changes a probability by {change.mean():.3f} on average"
)
print(f"most suspect: case {graphs[int(suspect.argmax())].name}")
