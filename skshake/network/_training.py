"""Training: steps, epochs, early stopping, best weights.

In: a network, hierarchies on a device, encoded labels, a plan. Out: trained weights
and one record per epoch. Losses stay on the device until an epoch ends.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR
from tqdm import tqdm

from skshake.network._batches import DeviceHierarchies
from skshake.network._model import SHAKENetwork

# Rows (nodes and edges of all levels) of one batch of inference.
INFERENCE_ROWS = 1_000_000


@dataclass(frozen=True)
class TrainingPlan:
    """How to train; see :class:`skshake.SHAKEClassifier` for the meaning of each."""

    max_iter: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    schedule: str
    n_iter_no_change: int
    tol: float
    seed: int
    verbose: int


@dataclass(frozen=True)
class EpochRecord:
    """One epoch.

    Parameters
    ----------
    epoch : int
        From 1.
    loss : float
        Mean training loss of the epoch.
    validation_score : float or None
        None when nothing is held out.
    seconds : float
        Wall time, validation included.
    """

    epoch: int
    loss: float
    validation_score: float | None
    seconds: float


@dataclass(frozen=True)
class Targets:
    """Encoded labels and weights of graphs on the device.

    ``labels`` int64 (n_graphs,), ``weights`` float32 (n_graphs,).
    """

    labels: Tensor
    weights: Tensor


@dataclass
class EarlyStopping:
    """Remembers the best score, and says when it has not improved for too long."""

    patience: int
    tol: float
    best_score: float = -np.inf
    n_bad: int = 0
    best_state: dict = field(default_factory=dict)

    def update(self, score: float, network: nn.Module) -> bool:
        """Note the score of an epoch; True when training should stop.

        The best weights are those of the best score; only an improvement by more than
        ``tol`` counts against the patience.
        """
        self.n_bad = 0 if score > self.best_score + self.tol else self.n_bad + 1
        if score > self.best_score:
            self.best_score = score
            self.best_state = copy.deepcopy(network.state_dict())
        return self.n_bad >= self.patience


def weighted_cross_entropy(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Mean over graphs of weight times cross-entropy.

    Weights have mean 1 over the training graphs; a batch of heavy graphs counts more
    than one of light graphs.
    """
    losses = nn.functional.cross_entropy(logits, labels, reduction="none")
    return (losses * weights).mean()


def _inference_batches(data: DeviceHierarchies, forest: int) -> Iterator[np.ndarray]:
    """Consecutive graphs, cut so that no batch is too large for the memory."""
    rows = np.cumsum(data.rows_per_graph(forest))
    batch = rows // INFERENCE_ROWS
    yield from np.split(np.arange(data.n_graphs), np.flatnonzero(np.diff(batch)) + 1)


@torch.no_grad()
def infer(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    function: Callable[[SHAKENetwork], Callable],
) -> np.ndarray:
    """Rows of one function of the network for all graphs, averaged over forests."""
    network.eval()
    rows = function(network)
    forests = [
        torch.cat(
            [rows(data.batch(graphs, k)) for graphs in _inference_batches(data, k)]
        )
        for k in range(data.n_forests)
    ]
    return torch.stack(forests).mean(dim=0).cpu().double().numpy()


def predict_logits(network: SHAKENetwork, data: DeviceHierarchies) -> np.ndarray:
    """Logits (n_graphs, n_outputs), averaged over forests."""
    return infer(network, data, lambda network: network)


def embed_graphs(network: SHAKENetwork, data: DeviceHierarchies) -> np.ndarray:
    """Embeddings (n_graphs, hidden_dim), averaged over forests."""
    return infer(network, data, lambda network: network.embed)


def train_step(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    forest: int,
    graphs: np.ndarray,
    targets: Targets,
    optimizer: torch.optim.Optimizer,
) -> Tensor:
    """One update; the loss stays on the device."""
    where = torch.from_numpy(graphs).to(data.device)
    logits = network(data.batch(graphs, forest))
    loss = weighted_cross_entropy(logits, targets.labels[where], targets.weights[where])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach()


def run_epoch(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    forest: int,
    batches: list[np.ndarray],
    targets: Targets,
    optimizer: torch.optim.Optimizer,
    scheduler: LRScheduler | None,
) -> float:
    """Mean loss of one pass over the batches."""
    network.train()
    total = torch.zeros((), device=data.device)
    for graphs in batches:
        loss = train_step(network, data, forest, graphs, targets, optimizer)
        total += loss * len(graphs)
        if scheduler is not None:
            scheduler.step()
    return float(total) / sum(map(len, batches))


def train_network(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    targets: Targets,
    plan: TrainingPlan,
    validate: Callable[[], float] | None,
) -> list[EpochRecord]:
    """Train in place; with validation, end with the weights of the best score.

    Parameters
    ----------
    network : SHAKENetwork
    data : DeviceHierarchies
    targets : Targets
    plan : TrainingPlan
    validate : callable or None
        Score of the present network, greater is better; None trains for ``max_iter``.

    Returns
    -------
    history : list of EpochRecord
    """
    rng = np.random.default_rng(plan.seed)
    n_batches = -(-data.n_graphs // plan.batch_size)
    optimizer = torch.optim.AdamW(
        network.parameters(),
        lr=plan.learning_rate,
        weight_decay=plan.weight_decay,
        fused=True,
    )
    scheduler = None
    if plan.schedule == "one-cycle":
        n_steps = plan.max_iter * n_batches
        scheduler = OneCycleLR(optimizer, plan.learning_rate, total_steps=n_steps)
    stopping = EarlyStopping(plan.n_iter_no_change, plan.tol)
    history: list[EpochRecord] = []
    progress = tqdm(range(plan.max_iter), disable=not plan.verbose, desc="epochs")
    for epoch in progress:
        start = time.perf_counter()
        batches = np.array_split(rng.permutation(data.n_graphs), n_batches)
        forest = epoch % data.n_forests
        loss = run_epoch(network, data, forest, batches, targets, optimizer, scheduler)
        score = None if validate is None else validate()
        seconds = time.perf_counter() - start
        history.append(EpochRecord(epoch + 1, loss, score, seconds))
        progress.set_postfix(loss=loss, score=score)
        if score is not None and stopping.update(score, network):
            break
    progress.close()
    if stopping.best_state:
        network.load_state_dict(stopping.best_state)
    return history
