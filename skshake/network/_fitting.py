"""From hierarchies and targets to a fitted network: device, engine, seeds, data.

In: plain numpy and a shape. Out: a network on the CPU and its history.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import joblib
import numpy as np
import torch

from skshake._allocator import freed_memory_kept
from skshake._memory import available_memory
from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._averaging import Network, make_network
from skshake.network._checkpoint import FORMAT, Checkpoint
from skshake.network._engine import choose_engine, resolve_device, resolve_precision
from skshake.network._finishing import finish
from skshake.network._inference import predict_outputs, predict_stored, send_all
from skshake.network._plan import (
    EpochRecord,
    FeatureWidths,
    NetworkShape,
    TrainingPlan,
)
from skshake.network._random import OwnStream
from skshake.network._ranks import ALONE, Ranks, device_of_rank
from skshake.network._state import network_state
from skshake.network._steps import Targets
from skshake.network._stored_scales import learn_stored_scales
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import Engine
from skshake.network._torch_state import on_device, plain_torch
from skshake.network._training import EpochHooks, Training, train
from skshake.network.batches import (
    DeviceHierarchies,
    StoredSet,
    find_buffer_bytes,
    send,
    weigh_messages,
)

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

    def in_memory(self) -> LabelledGraphs:
        """The same graphs, read from their folder if they are in one."""
        if not isinstance(self.hierarchies, StoredHierarchies):
            return self
        return self._replace(hierarchies=self.hierarchies.in_memory())

    def take(self, graphs: np.ndarray) -> LabelledGraphs:
        """Those of some graphs."""
        return LabelledGraphs(
            self.hierarchies.take(graphs), self.targets[graphs], self.weights[graphs]
        )


def feature_widths(hierarchies: HierarchyCollection) -> FeatureWidths:
    """Columns and slots that the encoders must take."""
    return FeatureWidths(*hierarchies.widths)


def build_network(
    hierarchies: HierarchyCollection,
    shape: NetworkShape,
    seed: int = 0,
    *,
    learns_scales: bool = True,
) -> Network:
    """Fresh network, with the scales of features and weights learnt from the graphs.

    ``learns_scales=False`` leaves them to another rank.
    """
    with OwnStream(seed):
        network = make_network(shape)
    if not learns_scales:
        return network
    if isinstance(hierarchies, StoredHierarchies):
        learn_stored_scales(network, hierarchies)
        return network
    cpu = torch.device("cpu")
    learnt_from = (
        [send(level.x.numeric, cpu) for level in hierarchies.levels],
        [send(level.edge_attr.numeric, cpu) for level in hierarchies.levels],
        [
            send(weigh_messages(level, level.block_sizes(hierarchies.node_ptr)), cpu)
            for level in hierarchies.levels
        ],
    )
    for one in network.networks:
        one.learn_scales(*learnt_from)
    return network


# As a decorator, since graphs on the device live as long as the call.
@freed_memory_kept()
def fit_network(
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    plan: TrainingPlan,
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    device: Any = "auto",
    previous: Network | None = None,
    checkpoint: Any = None,
    on_epoch: EpochHooks | None = None,
    ranks: Ranks = ALONE,
) -> tuple[Network, list[EpochRecord]]:
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
    previous : Network or None, default=None
    checkpoint : str, Path or None, default=None
        Folder to write the state of each epoch to, and to go on from.
    on_epoch : EpochHooks or None, default=None
        Told of each epoch; may stop the training.
    ranks : Ranks, default=ALONE
        Processes that are given the same graphs, targets and plan. The first writes
        checkpoints, scores what is held out, and tells of epochs.

    Returns
    -------
    network : Network
        On the CPU.
    history : list of EpochRecord

    Raises
    ------
    ValueError
        If the ranks are given different things, or the loss cannot be shared by them.
    """
    device = device_of_rank(resolve_device(device))
    plan = replace(plan, precision=resolve_precision(plan.precision, shape, device))
    engine = choose_engine(shape, device, plan.precision, plan.compile)
    check_shared(ranks, plan, training, held_out, shape, previous)

    def open_checkpoint() -> Checkpoint | None:
        if checkpoint is None or not ranks.is_first:
            return None
        state = previous and network_state(previous)[1]
        plain = replace(plan, verbose=0)
        sets = _without_files(training), _without_files(held_out)
        # Batches of several ranks have other statistics.
        several = () if ranks is ALONE else (ranks.n_ranks,)
        parts = (FORMAT, *sets, shape, plain, state, device.type, *several)
        return Checkpoint(checkpoint, joblib.hash(parts))

    # Named after the folder, whether or not all of it is in memory.
    file = open_checkpoint()
    n_bytes = ranks.agree(_find_buffer_bytes(training.hierarchies, file, ranks))
    if n_bytes is None and isinstance(training.hierarchies, StoredHierarchies):
        training = training.in_memory()
    in_threads = lanes_in_threads(torch_too=engine.uses_torch_threads)
    with plain_torch(), in_threads, on_device(device):
        network = copy.deepcopy(previous)
        if network is None:
            network = build_network(
                training.hierarchies, shape, plan.seed, learns_scales=ranks.is_first
            )
        ranks.copy_first(network)
        network = network.to(device).on(engine)
        data = _send_or_open(training.hierarchies, n_bytes, plan, device, engine, ranks)
        weights = (training.weights / training.weights.mean()).astype(np.float32)
        targets = Targets(send(training.targets, device), send(weights, device))
        validate = _make_validate(held_out, score, device, engine, ranks)
        trained = Training(network, data, targets, plan, ranks)
        hooks = on_epoch if ranks.is_first else None
        try:
            history = train(trained, validate, file, hooks)
        finally:
            if isinstance(data, StoredSet):
                data.close()
    network = finish(network, trained.data.sample)
    ranks.copy_first(network)
    return network, history


def _without_files(labelled: LabelledGraphs | None) -> Any:
    """What tells graphs and targets apart from others, wherever they are."""
    if labelled is None or not isinstance(labelled.hierarchies, StoredHierarchies):
        return labelled
    return (labelled.hierarchies.key, *labelled[1:])


def _find_buffer_bytes(
    hierarchies: HierarchyCollection, file: Checkpoint | None, ranks: Ranks
) -> float | None:
    """Bytes in the folder of a buffer; None if all graphs are trained on at once.

    A training that was begun goes on as it began, however much memory is free now.
    """
    if not isinstance(hierarchies, StoredHierarchies):
        return None
    state = file and file.load()
    if state:
        n_bytes = state["buffer_bytes"]
        return None if n_bytes is None else float(n_bytes)
    return find_buffer_bytes(hierarchies, available_memory() // ranks.n_beside)


def _send_or_open(
    hierarchies: HierarchyCollection,
    n_bytes: float | None,
    plan: TrainingPlan,
    device: torch.device,
    engine: Engine,
    ranks: Ranks,
) -> DeviceHierarchies | StoredSet:
    """All graphs at once, or those of a folder a buffer at a time."""
    if n_bytes is None or not isinstance(hierarchies, StoredHierarchies):
        return send_all(hierarchies, device, engine)
    send_buffer = partial(send_all, device=device, engine=engine)
    return StoredSet(
        *(hierarchies, send_buffer, n_bytes, plan.seed, plan.max_iter),
        *(ranks.rank, ranks.n_ranks),
    )


def check_shared(
    ranks: Ranks,
    plan: TrainingPlan,
    training: LabelledGraphs,
    held_out: LabelledGraphs | None,
    shape: NetworkShape,
    previous: Network | None,
) -> None:
    """Refuse what ranks cannot train, and ranks that are given different things."""
    if ranks is ALONE:
        return
    check_loss_is_shared(plan)
    # What users define is another object in each process.
    names = [getattr(f, "__qualname__", str(f)) for f in plan.loss.modules.values()]
    conv = getattr(shape.conv, "__qualname__", shape.conv)
    graphs, *labels = _without_files(training)
    described = {
        "graphs": graphs,
        "targets or weights": labels,
        "held-out graphs": _without_files(held_out),
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
) -> Callable[[Network], float] | None:
    """Function of a network that gives its score on what is held out, if anything."""
    if held_out is None:
        return None
    predict = _make_predict(held_out, device, engine, ranks)

    def validate(network: Network) -> float:
        n_graphs = len(held_out.targets)
        outputs = ranks.join_rows(predict and predict(network), n_graphs)
        found = None
        if ranks.is_first:
            found = score(held_out.targets, outputs, held_out.weights)
        return float(ranks.agree(found))

    return validate


def _make_predict(
    held_out: LabelledGraphs, device: torch.device, engine: Engine, ranks: Ranks
) -> Callable[[Network], np.ndarray] | None:
    """Function of a network that gives outputs of this rank's graphs, if it has any."""
    hierarchies = held_out.hierarchies.first_forests(VALIDATED_FORESTS)
    if ranks is not ALONE:
        own = ranks.own_rows(len(hierarchies))
        if not len(own):
            return None
        hierarchies = hierarchies.take(own)
    if isinstance(hierarchies, StoredHierarchies):
        free = available_memory() // ranks.n_beside
        n_bytes = find_buffer_bytes(hierarchies, free)
        if n_bytes is not None:
            stored = hierarchies

            def predict_in_pieces(network: Network) -> np.ndarray:
                def predict(piece: HierarchyCollection) -> np.ndarray:
                    return predict_outputs(network, send_all(piece, device, engine))

                return predict_stored(predict, stored, n_bytes)

            return predict_in_pieces
        hierarchies = hierarchies.in_memory(with_names=False)
    data = send_all(hierarchies, device, engine)
    return lambda network: predict_outputs(network, data)
