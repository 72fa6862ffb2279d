"""Graph classification for people who know scikit-learn.

Graphs are coarsened with Kirchhoff forests at a resolution q* learnt from the data
(:class:`KFCoarsener`), and a small graph neural network reads the hierarchy from coarse
to fine (:class:`SHAKEClassifier`).
"""

from __future__ import annotations

import importlib
from typing import Any

import skshake._forks  # noqa: F401, which notices forks from now on

__version__ = "0.1.0.dev0"

# Public names are imported when first used: `import skshake` stays cheap, and torch
# loads only when a classifier is fitted.
_HOME = {
    "CategoryWarning": "skshake.hierarchy",
    "Graph": "skshake.graphs",
    "GraphCollection": "skshake.graphs",
    "GraphHierarchy": "skshake.hierarchy",
    "GraphProblem": "skshake.graphs",
    "HierarchyCollection": "skshake.hierarchy",
    "InvalidGraphError": "skshake.graphs",
    "KFCoarsener": "skshake._coarsener",
    "KirchhoffForests": "skshake.forests",
    "MoleculeFeaturizer": "skshake._featurizer",
    "ReductionWarning": "skshake._coarsener",
    "ResolutionWarning": "skshake.resolution",
    "SHAKEClassifier": "skshake._classifier",
    "SHAKERegressor": "skshake._regressor",
    "as_graphs": "skshake.graphs",
    "check_graphs": "skshake.graphs",
    "expected_edges": "skshake._sizes",
    "expected_nodes": "skshake._sizes",
    "from_edges": "skshake.graphs",
    "graphs_from_edgelist": "skshake.graphs",
    "paper_edges": "skshake._sizes",
    "paper_nodes": "skshake._sizes",
    "sample_forests": "skshake.forests",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'skshake' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
