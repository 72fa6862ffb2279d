"""The graph neural network and its training; the one folder that imports torch."""

from skshake.network._fitting import (
    LabelledGraphs,
    contributions_of,
    embeddings_of,
    feature_widths,
    fit_network,
    outputs_of,
)
from skshake.network._model import NetworkShape, SHAKENetwork
from skshake.network._pyg import level_to_pyg
from skshake.network._training import EpochRecord, TrainingPlan

__all__ = [
    "EpochRecord",
    "LabelledGraphs",
    "NetworkShape",
    "SHAKENetwork",
    "TrainingPlan",
    "contributions_of",
    "embeddings_of",
    "feature_widths",
    "fit_network",
    "level_to_pyg",
    "outputs_of",
]
