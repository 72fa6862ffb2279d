"""From hierarchies and targets to a fitted network: device, engine, seeds, data.

In: plain numpy and a shape. Out: a network on the CPU and its history.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import joblib
import numpy as np
import torch

from skshake.hierarchy import HierarchyCollection
from skshake.network._checkpoint import FORMAT, Checkpoint
from skshake.network._engine import choose_engine, resolve_device, resolve_precision
from skshake.network._finishing import finish
from skshake.network._inference import predict_outputs, send_all
from skshake.network._model import SHAKENetwork
from skshake.network._plan import (
    EpochRecord,
    FeatureWidths,
    NetworkShape,
    TrainingPlan,
)
from skshake.network._random import OwnStream
from skshake.network._ranks import ALONE, Ranks
from skshake.network._state import network_state
from skshake.network._steps import Targets
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import Engine
from skshake.network._torch_state import plain_torch
from skshake.network._training import EpochHooks, Training, train
from skshake.network.batches import send

# Forests over which outputs are averaged to validate an epoch: with all, that would
# take longer than the epoch.
VALIDATED_FORESTS = 4


class LabelledGraphs(NamedTuple):
    """Hierarchies with targets and weights.

    ``targets`` are codes, int64 (n_graphs,), or numbers, float32 (n_graphs, n_tasks)
    with NaN where there is no label; ``weights`` (n_graphs,).
    """

    hierarchies: HierarchyCollection
    targets: np.ndarray
    weights: np.ndarray

    def take(self, graphs: np.ndarray) -> LabelledGraphs:
        """Those of some graphs."""
        return LabelledGraphs(
            self.hierarchies.take(graphs), self.targets[graphs], self.weights[graphs]
        )


def feature_widths(hierarchies: HierarchyCollection) -> FeatureWidths:
    """Columns and slots that the encoders must take."""
    level = hierarchies.levels[0]
    return FeatureWidths(
        level.x.numeric.shape[1],
        level.x.n_slots,
        level.edge_attr.numeric.shape[1],
        level.edge_attr.n_slots,
    )


def build_network(
    hierarchies: HierarchyCollection, shape: NetworkShape, seed: int = 0
) -> SHAKENetwork:
    """Fresh network, with the scales of features and weights learnt from the graphs."""
    with OwnStream(seed):
        network = SHAKENetwork(shape)
    cpu = torch.device("cpu")
    network.learn_scales(
        [send(level.x.numeric, cpu) for level in hierarchies.levels],
        [send(level.edge_attr.numeric, cpu) for level in hierarchies.levels],
        [send(level.edge_weight, cpu) for level in hierarchies.levels],
    )
    return network


def fit_network(
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    plan: TrainingPlan,
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    device: Any = "auto",
    previous: SHAKENetwork | None = None,
    checkpoint: Any = None,
    on_epoch: EpochHooks | None = None,
    ranks: Ranks = ALONE,
) -> tuple[SHAKENetwork, list[EpochRecord]]:
    """Train a fresh network, or go on with a previous one.

    Parameters
    ----------
    training : LabelledGraphs
    held_out : LabelledGraphs or None
        Graphs for early stopping.
    shape : NetworkShape
    plan : TrainingPlan
    score : callable
        Score of (targets, outputs, weights) of the held-out graphs, greater is better.
    device : str or torch.device, default="auto"
    previous : SHAKENetwork or None, default=None
    checkpoint : str, Path or None, default=None
        Folder to write the state of each epoch to, and to go on from.
    on_epoch : EpochHooks or None, default=None
        Told of each epoch; may stop the training.
    ranks : Ranks, default=ALONE
        Processes that are given the same graphs, targets and plan. The first writes
        checkpoints, scores what is held out, and tells of epochs.

    Returns
    -------
    network : SHAKENetwork
        On the CPU.
    history : list of EpochRecord

    Raises
    ------
    ValueError
        If the ranks are given different things, or the loss cannot be shared by them.
    """
    device = ranks.find_device(resolve_device(device))
    plan = replace(plan, precision=resolve_precision(plan.precision, shape, device))
    engine = choose_engine(shape, device, plan.precision, plan.compile)
    check_shared(ranks, plan, training, held_out, shape, previous)
    file = None
    if checkpoint is not None and ranks.is_first:
        state = previous and network_state(previous)[1]
        plain = replace(plan, verbose=0)
        # Batches of several ranks have other statistics.
        several = () if ranks is ALONE else (ranks.n_ranks,)
        parts = (FORMAT, training, held_out, shape, plain, state, device.type, *several)
        file = Checkpoint(checkpoint, joblib.hash(parts))
    with plain_torch(), lanes_in_threads(torch_too=engine.uses_torch_threads):
        network = copy.deepcopy(previous)
        if network is None:
            network = build_network(training.hierarchies, shape, plan.seed)
        ranks.copy_first(network)
        network = network.to(device).on(engine)
        data = send_all(training.hierarchies, device, engine)
        weights = (training.weights / training.weights.mean()).astype(np.float32)
        targets = Targets(send(training.targets, device), send(weights, device))
        validate = _make_validate(held_out, score, device, engine, ranks)
        trained = Training(network, data, targets, plan, ranks)
        history = train(trained, validate, file, on_epoch if ranks.is_first else None)
    network = finish(network, data)
    ranks.copy_first(network)
    return network, history


def check_shared(
    ranks: Ranks,
    plan: TrainingPlan,
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    previous: SHAKENetwork | None,
) -> None:
    """Refuse what ranks cannot train, and ranks that are given different things."""
    if ranks is ALONE:
        return
    check_loss_is_shared(plan)
    # What users define is another object in each process.
    names = [getattr(f, "__qualname__", str(f)) for f in plan.loss.modules.values()]
    conv = getattr(shape.conv, "__qualname__", shape.conv)
    described = {
        "graphs": training.hierarchies,
        "targets or weights": training[1:],
        "held-out graphs": held_out,
        "parameters": (replace(plan, loss=names, verbose=0), replace(shape, conv=conv)),
        "previous weights": previous and network_state(previous)[1],
        "versions": (torch.__version__, FORMAT),
    }
    # Arrays that are mapped from files are those that were written.
    ranks.check_equal(
        {what: joblib.hash(of, coerce_mmap=True) for what, of in described.items()}
    )


def check_loss_is_shared(plan: TrainingPlan) -> None:
    """Refuse a loss that several processes cannot train with.

    Raises
    ------
    ValueError
        If it is no mean over labels.
    """
    if plan.loss.count is None:
        raise ValueError(
            "loss: expected a mean over labels to train in several processes, whose "
            "Loss has a count; auc_margin compares graphs of a batch, so train with it "
            "in one process"
        )


def _make_validate(
    held_out: LabelledGraphs | None,
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    device: torch.device,
    engine: Engine,
    ranks: Ranks,
) -> Callable[[SHAKENetwork], float] | None:
    """Function of a network that gives its score on what is held out, if anything."""
    if held_out is None:
        return None
    own = ranks.own_rows(len(held_out.targets))
    hierarchies = held_out.hierarchies.first_forests(VALIDATED_FORESTS)
    if ranks is not ALONE:
        hierarchies = hierarchies.take(own)
    data = send_all(hierarchies, device, engine) if len(own) else None

    def validate(network: SHAKENetwork) -> float:
        found = None if data is None else predict_outputs(network, data)
        outputs = ranks.join_rows(found, len(held_out.targets))
        of_first = None
        if ranks.is_first:
            of_first = score(held_out.targets, outputs, held_out.weights)
        return float(ranks.agree(of_first))

    return validate
