"""What directions of edges say, as features: the one place where they become any.

In: directed rows of all graphs. Out: features of nodes and of undirected edges. Forests
are drawn on undirected graphs; a model sees directions through these features.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from skshake.graphs._aggregate import Rules, combine
from skshake.graphs._arcs import NO_EDGE
from skshake.graphs._collection import bin_degrees
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    CastError,
    Features,
    Field,
    as_numeric,
    side_by_side,
)
from skshake.graphs._ragged import offsets, owner_of

# A node feature that graphs read with ``directed=True`` have, and no others.
MARK = "in_degree"


class DirectedRows(NamedTuple):
    """Directed rows of all graphs, as they are merged.

    ``ends`` int64 (2, n_rows), nodes numbered over all graphs; ``edge_of_row`` int64
    (n_rows,), ``NO_EDGE`` for self-loops; ``edges`` (n_edges, 2), nodes numbered over
    all graphs, the smaller first; ``weights`` float64 (n_rows,).
    """

    ends: np.ndarray
    edge_of_row: np.ndarray
    edges: np.ndarray
    features: Features
    weights: np.ndarray


def _numeric_columns(rows: DirectedRows) -> dict[str, np.ndarray]:
    """Numeric attributes of the rows by name, and weights if none is called that."""
    columns: dict[str, np.ndarray] = {"weight": rows.weights[:, None]}
    by_name = rows.features.columns()
    for field in rows.features.fields:
        if not field.is_categorical:
            columns[field.name] = by_name[field.name].astype(np.float64)
    return columns


def _with_columns(
    what: str, features: Features, columns: list[tuple[str, np.ndarray, bool]]
) -> Features:
    """Features with more columns behind them."""
    known = {field.name for field in features.fields}
    for name, _, _ in columns:
        if name in known:
            raise InvalidGraphError(
                f"directed=True adds {what} feature {name!r}, which the graphs have "
                "already; rename theirs",
                field=name,
            )
    numbers = []
    for name, values, is_code in columns:
        try:
            # Rounded, so that the order in which rows were added up leaves no trace.
            numbers += [] if is_code else [as_numeric(values).astype(FLOAT)]
        except CastError as error:
            raise CastError(f"{name}: {error}", error.row, name) from error
    codes = [values for _, values, is_code in columns if is_code]
    numeric = [features.numeric, *numbers]
    return Features(
        side_by_side(numeric, len(features), np.result_type(*numeric)),
        side_by_side([features.categories, *codes], len(features), CATEGORY),
        features.fields
        + tuple(Field(name, code, values.shape[1]) for name, values, code in columns),
    )


def add_to_nodes(features: Features, rows: DirectedRows) -> Features:
    """Node features with degrees and sums of both directions.

    ``in_degree`` and ``out_degree`` are log(1 + d) of the number d of rows that end and
    that start at a node, ``in_degree_bin`` and ``out_degree_bin`` the same as
    categories, like those that graphs without features get. ``in_weight``,
    ``out_weight``, and ``in_a``, ``out_a`` for each numeric attribute a of edges, are
    sums over these rows.
    """
    n_nodes, is_edge = len(features), rows.edge_of_row != NO_EDGE
    source, target = rows.ends[:, is_edge]
    columns: list[tuple[str, np.ndarray, bool]] = []
    for way, end in (("in", target), ("out", source)):
        degree = np.bincount(end, minlength=n_nodes)[:, None]
        columns.append((f"{way}_degree", np.log1p(degree), False))
        columns.append((f"{way}_degree_bin", bin_degrees(degree), True))
    for name, values in _numeric_columns(rows).items():
        for way, end in (("in", target), ("out", source)):
            total = combine(end, values[is_edge], "sum", n_nodes)
            columns.append((f"{way}_{name}", total, False))
    return _with_columns("the node", features, columns)


def add_to_edges(merged: Features, rows: DirectedRows, rules: Rules) -> Features:
    """Edge features with a forward and a backward part of each number.

    Forward is from the end with fewer neighbours to the one with more, whichever way
    nodes are numbered; where both have as many, both parts are the mean of the two.
    ``a_forward`` joins the rows of attribute a in that direction (by their mean, unless
    a rule says otherwise), ``weight_forward`` adds weights up; 0 stands for no row.
    """
    n_edges, is_edge = len(merged), rows.edge_of_row != NO_EDGE
    edge, (source, target) = rows.edge_of_row[is_edge], rows.ends[:, is_edge]
    n_neighbours = np.bincount(rows.edges.ravel())
    rank = np.diff(n_neighbours[rows.edges], axis=1)
    group = 2 * edge + (source < target)
    attributes = {field.name for field in rows.features.fields}
    columns: list[tuple[str, np.ndarray, bool]] = []
    for name, values in _numeric_columns(rows).items():
        how = rules.get(name, "mean" if name in attributes else "sum")
        parts = combine(group, values[is_edge], how, 2 * n_edges)
        down, up = parts[0::2], parts[1::2]
        mean = (down + up) / 2
        forward = np.where(rank > 0, up, np.where(rank < 0, down, mean))
        backward = np.where(rank > 0, down, np.where(rank < 0, up, mean))
        columns.append((f"{name}_forward", forward, False))
        columns.append((f"{name}_backward", backward, False))
    return _with_columns("the edge", merged, columns)


def check_directions(features: Features) -> None:
    """Refuse to look for directions in a collection that was read without them."""
    if not any(field.name == MARK for field in features.fields):
        raise InvalidGraphError(
            "directed=True: graphs of a GraphCollection have no directions any more; "
            "say it where the collection is made"
        )


def add_empty_sums(features: Features, fields: Iterable[Field]) -> Features:
    """Node features with the fitted sums over edges, where no graph has an edge.

    What numbers edges would have, graphs without edges cannot tell.
    """
    known = features.columns()
    missing = [
        field
        for field in fields
        if field.name.startswith(("in_", "out_"))
        and not field.is_categorical
        and field.name not in known
    ]
    if not missing or MARK not in known or known[MARK].any():
        return features
    empty = [(f.name, np.zeros((len(features), f.width)), False) for f in missing]
    return _with_columns("the node", features, empty)


def loses_directions(
    n_nodes: np.ndarray,
    n_arcs: np.ndarray,
    ends: np.ndarray,
    features: Features,
    weights: np.ndarray | None,
    is_directed: np.ndarray,
) -> bool:
    """Whether some row of the directed graphs differs from what runs the other way.

    Parameters
    ----------
    n_nodes, n_arcs : int64 arrays of shape (n_graphs,)
    ends : int array of shape (2, n_rows)
    features : Features
        One row per row.
    weights : float64 array of shape (n_rows,) or None
    is_directed : bool array of shape (n_graphs,)

    Returns
    -------
    is_lost : bool
    """
    owner = owner_of(offsets(n_arcs))
    rows = np.flatnonzero(is_directed[owner])
    source, target = ends[:, rows] + offsets(n_nodes)[owner[rows]]
    n_all = int(n_nodes.sum())
    there, back = source * n_all + target, target * n_all + source
    one, other = np.argsort(there, kind="stable"), np.argsort(back, kind="stable")
    if not np.array_equal(there[one], back[other]):
        return True
    values = [features.numeric, features.categories]
    values += [] if weights is None else [weights]
    return any(not np.array_equal(v[rows[one]], v[rows[other]]) for v in values)
