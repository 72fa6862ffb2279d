"""Subtrees and statistics of graphs, as columns of a table."""

from skshake.subtrees._colours import colours_of, hash_codes, refine
from skshake.subtrees._counting import count_subtrees
from skshake.subtrees._names import Names, name_columns
from skshake.subtrees._numbering import number_values
from skshake.subtrees._statistics import (
    Statistics,
    learn_statistics,
    statistics_blocks,
    statistics_names,
)
from skshake.subtrees._unfolding import Subtrees, describe_subtree, learn_unfolding
from skshake.subtrees._vocabulary import Choice, choose_colours

__all__ = [
    "Choice",
    "Names",
    "Statistics",
    "Subtrees",
    "choose_colours",
    "colours_of",
    "count_subtrees",
    "describe_subtree",
    "hash_codes",
    "learn_statistics",
    "learn_unfolding",
    "name_columns",
    "number_values",
    "refine",
    "statistics_blocks",
    "statistics_names",
]
