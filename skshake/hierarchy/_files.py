"""Levels in plain npz files, without pickled objects, that can be memory-mapped.

In: the levels of a HierarchyCollection. Out: an uncompressed npz file, and back.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from skshake.graphs import (
    Names,
    check_version,
    names_as_arrays,
    names_of_arrays,
    read_npz,
    write_npz,
)
from skshake.hierarchy._level import Level, PooledFeatures

FORMAT_VERSION = 1
# Of a local file header in a zip archive: fixed size, then two lengths of what follows.
HEADER_SIZE, NAME_LENGTH, EXTRA_LENGTH = 30, slice(26, 28), slice(28, 30)

LEVEL_ARRAYS = ("node_ptr", "edge_ptr", "edges", "edge_weight", "block")
POOLED_ARRAYS = ("numeric", "indptr", "slots", "shares")


def level_arrays(level: Level) -> dict[str, np.ndarray]:
    """All arrays of a level by name."""
    arrays = {name: getattr(level, name) for name in LEVEL_ARRAYS}
    arrays["q"] = np.array(level.q)
    for field in ("x", "edge_attr"):
        pooled: PooledFeatures = getattr(level, field)
        arrays |= {f"{field}.{name}": getattr(pooled, name) for name in POOLED_ARRAYS}
        arrays[f"{field}.n_slots"] = np.array(pooled.n_slots)
    return arrays


def level_of_arrays(arrays: dict[str, np.ndarray]) -> Level:
    """The level that ``level_arrays`` took apart."""
    pooled = {
        field: PooledFeatures(
            numeric=arrays[f"{field}.numeric"],
            indptr=arrays[f"{field}.indptr"],
            slots=arrays[f"{field}.slots"],
            shares=arrays[f"{field}.shares"],
            n_slots=int(arrays[f"{field}.n_slots"]),
        )
        for field in ("x", "edge_attr")
    }
    return Level(
        q=float(arrays["q"]),
        node_ptr=arrays["node_ptr"],
        edge_ptr=arrays["edge_ptr"],
        edges=arrays["edges"],
        edge_weight=arrays["edge_weight"],
        x=pooled["x"],
        edge_attr=pooled["edge_attr"],
        block=arrays["block"],
    )


def write_levels(
    path: str | Path,
    node_ptr: np.ndarray,
    forests: tuple[tuple[Level, ...], ...],
    pooling_key: int,
    names: Names | None = None,
) -> None:
    """Write what a collection holds; a level that forests share is written once."""
    numbers: dict[int, int] = {}
    arrays: dict[str, Any] = {
        "format_version": np.array(FORMAT_VERSION),
        "pooling_key": np.array(pooling_key),
        "node_ptr": node_ptr,
        **names_as_arrays(names),
    }
    for levels in forests:
        for level in levels:
            if id(level) not in numbers:
                number = numbers[id(level)] = len(numbers)
                for name, array in level_arrays(level).items():
                    arrays[f"level{number}.{name}"] = array
    arrays["forests"] = np.array(
        [[numbers[id(level)] for level in levels] for levels in forests]
    )
    write_npz(path, arrays)


def _map_member(path: Path, member: zipfile.ZipInfo) -> np.ndarray:
    """Memory-map an array that is stored uncompressed in an npz file."""
    with open(path, "rb") as file:
        file.seek(member.header_offset)
        header = file.read(HEADER_SIZE)
        lengths = (header[NAME_LENGTH], header[EXTRA_LENGTH])
        file.seek(sum(int.from_bytes(n, "little") for n in lengths), 1)
        version = np.lib.format.read_magic(file)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran_order, dtype = read_header(file)
        if 0 in shape:
            return np.empty(shape, dtype)
        return np.memmap(
            path,
            dtype=dtype,
            mode="r",
            offset=file.tell(),
            shape=shape,
            order="F" if fortran_order else "C",
        )


def _read_arrays(path: Path, is_mapped: bool) -> dict[str, np.ndarray]:
    """All arrays of the file."""
    if not is_mapped:
        return read_npz(path, "hierarchies")
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                member.filename.removesuffix(".npy"): _map_member(path, member)
                for member in archive.infolist()
            }
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no intact file of hierarchies: {error}") from error


def read_levels(
    path: str | Path, *, is_mapped: bool
) -> tuple[np.ndarray, tuple[tuple[Level, ...], ...], int, Names | None]:
    """What :func:`write_levels` wrote: node_ptr, forests, pooling_key and names.

    Raises
    ------
    ValueError
        If the file is damaged, is something else, or comes from a newer release.
    """
    arrays = _read_arrays(Path(path), is_mapped)
    check_version(path, arrays, FORMAT_VERSION)
    try:
        forests = arrays["forests"]
        levels = [
            level_of_arrays(
                {
                    name.removeprefix(f"level{number}."): array
                    for name, array in arrays.items()
                    if name.startswith(f"level{number}.")
                }
            )
            for number in range(int(forests.max()) + 1)
        ]
        return (
            arrays["node_ptr"],
            tuple(tuple(levels[number] for number in row) for row in forests),
            int(arrays["pooling_key"]),
            names_of_arrays(arrays),
        )
    except KeyError as error:
        raise ValueError(f"{path} lacks the array {error}") from error
