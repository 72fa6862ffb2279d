"""The graph neural network and its training; the one folder that imports torch."""

from skshake.network._fitting import (
    LabelledGraphs,
    contributions_of,
    embeddings_of,
    feature_widths,
    fit_network,
    network_from_state,
    network_state,
    outputs_of,
)
from skshake.network._model import FeatureWidths, NetworkShape, SHAKENetwork
from skshake.network._training import EpochRecord, TrainingPlan

__all__ = [
    "EpochRecord",
    "FeatureWidths",
    "LabelledGraphs",
    "NetworkShape",
    "SHAKENetwork",
    "TrainingPlan",
    "contributions_of",
    "embeddings_of",
    "feature_widths",
    "fit_network",
    "network_from_state",
    "network_state",
    "outputs_of",
]
