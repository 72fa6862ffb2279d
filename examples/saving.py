"""
Saving and serving a model
==========================

A whole pipeline is kept in one file that holds no code, and a small web service reads
it: ``examples/service.py``, which needs no web framework.
"""

# %%
# Train once, and save.

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag

graphs, y = load_mutag(return_X_y=True)
model = make_pipeline(
    KFCoarsener(random_state=0), SHAKEClassifier(max_iter=20, random_state=0)
)
model.fit(graphs[:150], y[:150])
file = Path(tempfile.mkdtemp()) / "model.skops"
skshake.save(model, file)
print(f"{file.stat().st_size / 1e3:.0f} kB")

# %%
# What is loaded predicts the same, bit for bit, on machines without a GPU too.

again = skshake.load(file)
assert (again.predict_proba(graphs) == model.predict_proba(graphs)).all()

# %%
# A file that was damaged or altered is refused.

damaged = file.with_suffix(".damaged")
damaged.write_bytes(file.read_bytes()[:-1] + b"?")
try:
    skshake.load(damaged)
except ValueError as error:
    print(str(error).replace(str(damaged.parent), "..."))

# %%
# For a service, ask for fewer forests where milliseconds count: no new fit is needed.
# Most of the time of one small graph is fixed.

milliseconds = {}
for n_forests in (16, 4, 1):
    again.set_params(kfcoarsener__n_forests_transform=n_forests)
    again.predict_proba(graphs[:1])
    times = []
    for i in range(10):
        start = time.perf_counter()
        again.predict_proba(graphs[i : i + 1])
        times.append(1000 * (time.perf_counter() - start))
    milliseconds[n_forests] = np.median(times)
_, ax = plt.subplots(layout="constrained")
ax.bar([str(n) for n in milliseconds], [*milliseconds.values()])
ax.set(xlabel="forests", ylabel="milliseconds per graph, one at a time")

# %%
# The service answers each graph by itself: one that cannot be read does not stop the
# others. Its port is 0 here, which takes a free one; it prints the address.

# Beside this script; a notebook has no file, and runs in the folder.
here = Path(__file__).parent if "__file__" in globals() else Path()
command = [sys.executable, here / "service.py", "--model", file, "--port", "0"]
service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
try:
    url = service.stdout.readline().strip()
    good = {
        "num_nodes": 3,
        "edge_index": [[0, 1], [1, 2]],
        "node_feat": [[0], [0], [1]],
        "edge_feat": [[0], [1]],
    }
    bad = {**good, "edge_index": [[0, 1], [1, 9]]}
    with urlopen(url, json.dumps([good, bad]).encode()) as answer:
        for row in json.load(answer):
            print(row)
    print(service.stdout.readline())
finally:
    service.terminate()
    service.wait()
plt.show()
