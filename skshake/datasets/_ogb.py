"""Folders in the format of the Open Graph Benchmark, as its downloads unpack.

In: compressed CSV files. Out: a Bunch of a GraphCollection, labels and the split.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import GraphCollection, from_edges, join_integers

PARTS = ("train", "valid", "test")


def _read(folder: Path, name: str, n_rows: int | None = None) -> np.ndarray:
    """Rows of a file without header, of the type of numbers that it holds."""
    import pandas as pd

    path = folder / f"{name}.csv.gz"
    try:
        values = _as_numbers(path, pd.read_csv(path, header=None))
    except pd.errors.EmptyDataError:
        values = np.empty((0, 2), np.int64)
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(f"{path}: expected {n_rows} rows, got {len(values)}")
    return values


def _as_numbers(path: Path, table: Any) -> np.ndarray:
    """Rows of a table of the type of numbers that it holds."""
    values: np.ndarray = table.to_numpy()
    if all(dtype.kind in "iu" for dtype in table.dtypes):
        parts = [table[[name]].to_numpy() for name in table]
        values = join_integers(parts, axis=1)
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{path}: expected numbers, got {values.dtype}")
    return values


class _Rows:
    """Rows of a file without header, read as they are asked for."""

    def __init__(self, folder: Path, name: str, stack: ExitStack) -> None:
        import pandas as pd

        self._path, self._n_read = folder / f"{name}.csv.gz", 0
        self._reader: Any = None
        try:
            self._reader = stack.enter_context(
                pd.read_csv(self._path, header=None, iterator=True)
            )
        except pd.errors.EmptyDataError:
            # Such as the edges of graphs without any.
            self._reader = None

    def read(self, n_rows: int) -> np.ndarray:
        """The rows that come next."""
        if not n_rows:
            return np.empty((0, 2), np.int64)
        self._n_read += n_rows
        table: Any = ()
        try:
            if self._reader is not None:
                table = self._reader.get_chunk(n_rows)
        except StopIteration:
            pass
        if len(table) != n_rows:
            raise ValueError(
                f"{self._path}: expected {self._n_read} rows at least, got "
                f"{self._n_read - n_rows + len(table)}"
            )
        return _as_numbers(self._path, table)


def _read_split(folder: Path, split: str | None) -> dict[str, np.ndarray]:
    """Graph numbers of each part of the split, if the folder has one."""
    found = sorted(path for path in folder.glob("split/*") if path.is_dir())
    names = [path.name for path in found]
    if split is None and len(found) > 1:
        raise ValueError(f"{folder}: split: choose one of {names}")
    if split is not None and split not in names:
        raise ValueError(f"{folder}: split: expected one of {names}, got {split!r}")
    if not found:
        return {}
    chosen = found[names.index(split)] if split is not None else found[0]
    return {part: _read(chosen, part)[:, 0].astype(np.int64) for part in PARTS}


def _read_counts(raw: Path) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and edges of each graph."""
    n_nodes, n_edges = (
        _read(raw, f"num-{unit}-list")[:, 0].astype(np.int64)
        for unit in ("node", "edge")
    )
    return n_nodes, n_edges


def _read_targets(raw: Path, n_graphs: int) -> np.ndarray:
    """Labels of each graph, integers where all are whole."""
    y = _read(raw, "graph-label", n_graphs)
    if np.isfinite(y).all() and (y == np.floor(y)).all():
        y = y.astype(np.int64)
    return y[:, 0] if y.shape[1] == 1 else y


def iter_ogb(
    folder: str | Path, *, n_graphs: int = 1_000
) -> Iterator[tuple[GraphCollection, np.ndarray]]:
    """Read a folder of the Open Graph Benchmark in parts, for sets larger than memory.

    Files are read once, from the first row to the last, while parts are asked for:
    ``KFCoarsener.fit`` and ``transform_to`` take what comes as sources.

    Parameters
    ----------
    folder : str or Path
        As for :func:`load_ogb`. Whether a column of features is of integers, and so of
        categories, is found out in each part.
    n_graphs : int, default=1000
        Graphs of a part.

    Yields
    ------
    graphs : GraphCollection
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        Their labels.

    Raises
    ------
    FileNotFoundError
        If a file is not there that must be.
    ValueError
        If there are fewer rows than are counted, or they are no numbers.

    See Also
    --------
    skshake.KFCoarsener.transform_to : Coarsen parts into a folder.
    """
    folder = Path(folder)
    raw = folder / "raw"
    n_nodes, n_edges = _read_counts(raw)
    y = _read_targets(raw, len(n_nodes))
    with ExitStack() as stack:
        edges = _Rows(raw, "edge", stack)
        features = {
            argument: (_Rows(raw, f"{name}-feat", stack), counts)
            for argument, name, counts in (
                ("x", "node", n_nodes),
                ("edge_attr", "edge", n_edges),
            )
            if (raw / f"{name}-feat.csv.gz").exists()
        }
        for first in range(0, len(n_nodes), n_graphs):
            rows = slice(first, first + n_graphs)
            given: dict[str, Any] = {
                argument: reader.read(int(counts[rows].sum()))
                for argument, (reader, counts) in features.items()
            }
            ends = edges.read(int(n_edges[rows].sum()))
            try:
                graphs = from_edges(ends, n_edges[rows], n_nodes[rows], **given)
            except ValueError as error:
                raise ValueError(f"{folder}, from graph {first} on: {error}") from error
            yield graphs, y[rows]


def load_ogb(
    folder: str | Path, *, split: str | None = None, return_X_y: bool = False
) -> Any:
    """Load a graph set in the folder format of the Open Graph Benchmark.

    Parameters
    ----------
    folder : str or Path
        With ``raw/edge.csv.gz``, ``num-node-list.csv.gz``, ``num-edge-list.csv.gz``,
        ``graph-label.csv.gz``, and optionally ``node-feat.csv.gz`` and
        ``edge-feat.csv.gz``; integers become categories, other numbers stay numbers.
        ``split/<name>/train.csv.gz``, ``valid.csv.gz`` and ``test.csv.gz`` hold graph
        numbers.
    split : str or None, default=None
        Name of the split; None where there is one or none.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection), ``target`` of shape (n_graphs,) or (n_graphs,
        n_targets; NaN where missing), and ``train``, ``valid``, ``test``, int64 arrays
        of graph numbers, where there is a split.

    Raises
    ------
    FileNotFoundError
        If a file is not there that must be.
    ValueError
        If numbers of rows disagree or are no numbers, or the split is not one of the
        folder's.

    References
    ----------
    Hu et al. (2020), "Open Graph Benchmark: Datasets for Machine Learning on Graphs".
    """
    folder = Path(folder)
    raw = folder / "raw"
    n_nodes, n_edges = _read_counts(raw)
    features: dict[str, Any] = {}
    for argument, name, counts in (
        ("x", "node", n_nodes),
        ("edge_attr", "edge", n_edges),
    ):
        if (raw / f"{name}-feat.csv.gz").exists():
            features[argument] = _read(raw, f"{name}-feat", int(counts.sum()))
    try:
        graphs = from_edges(
            _read(raw, "edge", int(n_edges.sum())), n_edges, n_nodes, **features
        )
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from error
    target = _read_targets(raw, len(n_nodes))
    if return_X_y:
        return graphs, target
    return Bunch(data=graphs, target=target, **_read_split(folder, split))
