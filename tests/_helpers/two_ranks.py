"""What each of two ranks does in tests/network/test_ranks.py.

    python -m tests._helpers.two_ranks FOLDER RANK

Both import torch, which takes longest, so all is done in one start. Each writes what it
found to FOLDER/RANK.pkl.
"""

import hashlib
import os
import pickle
import signal
import sys
import warnings
from datetime import timedelta
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from skshake import (
    HierarchyCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKERegressor,
)
from skshake.datasets import load_mutag
from skshake.network import _meeting
from skshake.network._ranks import ProcessRanks
from skshake.network._steps import Steps
from skshake.network.batches import StoredSet
from skshake.network.batches._buffers import BUFFER_FACTOR
from skshake.sources import _writing

SETTINGS = {"hidden_dim": 8, "n_layers": 2, "random_state": 0}
# Of the classifier whose ranks are compared with each other.
CLASSIFIER = {**SETTINGS, "max_iter": 4, "early_stopping": True, "dropout": 0.2}
# Of those that are compared with one process: three steps.
PLAIN = {**SETTINGS, "norm": None, "max_iter": 1, "batch_size": 16}
# Of the one that is trained from a folder.
STREAMED = {**SETTINGS, "max_iter": 3, "early_stopping": True}


def read():
    """Forty molecules, 20 of each class, two forests each, and their labels."""
    graphs, y = load_mutag(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == c)[:20] for c in (-1, 1)])
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=2, random_state=0)
    return coarsener.fit_transform(graphs[rows]), y[rows]


def numbers(y):
    """Two columns of numbers of which most of one are missing."""
    rng = np.random.default_rng(0)
    targets = np.stack([y + rng.normal(size=len(y)), rng.normal(size=len(y))], axis=1)
    targets[rng.random(len(y)) < 0.7, 1] = np.nan
    return targets, rng.uniform(0.5, 2.0, len(y))


def streamed_memory(folder):
    """Bytes of memory with which two buffers make an epoch of two ranks."""
    # Each has one of two forests.
    n_bytes = HierarchyCollection.open(folder).n_bytes
    return int(BUFFER_FACTOR * n_bytes / 2 / 4)


def hash_of(network):
    """Hash of all weights and statistics."""
    state = network.state_dict().values()
    data = b"".join(value.cpu().numpy().tobytes() for value in state)
    return hashlib.sha256(data).hexdigest()


def raised(function):
    """What a function raises, or None."""
    try:
        function()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return None


class Watcher:
    """A callback that stops after two epochs, and says which were told."""

    def __init__(self):
        self.epochs = 0

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.epochs += context.task_name == "epoch"
        return context.task_name == "epoch" and self.epochs == 2

    def teardown(self, estimator, context):
        pass


class AtStep:
    """Calls a function before a step of a fit."""

    def __init__(self, number, function):
        self.number, self.function = number, function

    def __enter__(self):
        find, found = Steps._find_gradients, []
        self.before = find

        def find_gradients(steps, window, b):
            found.append(0)
            if len(found) == self.number:
                self.function()
            return find(steps, window, b)

        Steps._find_gradients = find_gradients

    def __exit__(self, *error):
        Steps._find_gradients = self.before


def run_short():
    """Raise what torch raises when memory runs out."""
    raise torch.OutOfMemoryError("too much")


def interrupt():
    """Press Ctrl-C in this process alone."""
    os.kill(os.getpid(), signal.SIGINT)


def stop():
    """End like a script with an error."""
    raise RuntimeError("the disk is full")


def nothing():
    """Go on."""


def compare(found, X, y):
    """Trainings that one process does too."""
    weights = {"class_weight": {-1: 2.0, 1: 0.5}}
    model = SHAKEClassifier(**PLAIN, **weights).fit(X, y)
    found["classifier"] = model.predict_proba(X), model.loss_curve_
    targets, sample_weight = numbers(y)
    model = SHAKERegressor(**PLAIN).fit(X, targets, sample_weight)
    found["regressor"] = model.predict(X), model.loss_curve_
    labels = np.where(np.isnan(targets), np.nan, targets > 0)
    model = SHAKEClassifier(**PLAIN, clip_norm=0.5).fit(X, labels)
    found["labels"] = model.predict_proba(X), model.loss_curve_


def agree(found, X, y):
    """Trainings whose ranks end with equal weights."""
    copied, copy_first = [], ProcessRanks.copy_first

    def noted(ranks, network):
        copied.append(hash_of(network))
        copy_first(ranks, network)

    # The last is the trained network before the first rank's is copied.
    ProcessRanks.copy_first = noted
    model = SHAKEClassifier(**CLASSIFIER).fit(X, y)
    found["trained alike"] = copied[-1]
    found["hash"], found["history"] = hash_of(model.module_), model.history_
    models = {
        "any seed": SHAKEClassifier(**{**SETTINGS, "random_state": None}, max_iter=1),
        "layer norm": SHAKEClassifier(**SETTINGS, max_iter=1, norm="layer", conv="gat"),
    }
    for name, model in models.items():
        model.fit(X, y)
        found[name] = copied[-1]
    ProcessRanks.copy_first = copy_first


def go_wrong(found, X, y, folder, rank):
    """Trainings in which something happens to one rank."""
    settings = {**SETTINGS, "max_iter": 3, "batch_size": 16}

    def fit(X=X, y=y, **more):
        return SHAKEClassifier(**{**settings, **more}).fit(X, y)

    found["other parameters"] = raised(lambda: fit(dropout=0.1 * rank))
    found["other graphs"] = raised(lambda: fit(X=X[np.arange(40) ^ rank]))
    found["other labels"] = raised(lambda: fit(y=y if rank else -y))
    found["pairwise"] = raised(lambda: fit(loss="auc_margin"))
    found["small batches"] = raised(lambda: fit(batch_size=1))
    found["a list"] = raised(lambda: fit(device=["cpu", "cpu"]))
    found["one fails before"] = raised(lambda: fit(n_layers=-rank))
    with AtStep(3, stop if rank else nothing):
        found["one fails within"] = raised(fit)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with AtStep(2, run_short if rank else nothing):
            model = fit()
        found["short of memory"] = hash_of(model.module_), model.n_iter_
        with AtStep(5, interrupt if rank else nothing):
            model = fit()
        found["interrupted"] = hash_of(model.module_), model.n_iter_
        with AtStep(2, interrupt if rank else nothing):
            found["interrupted at once"] = raised(fit)
    found["warnings"] = [str(warning.message) for warning in caught]
    whole = fit()
    with AtStep(6, stop):
        raised(lambda: fit(checkpoint=folder / f"only{rank}"))
    resumed = fit(checkpoint=folder / f"only{rank}")
    found["resumed"] = hash_of(whole.module_) == hash_of(resumed.module_)
    found["checkpoints"] = len([*folder.glob(f"only{rank}/*")])
    model = SHAKEClassifier(**settings)
    if hasattr(model, "set_callbacks"):
        watcher = Watcher()
        model.set_callbacks(watcher).fit(X, y)
        found["callbacks"] = model.n_iter_, watcher.epochs


def stream(found, folder, rank):
    """Trainings from a folder, of which a rank reads its row groups."""
    graphs, y = load_mutag(return_X_y=True)
    if rank == 0:
        _writing.GROUP_ROWS = 400
        coarsener = KFCoarsener(q=1.0, n_forests=2, random_state=0).fit(graphs)
        coarsener.transform_to(folder / "hierarchies", graphs, y)
    dist.barrier()
    memory = streamed_memory(folder / "hierarchies")
    stored = HierarchyCollection.open(folder / "hierarchies", memory=memory)
    read, buffers = [], StoredSet.buffers

    def noted(stored_set, epoch, first=0):
        for buffer in buffers(stored_set, epoch, first):
            read.append((epoch, buffer.graphs))
            yield buffer

    StoredSet.buffers = noted
    whole = SHAKEClassifier(**STREAMED).fit(stored, stored.y)
    found["streamed"] = hash_of(whole.module_), whole.loss_curve_
    found["scores"] = whole.validation_scores_
    found["read"] = [*read]
    model = SHAKEClassifier(**STREAMED, checkpoint=folder / "streamed")
    # In the second buffer of the second epoch.
    with AtStep(11, stop):
        raised(lambda: model.fit(stored, y))
    resumed = model.fit(stored, y)
    found["streamed on"] = hash_of(resumed.module_), resumed.loss_curve_
    found["rows"] = resumed.predict_proba(stored)
    found["rows in memory"] = resumed.predict_proba(stored.in_memory())


def predict(found, X, y, rank):
    """Predictions of both, of one, and of different graphs."""
    sizes, join_rows = [], ProcessRanks.join_rows
    model = SHAKEClassifier(**SETTINGS, max_iter=1).fit(X, y)

    def noted(ranks, rows, n_rows):
        sizes.append(0 if rows is None else len(rows))
        return join_rows(ranks, rows, n_rows)

    ProcessRanks.join_rows = noted
    found["together"] = model.predict_proba(X)
    found["one graph"] = model.predict_proba(X[:1])
    found["embedded"] = model.embed(X)
    found["sizes"] = [*sizes]
    found["different"] = model.predict_proba(X[rank:])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # The other comes when this one has given up, however long that takes.
        _meeting.WAIT = timedelta(seconds=0.05)
        if rank == 0:
            found["alone"] = model.predict_proba(X)
        dist.barrier()
        if rank:
            found["alone"] = model.predict_proba(X)
    found["warned"] = [str(warning.message) for warning in caught]
    assert found["sizes"] == sizes


def main(folder, rank):
    """Do all in turn."""
    # What a shell starts in the background ignores Ctrl-C, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    store = dist.FileStore(str(folder / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    X, y = read()
    found = {}
    compare(found, X, y)
    agree(found, X, y)
    go_wrong(found, X, y, folder, rank)
    stream(found, folder, rank)
    predict(found, X, y, rank)
    (folder / f"{rank}.pkl").write_bytes(pickle.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
