"""Trial: what q* keeps and how long a fit takes, from fits that are short.

In: a collection. Out: a record of what was seen and measured.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skshake._base import (
    MANY_GRAPHS,
    automatic_batch_size,
    automatic_n_networks,
)
from skshake._classifier import SHAKEClassifier
from skshake._coarsener import KFCoarsener, automatic_n_forests
from skshake.graphs import GraphCollection

# Nodes and edges of the graphs that q* is learnt from, of those for which the time of
# another forest is measured, and of those that are trained on.
MOST_ROWS, MOST_REPEATED, MOST_TRAINED = 4_000_000, 100_000, 200_000
# Steps of an epoch that is timed, and such epochs; the one before makes and compiles
# what later ones use.
MOST_STEPS, N_EPOCHS = 8, 2
# Forests of which the time of one is the difference to a fit with one.
MORE_FORESTS = 5


@dataclass(frozen=True)
class Trial:
    """What short fits tell about a fit of all graphs with the default parameters.

    Parameters
    ----------
    n_graphs : int
        Graphs that were coarsened: all, or a random part.
    coarsener : KFCoarsener
        Fitted on them, with one forest.
    warnings : tuple of str
        What that fit warned of.
    n_forests : int
        Forests per graph that a fit draws.
    coarsen_seconds, epoch_seconds : float
        Estimates for all graphs.
    n_epochs : int
        Epochs of a fit, at most.
    stops_early : bool
        Whether early stopping may end it sooner.
    """

    n_graphs: int
    coarsener: KFCoarsener
    warnings: tuple[str, ...]
    n_forests: int
    coarsen_seconds: float
    epoch_seconds: float
    n_epochs: int
    stops_early: bool

    @property
    def seconds(self) -> float:
        """Of a whole fit, at most."""
        return self.coarsen_seconds + self.n_epochs * self.epoch_seconds


def _first_within(n_rows: np.ndarray, order: np.ndarray, most: int) -> np.ndarray:
    """The first graphs of an order that have so many nodes and edges; two at least."""
    return order[: max(int((np.cumsum(n_rows[order]) <= most).sum()), 2)]


def _time(work: Callable[[], Any]) -> float:
    """Seconds of some work, of whose warnings nothing is heard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        work()
        return time.perf_counter() - start


def run_trial(graphs: GraphCollection, seed: int) -> Trial:
    """Learn q*, and time what a fit does.

    Parameters
    ----------
    graphs : GraphCollection
        At least two, some of them with nodes.
    seed : int
        Chooses graphs, and seeds the fits.
    """
    order = np.random.default_rng(seed).permutation(len(graphs))
    n_rows = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)
    some = _first_within(n_rows, order, MOST_ROWS)
    few = graphs.take(_first_within(n_rows, order, MOST_REPEATED))
    # Compiles or loads the kernels, which only a first fit waits for.
    _time(lambda: KFCoarsener(n_forests=2, random_state=seed).fit_transform(few[:2]))
    scout = KFCoarsener(n_forests=1, random_state=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        taken = graphs if len(some) == len(graphs) else graphs.take(some)
        scout.fit_transform(taken)
        first = time.perf_counter() - start
    n_forests = automatic_n_forests(len(graphs), graphs.n_nodes)
    one, more = (
        KFCoarsener(q=scout.q_star_, n_forests=n, random_state=seed)
        for n in (1, MORE_FORESTS)
    )
    once, often = (_time(partial(each.fit_transform, few)) for each in (one, more))
    another = max(often - once, 0.0) / (MORE_FORESTS - 1)
    of_all = another * n_rows.sum() / max(few.n_nodes + few.n_edges, 1)
    return Trial(
        n_graphs=len(some),
        coarsener=scout,
        warnings=tuple(str(warning.message) for warning in caught),
        n_forests=n_forests,
        coarsen_seconds=first * n_rows.sum() / max(n_rows[some].sum(), 1)
        + (n_forests - 1) * of_all,
        epoch_seconds=_time_epoch(graphs, n_rows, order, one),
        n_epochs=SHAKEClassifier().max_iter,
        stops_early=len(graphs) >= MANY_GRAPHS,
    )


def _time_epoch(
    graphs: GraphCollection,
    n_rows: np.ndarray,
    order: np.ndarray,
    coarsener: KFCoarsener,
) -> float:
    """Seconds of an epoch on all graphs, from one on some of them.

    Targets do not matter to the time: there are two classes, in turns.
    """
    batch_size = automatic_batch_size(len(graphs))
    within = _first_within(n_rows, order, MOST_TRAINED)
    chosen = within[: max(MOST_STEPS * batch_size, 2)]
    model = SHAKEClassifier(
        n_networks=automatic_n_networks(graphs.n_nodes),
        batch_size=batch_size,
        max_iter=1 + N_EPOCHS,
        early_stopping=False,
        random_state=0,
    )
    hierarchies = coarsener.fit_transform(graphs.take(chosen))
    _time(lambda: model.fit(hierarchies, np.arange(len(chosen)) % 2))
    seconds = [record.seconds for record in model.history_[1:]]
    return float(np.mean(seconds) * n_rows.sum() / max(n_rows[chosen].sum(), 1))
