"""Graphs and labels kept as plain npz arrays.

In: a file of flat arrays. Out: a Bunch of a GraphCollection and labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import (
    CATEGORY,
    FLOAT,
    Features,
    GraphCollection,
    from_arcs,
)


def as_matrix(values: np.ndarray | None, n_rows: int, dtype: type) -> np.ndarray:
    """Columns of one kind; none if the file has no such array."""
    if values is None:
        return np.empty((n_rows, 0), dtype)
    return values.reshape(n_rows, -1).astype(dtype)


def graphs_from_arrays(arrays: dict[str, np.ndarray]) -> GraphCollection:
    """Collection of the arrays that :func:`load_npz` documents."""
    n_nodes = arrays["node_counts"].astype(np.int64)
    n_edges = arrays["edge_counts"].astype(np.int64)
    total_nodes, total_edges = int(n_nodes.sum()), int(n_edges.sum())
    return from_arcs(
        n_nodes,
        n_edges,
        arrays["edges"].T.astype(np.int64),
        Features(
            as_matrix(arrays.get("node_attributes"), total_nodes, FLOAT),
            as_matrix(arrays.get("node_labels"), total_nodes, CATEGORY),
        ),
        Features(
            as_matrix(arrays.get("edge_attributes"), total_edges, FLOAT),
            as_matrix(arrays.get("edge_labels"), total_edges, CATEGORY),
        ),
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
        labels, sorted) and ``frame`` of further arrays of the file.

    Raises
    ------
    ValueError
        If an array is missing, or an edge ends outside its graph.
    """
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for name in ("node_counts", "edge_counts", "edges", "y"):
        if name not in arrays:
            raise ValueError(f"{path}: expected an array {name!r}, got {list(arrays)}")
    graphs = graphs_from_arrays(arrays)
    if return_X_y:
        return graphs, arrays["y"]
    names = arrays.get("y_original", np.unique(arrays["y"]))
    rest = {
        k: v for k, v in arrays.items() if k.startswith(("fold", "smiles", "split"))
    }
    return Bunch(data=graphs, target=arrays["y"], target_names=names, **rest)
