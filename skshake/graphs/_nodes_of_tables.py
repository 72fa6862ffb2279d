"""Nodes of the graphs of tables, and ends of edges numbered among them.

In: a table of edges and maybe one of nodes. Out: graphs, their nodes with the row of
each, and edges by the numbers of their nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._frames import Table
from skshake.graphs._placing import (
    Ids,
    Placed,
    Rows,
    as_columns,
    choose_rows,
    find_rows,
    join_levels,
    keys_of,
    number_columns,
    place_graphs,
)
from skshake.graphs._ragged import offsets


def place_tables(
    edges: Table, nodes: Table | None, columns: tuple[str, ...], graph_ids: Any
) -> tuple[Placed, list[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Graphs, which of them each row means, and what nodes say of graphs.

    The last are numbers of the rows of nodes and of the graphs, equal where a row
    belongs to a graph, for a table of nodes that lacks columns that name graphs.
    """
    wanted = [] if graph_ids is None else as_columns(graph_ids, len(columns))
    shared = [] if nodes is None else [name for name in columns if name in nodes]
    is_owned = nodes is not None and len(shared) == len(columns)
    by_column = []
    for k, name in enumerate(columns):
        parts = [edges.column(name), *([wanted[k]] if wanted else [])]
        if nodes is not None and name in shared:
            parts.insert(1, nodes.column(name))
        by_column.append(parts)
    known, numbers = number_columns("graphs", by_column)
    levels = [
        parts if is_owned or name not in shared else [parts[0], *parts[2:]]
        for name, parts in zip(columns, numbers, strict=True)
    ]
    placed = place_graphs(known, levels, 1 + is_owned)
    n_rows = 0 if nodes is None else len(nodes.frame)
    both = [np.zeros(n_rows, np.int64), np.zeros(len(placed.ids), np.int64)]
    of_shared = [
        [numbers[k][1], placed.levels[k]]
        for k, name in enumerate(columns)
        if name in shared
    ]
    of_row, of_graph = join_levels([both, *of_shared])
    return placed, placed.of_rows, (of_row, of_graph)


class Nodes(NamedTuple):
    """Nodes of all graphs: their ids, and their rows if there is a table of them."""

    ids: Ids
    rows: Rows | None
    keys: np.ndarray


def own_nodes(
    table: Table,
    of_node: np.ndarray,
    named: np.ndarray,
    known: np.ndarray,
    placed: Placed,
) -> Nodes:
    """Nodes of a table that names the graph of each row."""
    rows = choose_rows(table, of_node, len(placed.ids))
    keys = keys_of(of_node, named, len(known))[rows.order]
    ids = Ids(placed.ids, offsets(rows.counts), keys % max(len(known), 1), known)
    return Nodes(ids, rows, keys)


def shared_nodes(
    table: Table,
    of_row: np.ndarray,
    of_graph: np.ndarray,
    named: np.ndarray,
    nodes: Nodes,
) -> Nodes:
    """Rows of nodes that edges name, in a table whose rows several graphs share.

    ``of_row`` and ``of_graph`` number what the table says of the graph, if anything.
    """
    ids, n_names = nodes.ids, len(nodes.ids.known)
    n_nodes = np.diff(ids.node_ptr)
    wanted = keys_of(np.repeat(of_graph, n_nodes), ids.node_keys, n_names)
    places, is_known, twice = find_rows(wanted, keys_of(of_row, named, n_names))
    if twice >= 0:
        raise InvalidGraphError(
            f"nodes: node {ids.known[twice % n_names]} comes twice, and nothing says "
            "in which graph; add the columns that name graphs, or leave one row"
        )
    if not is_known.all():
        k = int(np.flatnonzero(~is_known)[0])
        i = int(np.searchsorted(ids.node_ptr, k, side="right")) - 1
        raise InvalidGraphError(
            f"edges: an edge of graph {_as_text(ids, i)} joins node "
            f"{ids.known[ids.node_keys[k]]}, which has no row in nodes"
        )
    return nodes._replace(rows=Rows(table, places, n_nodes))


def _as_text(ids: Ids, i: int) -> str:
    """The id of a graph in the middle of a sentence."""
    return str(ids.graphs[i])


def number_ends(rows: Rows, ends: Sequence[np.ndarray], nodes: Nodes) -> np.ndarray:
    """Ends (2, n_rows) of edges, numbered within their graph.

    ``ends`` are the names of both ends of all rows of the table, by number.
    """
    ids, n_names = nodes.ids, max(len(nodes.ids.known), 1)
    owner = np.tile(rows.owner, 2)
    names = np.concatenate([of_end[rows.order] for of_end in ends])
    wanted = keys_of(owner, names, n_names)
    places, is_known, twice = find_rows(wanted, nodes.keys)
    if twice >= 0:
        i, k = divmod(twice, n_names)
        raise InvalidGraphError(
            f"nodes: node {ids.known[k]} comes twice in graph {_as_text(ids, i)}"
        )
    if not is_known.all():
        i, k = divmod(int(wanted[~is_known][0]), n_names)
        raise InvalidGraphError(
            f"edges: an edge of graph {_as_text(ids, i)} joins node {ids.known[k]}, "
            "which has no row in nodes"
        )
    numbers: np.ndarray = places - ids.node_ptr[owner]
    return numbers.reshape(2, -1)
