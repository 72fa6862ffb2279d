"""Graphs and labels kept as plain npz arrays.

In: a file of flat arrays. Out: a Bunch of a GraphCollection and labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import (
    CastError,
    GraphCollection,
    InvalidGraphError,
    build_features,
    from_arcs,
    offsets,
    owner_of,
)

REQUIRED = ("node_counts", "edge_counts", "edges", "y")


def _features(
    arrays: dict[str, np.ndarray], what: str, name: str, counts: np.ndarray
) -> Any:
    """Features of nodes (edges): ``*_labels`` are categories, ``*_attributes`` numbers.

    A lone array gets the usual ``name``, so that it fits graphs of other kinds.
    """
    n_rows, columns = int(counts.sum()), []
    for suffix, is_category in (("labels", True), ("attributes", False)):
        field = f"{what}_{suffix}"
        if field not in arrays:
            continue
        values = arrays[field]
        if values.ndim not in (1, 2) or len(values) != n_rows:
            raise ValueError(
                f"{field}: expected {n_rows} rows, as many as {what}s are counted, got "
                f"shape {values.shape}"
            )
        values = values.reshape(n_rows, -1)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            i = owner_of(offsets(counts))[row]
            raise InvalidGraphError(
                f"{field} holds a value that is not finite", int(i), field
            )
        columns.append((field, values, is_category))
    if len(columns) == 1:
        columns = [(name, *columns[0][1:])]
    try:
        return build_features(columns, n_rows)
    except CastError as error:
        i = owner_of(offsets(counts))[error.row]
        raise ValueError(f"Graph {i}: {error}") from error


def graphs_from_arrays(arrays: dict[str, np.ndarray]) -> GraphCollection:
    """Collection of the arrays that :func:`load_npz` documents."""
    n_nodes = arrays["node_counts"].astype(np.int64)
    n_edges = arrays["edge_counts"].astype(np.int64)
    edges = arrays["edges"]
    if min(n_nodes.min(initial=0), n_edges.min(initial=0)) < 0:
        raise ValueError("node_counts and edge_counts: expected no negative number")
    if edges.shape != (int(n_edges.sum()), 2) or len(n_nodes) != len(n_edges):
        raise ValueError(
            f"expected edges of shape ({n_edges.sum()}, 2) and as many node_counts as "
            f"edge_counts, got {edges.shape}, {len(n_nodes)} and {len(n_edges)}"
        )
    return from_arcs(
        n_nodes,
        n_edges,
        edges.T.astype(np.int64),
        _features(arrays, "node", "x", n_nodes),
        _features(arrays, "edge", "edge_attr", n_edges),
    )


def load_npz(path: str | Path, *, return_X_y: bool = False) -> Any:
    """Load graphs and labels from an npz file of flat arrays.

    Parameters
    ----------
    path : str or Path
        File with ``node_counts`` (n_graphs,), ``edge_counts`` (n_graphs,), ``edges``
        (n_edges, 2; node numbers within their graph), ``y`` (n_graphs,) and optionally
        ``node_labels``, ``edge_labels`` (integers: categories), ``node_attributes``,
        ``edge_attributes`` (floats), with one row per node or edge. No pickles.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection), ``target`` (n_graphs,), ``target_names`` (the source
        labels, sorted, from ``y_original``), and further arrays of the file under their
        own names.

    Raises
    ------
    ValueError
        If an array is missing or of the wrong length, an edge ends outside its graph,
        or a value is not finite.
    """
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for name in REQUIRED:
        if name not in arrays:
            raise ValueError(f"{path}: expected an array {name!r}, got {list(arrays)}")
    y = arrays["y"]
    if y.shape != arrays["node_counts"].shape:
        raise ValueError(
            f"{path}: expected y of shape {arrays['node_counts'].shape}, got {y.shape}"
        )
    graphs = graphs_from_arrays(arrays)
    if return_X_y:
        return graphs, y
    names = arrays.pop("y_original", np.unique(y))
    used = {*REQUIRED, "node_labels", "node_attributes"}
    used |= {"edge_labels", "edge_attributes"}
    rest = {name: array for name, array in arrays.items() if name not in used}
    return Bunch(data=graphs, target=y, target_names=names, **rest)
