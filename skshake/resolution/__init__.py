"""The resolution q* learnt from data."""

from skshake.resolution._curves import COMPLEXITY, SPECTRAL_LOSSES, SpectralLoss
from skshake.resolution._measure import SpectralMeasure
from skshake.resolution._objective import (
    Objective,
    ResolutionCurves,
    ResolutionWarning,
    default_grid,
    minimise,
)
from skshake.resolution._selection import (
    Selection,
    measure_objective,
    select_resolution,
)
from skshake.resolution._solvers import SOLVERS, edge_measure, node_measure

__all__ = [
    "COMPLEXITY",
    "SOLVERS",
    "SPECTRAL_LOSSES",
    "Objective",
    "ResolutionCurves",
    "ResolutionWarning",
    "Selection",
    "SpectralLoss",
    "SpectralMeasure",
    "default_grid",
    "edge_measure",
    "measure_objective",
    "minimise",
    "node_measure",
    "select_resolution",
]
