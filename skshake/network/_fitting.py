"""From hierarchies and codes to a fitted network: device, seeds, shape, data.

In: plain numpy and a shape. Out: a network on the CPU and its history. This is the only
place where the estimators meet torch.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch

from skshake.hierarchy import HierarchyCollection
from skshake.network._batches import DeviceHierarchies, send
from skshake.network._model import FeatureWidths, NetworkShape, SHAKENetwork
from skshake.network._training import (
    EpochRecord,
    Targets,
    TrainingPlan,
    embed_graphs,
    predict_logits,
    train_network,
)

# Numbers in the node states of one batch up to which one thread is used.
SMALL_BATCH = 131_072


class LabelledGraphs(NamedTuple):
    """Hierarchies with encoded labels (n_graphs,) and weights (n_graphs,)."""

    hierarchies: HierarchyCollection
    codes: np.ndarray
    weights: np.ndarray


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


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed torch inside, and leave the user's streams as they were."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        # Not torch.manual_seed, which would seed every other device too.
        torch.default_generator.manual_seed(seed)
        if devices:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield


@contextmanager
def one_thread_if_small(n_values: float) -> Iterator[None]:
    """Compute small batches on one thread, where a second would only cost.

    Sums depend on the number of threads in their last bits; on one thread a fit is the
    same in a process of its own and in a worker of a parallel search.
    """
    n_threads = torch.get_num_threads()
    if n_values > SMALL_BATCH:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


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
    hierarchies: HierarchyCollection, shape: NetworkShape
) -> SHAKENetwork:
    """Fresh network, with the scales of features and weights learnt from the graphs."""
    network, cpu = SHAKENetwork(shape), torch.device("cpu")
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
        Score of (codes, logits, weights) of the held-out graphs, greater is better.
    device : str or torch.device, default="auto"
    previous : SHAKENetwork or None, default=None

    Returns
    -------
    network : SHAKENetwork
        On the CPU.
    history : list of EpochRecord
    """
    device = resolve_device(device)
    n_nodes = int(training.hierarchies.levels[0].node_ptr[-1])
    batch_share = min(plan.batch_size / len(training.codes), 1.0)
    values_per_state = n_nodes * batch_share * shape.hidden_dim
    with seeded(plan.seed, device), one_thread_if_small(values_per_state):
        network = copy.deepcopy(previous) or build_network(training.hierarchies, shape)
        network.to(device)
        data = DeviceHierarchies(training.hierarchies, device)
        targets = Targets(
            send(training.codes, device),
            send(
                (training.weights / training.weights.mean()).astype(np.float32), device
            ),
        )
        validate = None
        if held_out is not None:
            held_data = DeviceHierarchies(held_out.hierarchies, device)

            def validate() -> float:
                logits = predict_logits(network, held_data)
                return score(held_out.codes, logits, held_out.weights)

        history = train_network(network, data, targets, plan, validate)
    return network.to("cpu").eval(), history


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


def logits_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Logits (n_graphs, n_outputs) of a fitted network."""
    return predict_logits(*_on_device(network, hierarchies, device))


def embeddings_of(
    network: SHAKENetwork, hierarchies: HierarchyCollection, device: Any = "auto"
) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim) of a fitted network."""
    return embed_graphs(*_on_device(network, hierarchies, device))
