"""Graphs, and names of graphs and nodes, in plain npz files without pickled objects.

In: what a collection holds. Out: an uncompressed npz file, and back.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from skshake._whole_file import whole_file
from skshake.graphs._features import Features, Field
from skshake.graphs._names import NameColumn, Names, as_objects, names_of
from skshake.graphs._names_as_text import from_text, to_text

FORMAT_VERSION = 1
STRUCTURE = ("node_ptr", "edge_ptr", "edges")
FEATURES = ("node_features", "edge_features")


def names_as_arrays(names: Names | None) -> dict[str, np.ndarray]:
    """Arrays by name that :func:`names_of_arrays` puts together again."""
    arrays: dict[str, np.ndarray] = {}
    for part, column in (names or Names())._asdict().items():
        if column is None:
            continue
        state = column.__getstate__()
        values, rows = state["values"], state["rows"]
        if values.dtype.kind in ("O", "T"):
            listed = to_text(f"names of {part}", values.tolist())
            arrays[f"names.{part}.objects"] = np.array(listed)
        else:
            arrays[f"names.{part}"] = values
        if rows is not None:
            arrays[f"names.{part}.rows"] = rows
    return arrays


def names_of_arrays(arrays: Mapping[str, np.ndarray]) -> Names | None:
    """The names that :func:`names_as_arrays` took apart."""
    columns: list[NameColumn | None] = []
    for part in Names._fields:
        values = arrays.get(f"names.{part}")
        if f"names.{part}.objects" in arrays:
            values = as_objects(from_text(str(arrays[f"names.{part}.objects"])))
        rows = arrays.get(f"names.{part}.rows")
        columns.append(None if values is None else NameColumn(values, rows))
    return names_of(*columns)


def read_npz(path: str | Path, what: str) -> dict[str, np.ndarray]:
    """All arrays of a file.

    Raises
    ------
    ValueError
        If it is damaged or something else.
    """
    try:
        # np.load does not close a damaged file that it opened itself.
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no intact file of {what}: {error}") from error


def write_npz(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write all arrays of a file; one that is there is replaced when all is written."""
    with whole_file(path) as partial, open(partial, "wb") as file:
        np.savez(file, **arrays)


def check_version(path: str | Path, arrays: Mapping[str, Any], newest: int) -> None:
    """Refuse a file of a format that is not known yet."""
    version = int(arrays.get("format_version", 0))
    if not 1 <= version <= newest:
        raise ValueError(
            f"{path}: expected format version 1 to {newest}, got "
            f"{version or 'none'}; a newer skshake may have written it"
        )


def write_graphs(path: str | Path, parts: Mapping[str, Any]) -> None:
    """Write the fields of a GraphCollection."""
    arrays: dict[str, Any] = {"format_version": np.array(FORMAT_VERSION)}
    arrays |= {name: parts[name] for name in STRUCTURE}
    if parts["edge_weight"] is not None:
        arrays["edge_weight"] = parts["edge_weight"]
    for name in FEATURES:
        features: Features = parts[name]
        arrays[f"{name}.numeric"] = features.numeric
        arrays[f"{name}.categories"] = features.categories
        arrays[f"{name}.fields"] = np.array(json.dumps(features.fields))
    arrays |= names_as_arrays(parts["given_names"])
    write_npz(path, arrays)


def read_graphs(path: str | Path) -> dict[str, Any]:
    """Fields of the GraphCollection that :func:`write_graphs` wrote.

    Raises
    ------
    ValueError
        If the file is damaged, is something else, or comes from a newer release.
    """
    arrays = read_npz(path, "graphs")
    check_version(path, arrays, FORMAT_VERSION)
    try:
        parts: dict[str, Any] = {name: arrays[name] for name in STRUCTURE}
        for name in FEATURES:
            fields = json.loads(str(arrays[f"{name}.fields"]))
            parts[name] = Features(
                arrays[f"{name}.numeric"],
                arrays[f"{name}.categories"],
                tuple(Field(*field) for field in fields),
            )
    except KeyError as error:
        raise ValueError(f"{path} lacks the array {error}") from error
    parts["edge_weight"] = arrays.get("edge_weight")
    parts["given_names"] = names_of_arrays(arrays)
    return parts
