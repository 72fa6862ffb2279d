"""The graph neural network and its training; the one folder that imports torch."""

from skshake.network._explanation import Contributions
from skshake.network._fitting import LabelledGraphs, feature_widths, fit_network
from skshake.network._losses import Loss, find_loss
from skshake.network._model import SHAKENetwork
from skshake.network._plan import (
    EpochRecord,
    FeatureWidths,
    NetworkShape,
    NetworkState,
    TrainingPlan,
)
from skshake.network._predicting import contributions_of, embeddings_of, outputs_of
from skshake.network._readouts import ReadOut
from skshake.network._state import network_from_state, network_state
from skshake.network._torch_engine import Engine

__all__ = [
    "Contributions",
    "Engine",
    "EpochRecord",
    "FeatureWidths",
    "LabelledGraphs",
    "Loss",
    "NetworkShape",
    "NetworkState",
    "ReadOut",
    "SHAKENetwork",
    "TrainingPlan",
    "contributions_of",
    "embeddings_of",
    "feature_widths",
    "find_loss",
    "fit_network",
    "network_from_state",
    "network_state",
    "outputs_of",
]
