"""
Your own networkx graphs
========================

Two kinds of teams exchange messages: in some everybody writes to a few neighbours, in
others most messages pass through a few hubs. Which kind is a new team?

Nodes and edges carry attributes, as networkx graphs of real data do: a role (text, so a
category), an age (a float, so a number), and how many messages an edge stands for.
"""

# %%
# Attributes are read by name. ``weight`` is the weight of an edge; all others are
# features.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, SHAKEClassifier, as_graphs, check_graphs, describe
from skshake.plotting import HierarchyDisplay

rng = np.random.default_rng(0)


def make_team(kind):
    """A graph of 15 to 39 people."""
    n = int(rng.integers(15, 40))
    seed = int(rng.integers(2**31))
    if kind == "neighbours":
        team = nx.connected_watts_strogatz_graph(n, 4, 0.2, seed=seed)
    else:
        team = nx.barabasi_albert_graph(n, 2, seed=seed)
    for person in team:
        team.nodes[person]["role"] = str(rng.choice(["analyst", "engineer", "lead"]))
        team.nodes[person]["age"] = float(rng.normal(40, 8))
    for a, b in team.edges:
        team.edges[a, b]["weight"] = float(rng.integers(1, 6))
    return team


kinds = ["neighbours", "hubs"] * 60
teams = [make_team(kind) for kind in kinds]
print(teams[0], teams[0].nodes[0])

# %%
# A list of networkx graphs is all that the estimators ask for.
# :func:`~skshake.as_graphs` reads it once, says what it found, and lets you choose
# attributes.

print(as_graphs(teams))
print(as_graphs(teams, node_attrs=["role"]))

# %%
# :func:`~skshake.describe` says what deserves a look before training, and what q* would
# keep. In a notebook the page is HTML.

describe(teams, kinds, time_fit=False)

# %%
# Graphs that do not fit together are found before anything is trained, all of them at
# once. Here one team lacks a role, and one has an edge of negative weight.

broken = [nx.Graph(team) for team in teams[:6]]
del broken[2].nodes[4]["role"]
next(iter(broken[5].edges(data=True)))[2]["weight"] = -1.0
for problem in check_graphs(broken):
    print(problem)

# %%
# The model never sees a team that it predicts.

model = make_pipeline(
    KFCoarsener(random_state=0), SHAKEClassifier(max_iter=30, random_state=0)
)
found = cross_val_predict(model, teams, kinds, cv=4)
_, ax = plt.subplots(layout="constrained")
ConfusionMatrixDisplay.from_predictions(kinds, found, ax=ax, colorbar=False)

# %%
# Coarsening merges people who write to each other often: heavy edges are merged first.

coarsener = KFCoarsener(random_state=0).fit(teams)
HierarchyDisplay.from_estimator(coarsener, teams[1])
plt.show()
# sphinx_gallery_thumbnail_number = 2
