"""The graph neural network and its training; the one folder that imports torch."""

from skshake.network._explanation import Contributions
from skshake.network._fitting import LabelledGraphs, feature_widths, fit_network
from skshake.network._launching import fit_on
from skshake.network._losses import Loss, count_labelled, find_loss
from skshake.network._model import SHAKENetwork
from skshake.network._plan import (
    EpochRecord,
    FeatureWidths,
    NetworkShape,
    NetworkState,
    TrainingPlan,
)
from skshake.network._predicting import contributions_of, embeddings_of, outputs_of
from skshake.network._ranks import Ranks, join_group
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
    "Ranks",
    "ReadOut",
    "SHAKENetwork",
    "TrainingPlan",
    "contributions_of",
    "count_labelled",
    "embeddings_of",
    "feature_widths",
    "find_loss",
    "fit_network",
    "fit_on",
    "join_group",
    "network_from_state",
    "network_state",
    "outputs_of",
]
