"""Graph classification for people who know scikit-learn.

Graphs are coarsened with Kirchhoff forests at a resolution q* learnt from the data
(:class:`KFCoarsener`), and a small graph neural network reads the hierarchy from coarse
to fine (:class:`SHAKEClassifier`).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import skshake._forks  # noqa: F401, which notices forks from now on

# For checkers of types alone; `tests/test_public_names.py` compares them with _HOME.
if TYPE_CHECKING:
    from skshake._check_inputs import check_inputs as check_inputs
    from skshake._classifier import SHAKEClassifier as SHAKEClassifier
    from skshake._coarsener import KFCoarsener as KFCoarsener
    from skshake._coarsener import ReductionWarning as ReductionWarning
    from skshake._explain import explain as explain
    from skshake._explanation import Explanation as Explanation
    from skshake._featurizer import MoleculeFeaturizer as MoleculeFeaturizer
    from skshake._regressor import SHAKERegressor as SHAKERegressor
    from skshake._sizes import expected_edges as expected_edges
    from skshake._sizes import expected_nodes as expected_nodes
    from skshake._sizes import paper_edges as paper_edges
    from skshake._sizes import paper_nodes as paper_nodes
    from skshake._vectorizer import SubtreeVectorizer as SubtreeVectorizer
    from skshake.description import Description as Description
    from skshake.description import describe as describe
    from skshake.ensemble import SHAKEEnsembleClassifier as SHAKEEnsembleClassifier
    from skshake.ensemble import SHAKEEnsembleRegressor as SHAKEEnsembleRegressor
    from skshake.forests import KirchhoffForests as KirchhoffForests
    from skshake.forests import sample_forests as sample_forests
    from skshake.graphs import Graph as Graph
    from skshake.graphs import GraphCollection as GraphCollection
    from skshake.graphs import GraphProblem as GraphProblem
    from skshake.graphs import InvalidGraphError as InvalidGraphError
    from skshake.graphs import as_graphs as as_graphs
    from skshake.graphs import check_graphs as check_graphs
    from skshake.graphs import from_edges as from_edges
    from skshake.graphs import graphs_from_edgelist as graphs_from_edgelist
    from skshake.graphs import register_reader as register_reader
    from skshake.hierarchy import Aggregation as Aggregation
    from skshake.hierarchy import CategoryWarning as CategoryWarning
    from skshake.hierarchy import GraphHierarchy as GraphHierarchy
    from skshake.hierarchy import HierarchyCollection as HierarchyCollection
    from skshake.resolution import ResolutionWarning as ResolutionWarning
    from skshake.saving import load as load
    from skshake.saving import save as save

__version__ = "0.1.0"

# Public names are imported when first used: `import skshake` stays cheap, and torch
# loads only when a classifier is fitted.
_HOME = {
    "Aggregation": "skshake.hierarchy",
    "CategoryWarning": "skshake.hierarchy",
    "Description": "skshake.description",
    "Explanation": "skshake._explanation",
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
    "SHAKEEnsembleClassifier": "skshake.ensemble",
    "SHAKEEnsembleRegressor": "skshake.ensemble",
    "SHAKERegressor": "skshake._regressor",
    "SubtreeVectorizer": "skshake._vectorizer",
    "as_graphs": "skshake.graphs",
    "check_graphs": "skshake.graphs",
    "check_inputs": "skshake._check_inputs",
    "describe": "skshake.description",
    "expected_edges": "skshake._sizes",
    "expected_nodes": "skshake._sizes",
    "explain": "skshake._explain",
    "from_edges": "skshake.graphs",
    "graphs_from_edgelist": "skshake.graphs",
    "load": "skshake.saving",
    "paper_edges": "skshake._sizes",
    "paper_nodes": "skshake._sizes",
    "register_reader": "skshake.graphs",
    "sample_forests": "skshake.forests",
    "save": "skshake.saving",
}

__all__ = [*_HOME]

# Hidden from checkers, for which it would make any name right, misspelt ones too.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'skshake' has no attribute {name!r}")
        return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
