"""What is to be built and trained: sizes, choices and options as plain values.

In: parameters of an estimator. Out: records that all of network/ is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

# Slots of nodes behind those of categories: the logarithm of a block's number of input
# nodes, and 1.
SIZE_SLOTS = 2


@dataclass(frozen=True)
class FeatureWidths:
    """Numeric columns and category slots of nodes and edges."""

    x_numeric: int
    x_slots: int
    edge_numeric: int
    edge_slots: int


@dataclass(frozen=True)
class NetworkShape:
    """Sizes and choices of a network; see :class:`skshake.SHAKEClassifier`."""

    widths: FeatureWidths
    n_layers: tuple[int, ...]
    n_outputs: int
    hidden_dim: int
    n_linear: int
    n_readout: int
    conv: Any
    level_input: str
    norm: str | None
    residual: bool
    dropout: float
    readout: str = "mean_max_sum"
    n_networks: int = 1


class NetworkState(NamedTuple):
    """A network taken apart: its shape, and its ``state_dict`` as arrays of numpy.

    What a layer of the user's own has beside arrays stands in it as it is.
    """

    shape: NetworkShape
    weights: dict[str, Any]


@dataclass(frozen=True)
class TrainingPlan:
    """How to train; see :class:`skshake.SHAKEClassifier` for the meaning of each.

    ``loss`` is a :class:`skshake.network.Loss`, ``form`` that of the targets that it is
    given.
    """

    max_iter: int
    batch_size: int
    optimizer: str
    loss: Any
    form: str
    learning_rate: float
    weight_decay: float
    schedule: str
    uses_ema: bool
    clip_norm: float | None
    n_iter_no_change: int
    tol: float
    precision: str
    compile: bool
    temperature: float
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
