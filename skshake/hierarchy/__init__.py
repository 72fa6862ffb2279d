"""Hierarchies of coarse graphs, as flat arrays."""

from skshake.hierarchy._aggregation import (
    AGGREGATIONS,
    Aggregation,
    check_aggregation,
)
from skshake.hierarchy._categories import Vocabulary, learn_vocabulary
from skshake.hierarchy._coarsening import Pooling, coarsen, with_slots
from skshake.hierarchy._collection import (
    HierarchiesLike,
    HierarchyCollection,
    StoredHierarchies,
    as_hierarchies,
    concatenate_hierarchies,
)
from skshake.hierarchy._doubts import (
    CategoryWarning,
    Doubt,
    describe_doubts,
    doubt_categories,
    doubt_unseen,
)
from skshake.hierarchy._folder import (
    describe_levels,
    is_part,
    part_name,
    remove_leftovers,
    write_index,
)
from skshake.hierarchy._graph_hierarchy import GraphHierarchy
from skshake.hierarchy._level import Level, LevelView, PooledFeatures
from skshake.hierarchy._numbers import (
    LogRule,
    check_log_rule,
    describe_rounded,
    learn_centre,
    learn_log_scales,
    scale_numbers,
    take_logarithms,
)
from skshake.hierarchy._overlap import (
    find_coarse_edges,
    overlap_matrix,
    projection_matrix,
)
from skshake.hierarchy._part import Part, check_part, read_footer, write_part
from skshake.hierarchy._sorting import sort_first

__all__ = [
    "AGGREGATIONS",
    "Aggregation",
    "CategoryWarning",
    "Doubt",
    "GraphHierarchy",
    "HierarchiesLike",
    "HierarchyCollection",
    "Level",
    "LevelView",
    "LogRule",
    "Part",
    "PooledFeatures",
    "Pooling",
    "StoredHierarchies",
    "Vocabulary",
    "as_hierarchies",
    "check_aggregation",
    "check_log_rule",
    "check_part",
    "coarsen",
    "concatenate_hierarchies",
    "describe_doubts",
    "describe_levels",
    "describe_rounded",
    "doubt_categories",
    "doubt_unseen",
    "find_coarse_edges",
    "is_part",
    "learn_centre",
    "learn_log_scales",
    "learn_vocabulary",
    "overlap_matrix",
    "part_name",
    "projection_matrix",
    "read_footer",
    "remove_leftovers",
    "scale_numbers",
    "sort_first",
    "take_logarithms",
    "with_slots",
    "write_index",
    "write_part",
]
