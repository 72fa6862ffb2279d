"""Hierarchies of coarse graphs, as flat arrays."""

from skshake.hierarchy._aggregation import AGGREGATIONS, Aggregation
from skshake.hierarchy._categories import (
    CategoryWarning,
    Vocabulary,
    describe_unlearnable,
    describe_unseen,
    learn_vocabulary,
)
from skshake.hierarchy._coarsening import (
    Pooling,
    coarsen,
    describe_rounded,
    learn_centre,
    subtract_centre,
)
from skshake.hierarchy._collection import (
    GraphHierarchy,
    HierarchiesLike,
    HierarchyCollection,
    as_hierarchies,
    concatenate_hierarchies,
)
from skshake.hierarchy._level import Level, LevelView, PooledFeatures
from skshake.hierarchy._overlap import (
    find_coarse_edges,
    overlap_matrix,
    projection_matrix,
)
from skshake.hierarchy._sorting import sort_first

__all__ = [
    "AGGREGATIONS",
    "Aggregation",
    "CategoryWarning",
    "GraphHierarchy",
    "HierarchiesLike",
    "HierarchyCollection",
    "Level",
    "LevelView",
    "PooledFeatures",
    "Pooling",
    "Vocabulary",
    "as_hierarchies",
    "coarsen",
    "concatenate_hierarchies",
    "describe_rounded",
    "describe_unlearnable",
    "describe_unseen",
    "find_coarse_edges",
    "learn_centre",
    "learn_vocabulary",
    "overlap_matrix",
    "projection_matrix",
    "sort_first",
    "subtract_centre",
]
