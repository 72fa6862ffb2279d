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

from skshake._memory import available_memory
from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network._checkpoint import FORMAT, Checkpoint
from skshake.network._engine import choose_engine, resolve_device, resolve_precision
from skshake.network._finishing import finish
from skshake.network._inference import predict_outputs, predict_stored, send_all
from skshake.network._model import SHAKENetwork
from skshake.network._plan import (
    EpochRecord,
    FeatureWidths,
    NetworkShape,
    TrainingPlan,
)
from skshake.network._random import OwnStream
from skshake.network._state import network_state
from skshake.network._steps import Targets
from skshake.network._stored_scales import learn_stored_scales
from skshake.network._threads import lanes_in_threads
from skshake.network._torch_engine import Engine
from skshake.network._torch_state import plain_torch
from skshake.network._training import EpochHooks, Training, train
from skshake.network.batches import (
    DeviceHierarchies,
    StoredSet,
    find_buffer_bytes,
    send,
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
    hierarchies: HierarchyCollection, shape: NetworkShape, seed: int = 0
) -> SHAKENetwork:
    """Fresh network, with the scales of features and weights learnt from the graphs."""
    with OwnStream(seed):
        network = SHAKENetwork(shape)
    if isinstance(hierarchies, StoredHierarchies):
        learn_stored_scales(network, hierarchies)
        return network
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

    Returns
    -------
    network : SHAKENetwork
        On the CPU.
    history : list of EpochRecord
    """
    device = resolve_device(device)
    plan = replace(plan, precision=resolve_precision(plan.precision, shape, device))
    engine = choose_engine(shape, device, plan.precision, plan.compile)

    def open_checkpoint() -> Checkpoint | None:
        if checkpoint is None:
            return None
        state = previous and network_state(previous)[1]
        plain = replace(plan, verbose=0)
        sets = _without_files(training), _without_files(held_out)
        parts = (FORMAT, *sets, shape, plain, state, device.type)
        return Checkpoint(checkpoint, joblib.hash(parts))

    file = open_checkpoint()
    n_bytes = _find_buffer_bytes(training.hierarchies, file)
    if n_bytes is None and isinstance(training.hierarchies, StoredHierarchies):
        training = training.in_memory()
        file = open_checkpoint()
    with plain_torch(), lanes_in_threads(torch_too=engine.uses_torch_threads):
        network = copy.deepcopy(previous)
        if network is None:
            network = build_network(training.hierarchies, shape, plan.seed)
        network = network.to(device).on(engine)
        data = _send_or_open(training.hierarchies, n_bytes, plan, device, engine)
        weights = (training.weights / training.weights.mean()).astype(np.float32)
        targets = Targets(send(training.targets, device), send(weights, device))
        validate = _make_validate(held_out, score, device, engine)
        trained = Training(network, data, targets, plan)
        try:
            history = train(trained, validate, file, on_epoch)
        finally:
            if isinstance(data, StoredSet):
                data.close()
    return finish(network, trained.data.sample), history


def _without_files(labelled: LabelledGraphs | None) -> Any:
    """What tells graphs and targets apart from others, wherever they are."""
    if labelled is None or not isinstance(labelled.hierarchies, StoredHierarchies):
        return labelled
    return (labelled.hierarchies.key, *labelled[1:])


def _find_buffer_bytes(
    hierarchies: HierarchyCollection, file: Checkpoint | None
) -> float | None:
    """Bytes in the folder of a buffer; None if all graphs are trained on at once.

    A training that was begun goes on as it began, however much memory is free now.
    """
    if not isinstance(hierarchies, StoredHierarchies):
        return None
    state = file and file.load()
    if state:
        return float(state["buffer_bytes"])
    return find_buffer_bytes(hierarchies, available_memory())


def _send_or_open(
    hierarchies: HierarchyCollection,
    n_bytes: float | None,
    plan: TrainingPlan,
    device: torch.device,
    engine: Engine,
) -> DeviceHierarchies | StoredSet:
    """All graphs at once, or those of a folder a buffer at a time."""
    if n_bytes is None or not isinstance(hierarchies, StoredHierarchies):
        return send_all(hierarchies, device, engine)
    send_buffer = partial(send_all, device=device, engine=engine)
    return StoredSet(hierarchies, send_buffer, n_bytes, plan.seed, plan.max_iter)


def _make_validate(
    held_out: LabelledGraphs | None,
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    device: torch.device,
    engine: Engine,
) -> Callable[[SHAKENetwork], float] | None:
    """Function of a network that gives its score on what is held out, if anything."""
    if held_out is None:
        return None
    targets, weights = held_out.targets, held_out.weights
    hierarchies = held_out.hierarchies.first_forests(VALIDATED_FORESTS)
    if isinstance(hierarchies, StoredHierarchies):
        n_bytes = find_buffer_bytes(hierarchies, available_memory())
        if n_bytes is not None:
            stored = hierarchies

            def validate_in_pieces(network: SHAKENetwork) -> float:
                def predict(piece: HierarchyCollection) -> np.ndarray:
                    return predict_outputs(network, send_all(piece, device, engine))

                return score(targets, predict_stored(predict, stored, n_bytes), weights)

            return validate_in_pieces
        hierarchies = hierarchies.in_memory(with_names=False)
    data = send_all(hierarchies, device, engine)

    def validate(network: SHAKENetwork) -> float:
        return score(targets, predict_outputs(network, data), weights)

    return validate
