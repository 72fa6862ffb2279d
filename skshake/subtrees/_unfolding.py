"""Unfolding: which subtree a colour is.

In: colours that are counted, and training graphs in which they occur. Out: for each,
the colours one depth below of which it is made; so a subtree can be shown when the
graphs are gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from skshake.graphs import CATEGORY, GraphCollection, owner_of, rows_of
from skshake.subtrees._numbering import find_rows

INDENT = "    "


class Subtrees(NamedTuple):
    """The subtrees of one depth, sorted by colour.

    Parameters
    ----------
    colours : uint64 array of shape (n_subtrees,)
    codes : int32 array of shape (n_subtrees, n_columns)
        Categories of the root at depth 0; without columns at others.
    own : uint64 array of shape (n_subtrees,)
        Colour of the root one depth below; empty at depth 0.
    ptr : int64 array of shape (n_subtrees + 1,)
        Branches ``ptr[i]`` to ``ptr[i + 1]`` leave the root of subtree i.
    branches : uint64 array of shape (n_branches,)
        Colour of a neighbour one depth below.
    edge_codes : int32 array of shape (n_branches, n_edge_columns)
        Categories of the edge that leads there.
    n_times : int64 array of shape (n_branches,)
        How many neighbours are alike.
    """

    colours: np.ndarray
    codes: np.ndarray
    own: np.ndarray
    ptr: np.ndarray
    branches: np.ndarray
    edge_codes: np.ndarray
    n_times: np.ndarray


def _take_leaves(
    graphs: GraphCollection, wanted: np.ndarray, nodes: np.ndarray
) -> Subtrees:
    """Subtrees of depth 0, of which there are categories alone."""
    none = np.empty(0, np.uint64)
    return Subtrees(
        wanted,
        graphs.node_features.categories[nodes],
        none,
        np.zeros(len(nodes) + 1, np.int64),
        none,
        graphs.edge_features.categories[:0],
        np.empty(0, np.int64),
    )


def _take_apart(
    graphs: GraphCollection, wanted: np.ndarray, nodes: np.ndarray, below: np.ndarray
) -> Subtrees:
    """Subtrees of which ``nodes`` are examples, given all colours one depth below."""
    arcs, ptr = rows_of(graphs.arcs.indptr, nodes)
    owner = owner_of(ptr)
    graph = np.searchsorted(graphs.node_ptr, nodes, side="right")[owner] - 1
    branches = below[graphs.arcs.indices[arcs] + graphs.node_ptr[graph]]
    edge_codes = np.empty((len(arcs), 0), CATEGORY)
    if graphs.edge_features.categories.shape[1]:
        edges = graphs.arcs.edge_of_arc[arcs] + graphs.edge_ptr[graph]
        edge_codes = graphs.edge_features.categories[edges]
    # Sorted, so that neither the order of nodes nor the example matters.
    order = np.lexsort((*edge_codes.T, branches, owner))
    keys = [key[order] for key in (owner, branches, *edge_codes.T)]
    is_first = np.ones(len(order), bool)
    is_first[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    first = np.flatnonzero(is_first)
    return Subtrees(
        wanted,
        graphs.node_features.categories[:0],
        below[nodes],
        np.searchsorted(keys[0][first], np.arange(len(nodes) + 1)),
        keys[1][first],
        edge_codes[order[first]],
        np.diff(first, append=len(order)),
    )


def learn_unfolding(
    graphs: GraphCollection, colours: list[np.ndarray], counted: list[np.ndarray]
) -> tuple[Subtrees, ...]:
    """Subtrees of all depths that the counted ones are made of.

    Parameters
    ----------
    graphs : GraphCollection
    colours : list of uint64 arrays of shape (n_nodes,)
        Of depth 0, 1, ...
    counted : list of uint64 arrays
        Colours that are counted, of depth 0, 1, ...

    Returns
    -------
    subtrees : tuple of Subtrees
        Of depth 0, 1, ...; the same in whatever order graphs and nodes come.
    """
    levels: list[Subtrees] = []
    wanted = np.empty(0, np.uint64)
    for depth in reversed(range(len(colours))):
        wanted = np.unique(np.concatenate([counted[depth], wanted]))
        # Any node of a colour will do: all have the same subtree.
        nodes = np.empty(len(wanted), np.int64)
        find_rows(colours[depth], wanted, nodes)
        if depth:
            level = _take_apart(graphs, wanted, nodes, colours[depth - 1])
            wanted = np.concatenate([level.own, level.branches])
        else:
            level = _take_leaves(graphs, wanted, nodes)
        levels.append(level)
    return tuple(reversed(levels))


def _label(names: tuple[str, ...], codes: np.ndarray) -> str:
    """Categories in words: "x0=6, x1=0"."""
    return ", ".join(
        f"{name}={code}" for name, code in zip(names, codes.tolist(), strict=True)
    )


def _lines(
    subtrees: tuple[Subtrees, ...],
    colour: np.uint64,
    node_names: tuple[str, ...],
    edge_names: tuple[str, ...],
) -> Iterator[str]:
    """Lines of a subtree of the last depth: its root, then its branches."""
    root = colour
    for level in reversed(subtrees[1:]):
        root = level.own[np.searchsorted(level.colours, root)]
    codes = subtrees[0].codes[np.searchsorted(subtrees[0].colours, root)]
    yield _label(node_names, codes) or "node"
    *below, here = subtrees
    if not below:
        return
    number = np.searchsorted(here.colours, colour)
    for branch in range(here.ptr[number], here.ptr[number + 1]):
        lines = _lines(tuple(below), here.branches[branch], node_names, edge_names)
        edge = _label(edge_names, here.edge_codes[branch])
        n_times = here.n_times[branch]
        first = f"{edge} to {next(lines)}" if edge else next(lines)
        yield INDENT + (f"{n_times} times {first}" if n_times > 1 else first)
        yield from (INDENT + line for line in lines)


def describe_subtree(
    subtrees: tuple[Subtrees, ...],
    depth: int,
    colour: np.uint64,
    node_names: tuple[str, ...],
    edge_names: tuple[str, ...],
) -> str:
    """The subtree of a colour as text: a line per node, indented by its distance."""
    return "\n".join(_lines(subtrees[: depth + 1], colour, node_names, edge_names))
