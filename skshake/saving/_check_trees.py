"""check_trees: trees of scikit-learn that were read lead nowhere but to themselves.

In: a model that was read from a file. Out: nothing, or an error. scikit-learn follows
the numbers of a tree without looking, so a forged file could have it read (or write)
any memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import TREE_LEAF, Tree


def check_trees(model: Any) -> None:
    """Refuse a model with a tree that leads outside of itself or of its columns.

    Raises
    ------
    ValueError
        If a node's child, column or depth is not one that the tree has.
    """
    for owner in _objects(model):
        if isinstance(owner, Tree):
            if not _is_sound(owner):
                raise ValueError("a tree in it has nodes that lead outside of it")
            continue
        # scikit-learn compares nothing with a number of columns that is not there.
        is_bare = isinstance(
            owner, (BaseDecisionTree, BaseForest, BaseGradientBoosting)
        )
        width = getattr(owner, "n_features_in_", 0 if is_bare else np.inf)
        members = getattr(owner, "estimators_", [])
        within = [owner, *(members.flat if hasattr(members, "flat") else members)]
        trees = [getattr(each, "tree_", None) for each in within]
        if any(isinstance(t, Tree) and t.n_features > width for t in trees):
            raise ValueError(f"a tree in it has columns beyond the {width} of its rows")


def _objects(model: Any) -> Iterator[Any]:
    """All objects that a model consists of, each once."""
    seen: set[int] = set()
    left = [model]
    while left:
        value = left.pop()
        if id(value) in seen or isinstance(value, (FunctionType, ModuleType, type)):
            continue
        seen.add(id(value))
        if isinstance(value, Mapping):
            left.extend(value.values())
        elif isinstance(value, (list, set, tuple)):
            left.extend(value)
        elif isinstance(value, np.ndarray):
            left.extend(value.flat if value.dtype == object else ())
        else:
            yield value
            left.extend(getattr(value, "__dict__", {}).values())


def _is_sound(tree: Tree) -> bool:
    """Whether each node is reached once, from one before it, and columns are there."""
    n_nodes = tree.node_count
    if not 0 < n_nodes <= tree.capacity:
        return False
    inner = np.flatnonzero(tree.children_left != TREE_LEAF)
    left, right = tree.children_left[inner], tree.children_right[inner]
    children = np.concatenate([left, right])
    columns = tree.feature[inner]
    is_placed = (
        (np.minimum(left, right) > inner).all()
        and (children < n_nodes).all()
        and len(np.unique(children)) == len(children)
        and ((columns >= 0) & (columns < tree.n_features)).all()
    )
    return bool(is_placed) and _depth(tree) <= tree.max_depth


def _depth(tree: Tree) -> int:
    """Steps from the root of a tree, whose children are placed, to its lowest leaf."""
    depth, level = -1, np.zeros(1, np.intp)
    while len(level):
        depth += 1
        inner = level[tree.children_left[level] != TREE_LEAF]
        level = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    return depth
