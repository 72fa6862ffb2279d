"""Hierarchies of coarse graphs, as flat arrays."""

from skshake.hierarchy._categories import Vocabulary, learn_vocabulary
from skshake.hierarchy._collection import (
    GraphHierarchy,
    HierarchyCollection,
    LevelView,
    as_hierarchies,
    concatenate_hierarchies,
)
from skshake.hierarchy._level import Level, PooledFeatures, Pooling, as_dense, coarsen
from skshake.hierarchy._overlap import coarse_shares, overlap_matrix
from skshake.hierarchy._reduction import Reduction, measure_reduction
from skshake.hierarchy._sizes import (
    Estimate,
    expected_edges,
    expected_nodes,
    paper_edges,
    paper_nodes,
)

__all__ = [
    "Estimate",
    "GraphHierarchy",
    "HierarchyCollection",
    "Level",
    "LevelView",
    "PooledFeatures",
    "Pooling",
    "Reduction",
    "Vocabulary",
    "as_dense",
    "as_hierarchies",
    "coarse_shares",
    "coarsen",
    "concatenate_hierarchies",
    "expected_edges",
    "expected_nodes",
    "learn_vocabulary",
    "measure_reduction",
    "overlap_matrix",
    "paper_edges",
    "paper_nodes",
]
