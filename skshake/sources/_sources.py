"""Sources: where the graphs of a part come from, so that not all need be in memory.

In: paths, callables that read a part, lists of graphs, with targets or without. Out:
the graphs of one source at a time, and words for it.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import joblib
import numpy as np
from sklearn.utils import Bunch

from skshake.datasets import load_molecules_csv, load_npz, load_ogb
from skshake.graphs import (
    CategoricalRule,
    GraphCollection,
    InvalidGraphError,
    as_graphs,
    chunk_bounds,
    read_npz,
)

# Nodes and edges of the parts that a collection is cut into.
PART_ROWS = 2**20
EXPECTED = (
    "a .npz file of GraphCollection.save or of load_npz, a .csv file of "
    "load_molecules_csv, a folder of load_ogb, or a function without arguments that "
    "reads graphs, such as functools.partial(graphs_from_edgelist, path, ...)"
)


class ReadSource(NamedTuple):
    """Graphs of a source, and their targets where it has them."""

    graphs: GraphCollection
    y: np.ndarray | None


def is_source(item: Any) -> bool:
    """Whether something stands for many graphs, rather than being one."""
    if isinstance(item, (str, os.PathLike, GraphCollection, list, Bunch)):
        return True
    if isinstance(item, tuple):
        # A tuple of a matrix and features is a graph.
        return bool(item) and isinstance(item[0], (GraphCollection, list))
    # torch_geometric's TemporalData can be called.
    return callable(item) and not isinstance(item, Iterable)


def find_sources(X: Any) -> tuple[Iterable[Any] | None, Any]:
    """The sources that are given; or None, and the graphs that are.

    Parameters
    ----------
    X : object
        A path (of a folder: all its files in the order of their names), an iterable of
        sources, or graphs.
    """
    if isinstance(X, (str, os.PathLike)):
        return _sources_of_path(Path(X)), None
    if isinstance(X, GraphCollection) or not isinstance(X, Iterable):
        return None, X
    if isinstance(X, (list, tuple)):
        is_first = len(X) > 0 and not isinstance(X, Bunch) and is_source(X[0])
        return (X, None) if is_first else (None, X)
    if hasattr(X, "__len__"):
        return None, X
    items = iter(X)
    first = list(next_items(items, 1))
    if isinstance(X, Iterator):
        # It is asked once.
        X = chain(first, items)
    return (X, None) if first and is_source(first[0]) else (None, X)


def next_items(items: Iterator[Any], n: int) -> Iterator[Any]:
    """At most so many of the items that come next."""
    for _, item in zip(range(n), items, strict=False):
        yield item


def _sources_of_path(path: Path) -> list[Path]:
    """The files of a folder of parts; or the one source that a path is."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there")
    if path.is_file() or (path / "raw").is_dir():
        return [path]
    files = sorted(p for p in path.iterdir() if p.is_file() and p.name[0] != ".")
    if not files:
        raise ValueError(f"{path}: expected files of graphs, got an empty folder")
    return files


def cut_collection(
    graphs: GraphCollection, y: Any = None
) -> list[tuple[GraphCollection, Any]]:
    """Parts of about equal size, with their targets."""
    n_rows = graphs.n_nodes + graphs.n_edges
    bounds = chunk_bounds(graphs, max(1, -(-n_rows // PART_ROWS)))
    return [
        (graphs[start:stop], None if y is None else y[start:stop])
        for start, stop in pairwise(bounds.tolist())
    ]


def describe_source(source: Any) -> str:
    """Words for a source, the same whenever it is given again and has not changed."""
    if isinstance(source, (str, os.PathLike)):
        return _describe_path(Path(source))
    if isinstance(source, functools.partial):
        listed = [*map(_describe_value, source.args)]
        for name, value in source.keywords.items():
            listed.append(f"{name}={_describe_value(value)}")
        return f"{describe_source(source.func)}({', '.join(listed)})"
    if callable(source):
        return _describe_function(source)
    graphs, y = source, None
    if isinstance(source, Bunch):
        graphs, y = source.data, source.get("target")
    elif isinstance(source, tuple):
        graphs, y = source
    if isinstance(graphs, GraphCollection):
        digest = hashlib.sha256(graphs.fingerprints.tobytes())
        beside = [None if y is None else np.asarray(y), graphs.given_names]
        digest.update(joblib.hash(beside).encode())
        return f"{len(graphs)} graphs ({digest.hexdigest()[:16]})"
    return f"a list of {len(graphs)} graphs"


def _describe_function(function: Any) -> str:
    """The name of a function; without one of its own, what it consists of too."""
    name = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", "")
    if name is not None and "<" not in name:
        return f"{module}.{name}"
    digest = hashlib.sha256(cloudpickle.dumps(function)).hexdigest()
    return f"{module}.{name or type(function).__qualname__} ({digest[:16]})"


def _describe_path(path: Path) -> str:
    """The name of a file, with what changes when it is written again."""
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    found = [each.stat() for each in files if each.is_file()]
    if not found:
        return path.name
    size, newest = sum(s.st_size for s in found), max(s.st_mtime_ns for s in found)
    return f"{path.name} ({size} bytes, {newest})"


def _describe_value(value: Any) -> str:
    """An argument; those without a value to show stand as their type."""
    if isinstance(value, os.PathLike) or (
        isinstance(value, str) and os.path.exists(value)
    ):
        return _describe_path(Path(value))
    is_plain = isinstance(value, (str, int, float, bool, type(None)))
    return repr(value) if is_plain else type(value).__name__


def as_described(source: Any, rule: CategoricalRule) -> Any:
    """The source with lists of graphs read, which only their content tells apart."""
    if callable(source) or isinstance(source, (str, os.PathLike, GraphCollection)):
        return source
    return tuple(read_source(source, rule))


def read_source(source: Any, rule: CategoricalRule) -> ReadSource:
    """Graphs and targets of a source.

    Raises
    ------
    ValueError
        If graphs cannot be read, or there are not as many targets as graphs; the source
        is named.
    """
    found = source
    try:
        if isinstance(source, (str, os.PathLike)):
            found = _read_path(Path(source))
        elif callable(source) and not isinstance(source, GraphCollection):
            found = source()
        graphs, y = found, None
        if isinstance(found, Bunch):
            graphs, y = found.data, found.get("target")
        elif isinstance(found, tuple) and is_source(found):
            graphs, y = found
        graphs = as_graphs(graphs, categorical_features=rule)
        return ReadSource(graphs, _check_targets(y, len(graphs)))
    except (ValueError, TypeError) as error:
        raise name_source(error, source) from error


def name_source(error: Exception, source: Any) -> InvalidGraphError:
    """The error, with the source in front."""
    return InvalidGraphError(f"{describe_source(source)}: {error}")


def _read_path(path: Path) -> Any:
    """What the usual reader makes of a file or folder."""
    if path.is_dir():
        return load_ogb(path)
    if path.suffix == ".npz":
        # Both kinds are npz files; the one that ``save`` writes has a version.
        if "format_version" in read_npz(path, "graphs"):
            return GraphCollection.load(path)
        return load_npz(path)
    if ".csv" in path.suffixes:
        return load_molecules_csv(path)
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is not there, and no graph; SMILES become graphs in "
            "MoleculeFeaturizer"
        )
    raise ValueError(f"{path}: expected {EXPECTED}")


def _check_targets(y: Any, n_graphs: int) -> np.ndarray | None:
    """Targets as an array that files can hold, one row per graph."""
    if y is None:
        return None
    values = np.asarray(y)
    if values.dtype == object:
        # Text comes as objects from tables.
        values = np.array(values.tolist())
    if values.dtype.kind not in "biufUSM":
        raise ValueError(f"y: expected numbers, text or dates, got {values.dtype}")
    if values.ndim not in (1, 2) or len(values) != n_graphs:
        raise ValueError(
            f"y: expected {n_graphs} rows, one per graph, got shape {values.shape}"
        )
    return values
