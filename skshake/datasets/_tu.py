"""Folders in the text format of the TU collection.

In: files of one line per edge, node or graph. Out: a Bunch of a GraphCollection and
labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import (
    CastError,
    Features,
    GraphCollection,
    build_features,
    from_arcs,
)


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


class _Folder(NamedTuple):
    """A folder with one set; the names of its files begin with ``stem``."""

    folder: Path
    stem: str

    def path(self, name: str) -> Path:
        """One of the files."""
        return self.folder / f"{self.stem}_{name}.txt"

    def features(self, what: str, name: str, rows: np.ndarray) -> Features:
        """Labels and attributes of nodes (edges), in the order of the given rows."""
        columns = []
        for suffix, dtype in (("labels", np.int64), ("attributes", np.float64)):
            path = self.path(f"{what}_{suffix}")
            if not path.exists():
                continue
            values = _read(path, dtype)
            if len(values) != len(rows):
                raise ValueError(
                    f"{path}: expected {len(rows)} lines, got {len(values)}"
                )
            columns.append((f"{what}_{suffix}", values[rows], suffix == "labels"))
        if len(columns) == 1:
            columns = [(name, *columns[0][1:])]
        try:
            return build_features(columns, len(rows))
        except CastError as error:
            raise ValueError(
                f"{self.folder}: line {rows[error.row] + 1} of {what}s: {error}"
            ) from error

    def owners(self, n_graphs: int) -> np.ndarray:
        """Graph of each node."""
        path = self.path("graph_indicator")
        owner = _read(path, np.int64)[:, 0] - 1
        is_known = (owner >= 0) & (owner < n_graphs)
        if (np.diff(owner) < 0).any() or not is_known.all():
            raise ValueError(
                f"{path}: expected increasing numbers from 1 to {n_graphs}"
            )
        return owner

    def ends(self, owner: np.ndarray) -> np.ndarray:
        """Ends (n_rows, 2) of the edges, nodes numbered over all graphs."""
        path = self.path("A")
        ends = _read(path, np.int64) - 1
        if ends.shape[1] != 2 or ends.min(initial=0) < 0 or (ends >= len(owner)).any():
            raise ValueError(f"{path}: expected two node numbers up to {len(owner)}")
        is_split = owner[ends[:, 0]] != owner[ends[:, 1]]
        if is_split.any():
            line = int(np.flatnonzero(is_split)[0]) + 1
            raise ValueError(f"{path}: line {line} joins nodes of two graphs")
        return ends


def _find_set(folder: Path) -> _Folder:
    """The only set of a folder."""
    found = sorted(folder.glob("*_A.txt"))
    if not found:
        raise FileNotFoundError(f"{folder}: expected a file <name>_A.txt")
    if len(found) > 1:
        raise ValueError(f"{folder}: expected one <name>_A.txt, got {len(found)}")
    return _Folder(folder, found[0].name.removesuffix("_A.txt"))


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
    files = _find_set(Path(folder))
    is_labelled = files.path("graph_labels").exists()
    y = _read(
        files.path("graph_labels" if is_labelled else "graph_attributes"),
        np.int64 if is_labelled else np.float64,
    )
    n_graphs = len(y)
    owner = files.owners(n_graphs)
    ends = files.ends(owner)
    n_nodes = np.bincount(owner, minlength=n_graphs)
    of_edge = owner[ends[:, 0]]
    order = np.argsort(of_edge, kind="stable")
    first = np.concatenate([[0], np.cumsum(n_nodes)[:-1]])
    graphs: GraphCollection = from_arcs(
        n_nodes,
        np.bincount(of_edge, minlength=n_graphs),
        (ends - first[of_edge][:, None])[order].T,
        files.features("node", "x", np.arange(len(owner))),
        files.features("edge", "edge_attr", order),
    )
    target = y[:, 0] if y.shape[1] == 1 else y
    return (graphs, target) if return_X_y else Bunch(data=graphs, target=target)
