"""From hierarchies and targets to a fitted network: device, seeds, shape, data.

In: plain numpy and a shape. Out: a network on the CPU and its history. This is the only
place where the estimators meet torch.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import joblib
import numpy as np
import torch

from skshake.hierarchy import HierarchyCollection
from skshake.network._batches import DeviceHierarchies, send
from skshake.network._checkpoint import Checkpoint
from skshake.network._explanation import explain_nodes
from skshake.network._finishing import finish
from skshake.network._inference import embed_graphs, predict_outputs
from skshake.network._model import FeatureWidths, NetworkShape, SHAKENetwork
from skshake.network._parallel import lanes_in_threads
from skshake.network._random import OwnStream
from skshake.network._torch_state import plain_torch
from skshake.network._training import (
    EpochHooks,
    EpochRecord,
    Targets,
    Training,
    TrainingPlan,
    train,
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

    def take(self, graphs: np.ndarray) -> LabelledGraphs:
        """Those of some graphs."""
        return LabelledGraphs(
            self.hierarchies.take(graphs), self.targets[graphs], self.weights[graphs]
        )


def resolve_device(device: Any) -> torch.device:
    """Device of the user's choice; "auto" takes CUDA where there is one.

    Raises
    ------
    ValueError
        If torch knows no such device, or it is CUDA and there is none.
    """
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(
            f"device: expected 'auto' or a torch device; {error}"
        ) from error
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch finds no CUDA device here")
    return chosen


def resolve_precision(precision: str, shape: NetworkShape, device: torch.device) -> str:
    """Floating-point type; "auto" takes bfloat16 on a GPU that computes with it.

    But not where layers are compiled: they are faster in float32, because their time is
    spent on memory and launches.
    """
    if precision != "auto":
        return precision
    has_bf16 = device.type == "cuda" and torch.cuda.is_bf16_supported()
    return "bf16" if has_bf16 and not shape.is_compiled else "float32"


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
    file = None
    if checkpoint is not None:
        state = previous and network_state(previous)[1]
        plain = replace(plan, verbose=0)
        file = Checkpoint(
            checkpoint, _key(training, held_out, shape, plain, state, device.type)
        )
    with plain_torch(), lanes_in_threads(torch_too=not _is_fused(shape, plan, device)):
        network = copy.deepcopy(previous)
        if network is None:
            network = build_network(training.hierarchies, shape, plan.seed)
        network.to(device)
        weights = (training.weights / training.weights.mean()).astype(np.float32)
        run = Training(
            network,
            DeviceHierarchies(training.hierarchies, device),
            Targets(send(training.targets, device), send(weights, device)),
            plan,
        )
        validate = None
        if held_out is not None:
            held_data = DeviceHierarchies(
                held_out.hierarchies.first_forests(VALIDATED_FORESTS), device
            )

            def validate(network: SHAKENetwork) -> float:
                outputs = predict_outputs(network, held_data)
                return score(held_out.targets, outputs, held_out.weights)

        history = train(run, validate, file, on_epoch)
    return finish(network, run.data), history


def _is_fused(shape: NetworkShape, plan: TrainingPlan, device: torch.device) -> bool:
    """Whether steps are computed by our functions rather than torch's."""
    is_ours = shape.is_compiled and device.type == "cpu"
    return is_ours and plan.precision == "float32" and not plan.compile


def _key(*parts: Any) -> str:
    """Name of a run: equal data, parameters and seeds have equal names."""
    return joblib.hash(parts)


def _on_device(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any
) -> tuple[SHAKENetwork, DeviceHierarchies]:
    """Network (a copy, unless it is the CPU's) and data on one device.

    A network that was fitted on a GPU predicts on the CPU where there is none.
    """
    try:
        device = resolve_device(device)
    except ValueError as error:
        warnings.warn(f"{error}; predicting on the CPU", UserWarning, stacklevel=2)
        device = torch.device("cpu")
    if device.type != "cpu":
        network = copy.deepcopy(network).to(device)
    return network, DeviceHierarchies(hierarchies, device)


def outputs_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Outputs (n_graphs, n_outputs) of a fitted network."""
    with plain_torch(), lanes_in_threads():
        return predict_outputs(*_on_device(network, hierarchies, device))


def embeddings_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim) of a fitted network."""
    with plain_torch(), lanes_in_threads():
        return embed_graphs(*_on_device(network, hierarchies, device))


def contributions_of(
    network: SHAKENetwork,
    hierarchies: HierarchyCollection,
    weights: np.ndarray,
    device: Any = "auto",
) -> list[np.ndarray]:
    """Contribution of each input node at each level; see :func:`explain_nodes`."""
    with plain_torch(), lanes_in_threads():
        if any(parameter.is_inference() for parameter in network.parameters()):
            # Read under inference_mode, in which nothing is differentiated.
            network = copy.deepcopy(network)
        on_device = _on_device(network, hierarchies, device)
        return explain_nodes(*on_device, hierarchies, weights)


def network_state(
    network: SHAKENetwork,
) -> tuple[NetworkShape, dict[str, np.ndarray]]:
    """A network taken apart: its shape, and its weights by name."""
    state = network.state_dict()
    return network.shape, {name: value.numpy() for name, value in state.items()}


def network_from_state(
    shape: NetworkShape, arrays: dict[str, np.ndarray]
) -> SHAKENetwork:
    """The network that :func:`network_state` took apart."""
    with plain_torch():
        with OwnStream(0):
            network = SHAKENetwork(shape)
        network.load_state_dict({k: torch.tensor(v) for k, v in arrays.items()})
    return network.eval()
