"""Hierarchies of coarse graphs, as flat arrays."""

from skshake.hierarchy._categories import (
    CategoryWarning,
    Vocabulary,
    describe_unlearnable,
    describe_unseen,
    learn_vocabulary,
)
from skshake.hierarchy._collection import (
    GraphHierarchy,
    HierarchyCollection,
    LevelView,
    as_hierarchies,
    concatenate_hierarchies,
)
from skshake.hierarchy._level import (
    Level,
    PooledFeatures,
    Pooling,
    as_dense,
    centre,
    coarsen,
    describe_rounded,
    learn_offsets,
)
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
    "CategoryWarning",
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
    "centre",
    "coarse_shares",
    "coarsen",
    "concatenate_hierarchies",
    "describe_rounded",
    "describe_unlearnable",
    "describe_unseen",
    "expected_edges",
    "expected_nodes",
    "learn_offsets",
    "learn_vocabulary",
    "measure_reduction",
    "overlap_matrix",
    "paper_edges",
    "paper_nodes",
]
