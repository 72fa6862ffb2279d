"""Folders in the text format of the TU collection.

In: files of one line per edge, node or graph. Out: a Bunch of a GraphCollection and
labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import CastError, GraphCollection, build_features, from_arcs


def _read(path: Path, dtype: type) -> np.ndarray:
    """Numbers of a file, one row per line."""
    import pandas as pd

    try:
        table = pd.read_csv(path, header=None, skipinitialspace=True, dtype=dtype)
    except pd.errors.EmptyDataError:
        return np.empty((0, 2), dtype)
    except (ValueError, OverflowError, pd.errors.ParserError) as error:
        raise ValueError(f"{path}: {error}") from error
    values = table.to_numpy()
    if not np.isfinite(values).all():
        line = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0]) + 1
        raise ValueError(f"{path}: line {line} lacks a number, or holds one not finite")
    return values


def load_tu(folder: str | Path, *, return_X_y: bool = False) -> Any:
    """Load a folder in the text format of the TU collection.

    Parameters
    ----------
    folder : str or Path
        With ``<name>_A.txt``, ``_graph_indicator.txt``, ``_graph_labels.txt`` (or
        ``_graph_attributes.txt``, numbers to predict), and optionally
        ``_node_labels.txt``, ``_node_attributes.txt``, ``_edge_labels.txt`` and
        ``_edge_attributes.txt``. Labels become categories, attributes numbers.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection), ``target`` (n_graphs,) or (n_graphs, n_targets).

    Raises
    ------
    FileNotFoundError
        If there is no ``<name>_A.txt``, or another file that must be there.
    ValueError
        If there are several sets, numbers of lines disagree, a line lacks a number, or
        an edge joins nodes of two graphs.
    """
    folder = Path(folder)
    found = sorted(folder.glob("*_A.txt"))
    if not found:
        raise FileNotFoundError(f"{folder}: expected a file <name>_A.txt")
    if len(found) > 1:
        raise ValueError(f"{folder}: expected one <name>_A.txt, got {len(found)}")
    stem = found[0].name.removesuffix("_A.txt")

    def path(name: str) -> Path:
        return folder / f"{stem}_{name}.txt"

    owner = _read(path("graph_indicator"), np.int64)[:, 0] - 1
    is_labelled = path("graph_labels").exists()
    y = _read(
        path("graph_labels" if is_labelled else "graph_attributes"),
        np.int64 if is_labelled else np.float64,
    )
    n_graphs = len(y)
    is_known = (owner >= 0) & (owner < n_graphs)
    if (np.diff(owner) < 0).any() or not is_known.all():
        raise ValueError(
            f"{path('graph_indicator')}: expected increasing numbers from 1 to "
            f"{n_graphs}"
        )
    n_nodes = np.bincount(owner, minlength=n_graphs)
    ends = _read(found[0], np.int64) - 1
    if ends.shape[1] != 2 or ends.min(initial=0) < 0 or (ends >= len(owner)).any():
        raise ValueError(f"{found[0]}: expected two node numbers up to {len(owner)}")
    of_edge = owner[ends]
    is_split = of_edge[:, 0] != of_edge[:, 1]
    if is_split.any():
        line = int(np.flatnonzero(is_split)[0]) + 1
        raise ValueError(f"{found[0]}: line {line} joins nodes of two graphs")
    order = np.argsort(of_edge[:, 0], kind="stable")
    first = np.concatenate([[0], np.cumsum(n_nodes)[:-1]])

    def features(what: str, name: str, rows: np.ndarray) -> Any:
        columns = []
        for suffix, dtype in (("labels", np.int64), ("attributes", np.float64)):
            if not path(f"{what}_{suffix}").exists():
                continue
            values = _read(path(f"{what}_{suffix}"), dtype)
            if len(values) != len(rows):
                raise ValueError(
                    f"{path(f'{what}_{suffix}')}: expected {len(rows)} lines, got "
                    f"{len(values)}"
                )
            columns.append((f"{what}_{suffix}", values[rows], suffix == "labels"))
        if len(columns) == 1:
            columns = [(name, *columns[0][1:])]
        try:
            return build_features(columns, len(rows))
        except CastError as error:
            raise ValueError(
                f"{folder}: line {rows[error.row] + 1} of {what}s: {error}"
            ) from error

    graphs: GraphCollection = from_arcs(
        n_nodes,
        np.bincount(of_edge[:, 0], minlength=n_graphs),
        (ends - first[of_edge])[order].T,
        features("node", "x", np.arange(len(owner))),
        features("edge", "edge_attr", order),
    )
    target = y[:, 0] if y.shape[1] == 1 else y
    return (graphs, target) if return_X_y else Bunch(data=graphs, target=target)
