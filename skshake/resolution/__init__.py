"""The resolution q* learnt from data."""

from skshake.resolution._measure import SpectralMeasure
from skshake.resolution._objective import (
    Objective,
    ResolutionCurves,
    ResolutionWarning,
    default_grid,
    minimise,
)
from skshake.resolution._spectrum import count_components, edge_measure, node_measure

__all__ = [
    "Objective",
    "ResolutionCurves",
    "ResolutionWarning",
    "SpectralMeasure",
    "count_components",
    "default_grid",
    "edge_measure",
    "minimise",
    "node_measure",
]
