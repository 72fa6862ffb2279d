"""HierarchyFolder: parts with hierarchies of one coarsener, and the index of all.

In: a folder that ``KFCoarsener.transform_to`` wrote. Out: what the index says of row
groups without reading them, and the levels of those that are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np

import skshake
from skshake._storage import Storage
from skshake._whole_file import PARTIAL
from skshake.graphs import Names, concatenate_names, names_of_arrays, offsets
from skshake.hierarchy._level import Level
from skshake.hierarchy._part import (
    FORMAT,
    Part,
    Section,
    read_graphs_of_part,
    read_levels_of_group,
)

INDEX = "index.json"
PREFIX, SUFFIX = "part-", ".skshake"
# Sections that are asked for at once: an object store answers in parallel.
MOST_SECTIONS = 32


def part_name(number: int) -> str:
    """Name of a part's file."""
    return f"{PREFIX}{number:05d}{SUFFIX}"


def is_part(name: str) -> bool:
    """Whether a file is called as parts are."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def describe_levels(
    pooling_key: int, q: Sequence[float], forests: list[list[int]], widths: list[tuple]
) -> dict[str, Any]:
    """What all parts of a folder share, as plain values.

    Parameters
    ----------
    pooling_key : int
    q : sequence of float
        Of the levels, decreasing.
    forests : list of list of int
        Numbers of the distinct levels that make each forest.
    widths : list of tuple
        Numeric columns and slots of nodes, then of edges, of each level.
    """
    return {
        "pooling_key": pooling_key,
        # JSON knows no infinity.
        "q": [None if np.isinf(each) else float(each) for each in q],
        "forests": forests,
        "widths": [list(each) for each in widths],
    }


def write_index(storage: Storage, parts: list[tuple[int, Part]]) -> None:
    """Write the index of parts, whose sizes in bytes are given with them."""
    listed = []
    for number, (size, part) in enumerate(parts):
        found = part.as_json()
        for name in ("format", "version", "common"):
            del found[name]
        listed.append({"name": part_name(number), "size": size, **found})
    content = {
        "format": FORMAT,
        "version": skshake.__version__,
        "common": parts[0][1].common,
        "parts": listed,
    }
    with storage.create(INDEX) as file:
        file.write(json.dumps(content).encode())


class _Named(NamedTuple):
    """Names of the graphs of a part, as ``concatenate_names`` takes them."""

    node_ptr: np.ndarray
    given_names: Names | None

    def __len__(self) -> int:
        return len(self.node_ptr) - 1


class HierarchyFolder:
    """Parts and what the index says of them; levels are read when asked for.

    Parameters
    ----------
    folder : str or Path
        A path or a URL.

    Attributes
    ----------
    group_ptr : int64 array of shape (n_groups + 1,)
        Offsets of the graphs of each row group, over all parts.

    Raises
    ------
    FileNotFoundError
        If there is no index: no such folder, or ``transform_to`` was not finished.
    ValueError
        If a part is missing, cut short, or none of the index; the file is named.
    """

    def __init__(self, folder: str | Path) -> None:
        self.storage = Storage(folder)
        sizes = self.storage.sizes()
        if INDEX not in sizes:
            raise FileNotFoundError(
                f"{self.storage.path(INDEX)} is not there: no folder of hierarchies, "
                "or KFCoarsener.transform_to was not finished (call it again: it goes "
                "on)"
            )
        content = self._read_index()
        self._common: dict[str, Any] = content["common"]
        self._names: list[str] = [each["name"] for each in content["parts"]]
        self._check_files(sizes, content["parts"])
        shared = {name: content[name] for name in ("format", "version", "common")}
        self.parts = [Part.from_json({**shared, **each}) for each in content["parts"]]
        self._groups = [
            (p, group) for p, part in enumerate(self.parts) for group in part.groups
        ]
        self.group_ptr = offsets([group.n_graphs for _, group in self._groups])

    def _read_index(self) -> dict[str, Any]:
        path = self.storage.path(INDEX)
        try:
            content: dict[str, Any] = json.loads(self.storage.read(INDEX))
            newer = content["format"] > FORMAT
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no index of hierarchies: {error}") from error
        if newer:
            raise ValueError(
                f"{path}: written by skshake {content['version']}, which is newer than "
                f"this ({skshake.__version__}); update skshake"
            )
        return content

    def _check_files(self, sizes: dict[str, int], listed: list[dict]) -> None:
        """Compare the files that are there with those of the index."""
        for each in listed:
            path = self.storage.path(each["name"])
            if each["name"] not in sizes:
                raise ValueError(f"{path} is missing")
            if sizes[each["name"]] != each["size"]:
                raise ValueError(
                    f"{path}: expected {each['size']} bytes, got "
                    f"{sizes[each['name']]}; it is cut short, or of another folder"
                )
        for name in sorted({*filter(is_part, sizes)} - {*self._names}):
            raise ValueError(
                f"{self.storage.path(name)} is none of the parts of the index; move "
                "it away"
            )

    @property
    def pooling_key(self) -> int:
        """Tells features of another coarsener apart."""
        return int(self._common["pooling_key"])

    @property
    def q(self) -> list[float]:
        """Resolutions, decreasing."""
        return [np.inf if each is None else each for each in self._common["q"]]

    @property
    def widths(self) -> list[tuple[int, ...]]:
        """Numeric columns and slots of nodes, then of edges, of each level."""
        return [tuple(each) for each in self._common["widths"]]

    @property
    def n_forests(self) -> int:
        """Number of independent hierarchies per graph."""
        return len(self._common["forests"])

    @property
    def n_graphs(self) -> int:
        """Number of graphs of all parts."""
        return int(self.group_ptr[-1])

    @cached_property
    def digest(self) -> str:
        """What tells the content apart from that of another folder."""
        found: str = joblib.hash([self._common, [part.digest for part in self.parts]])
        return found

    @cached_property
    def n_nodes(self) -> np.ndarray:
        """Number of input nodes of each graph."""
        return np.concatenate([arrays["n_nodes"] for arrays in self._read_graphs()])

    @cached_property
    def y(self) -> np.ndarray | None:
        """Targets of all graphs, None if they were written without."""
        if any(part.n_targets is None for part in self.parts):
            return None
        return np.concatenate([arrays["y"] for arrays in self._read_graphs()])

    @cached_property
    def names(self) -> Names | None:
        """What the user calls graphs and input nodes."""
        return concatenate_names(
            [
                _Named(offsets(arrays["n_nodes"]), names_of_arrays(arrays))
                for arrays in self._read_graphs()
            ]
        )

    def _read_graphs(self) -> Iterator[Mapping[str, np.ndarray]]:
        """Sizes, targets and names of the graphs of each part."""
        for name, part in zip(self._names, self.parts, strict=True):
            yield read_graphs_of_part(self.storage, name, part)

    def count_rows(self, forests: Sequence[int]) -> np.ndarray:
        """Coarse nodes and edges of each row group, in all levels of some forests."""
        listed = [k for forest in forests for k in self._common["forests"][forest]]
        return np.array(
            [sum(group.n_rows[k] for k in listed) for _, group in self._groups]
        )

    def count_bytes(self, forests: Sequence[int]) -> np.ndarray:
        """Bytes of each row group, levels that forests share counted once."""
        numbers = self._numbers(forests)
        return np.array(
            [sum(group.levels[k].size for k in numbers) for _, group in self._groups]
        )

    def _numbers(self, forests: Sequence[int]) -> list[int]:
        """Numbers of the distinct levels of some forests."""
        of_forests: list[list[int]] = self._common["forests"]
        return sorted({k for forest in forests for k in of_forests[forest]})

    def read(
        self, groups: np.ndarray, forests: Sequence[int]
    ) -> Iterator[tuple[np.ndarray, tuple[tuple[Level, ...], ...]]]:
        """Levels of row groups, one after the other.

        Parameters
        ----------
        groups : int64 array of shape (n_read,)
            Increasing.
        forests : sequence of int
            Those of which levels are read.

        Yields
        ------
        node_ptr : int64 array
            Offsets of the input nodes of each graph of a row group.
        forests : tuple of tuple of Level

        Raises
        ------
        ValueError
            If a part was altered or cut short; it is named.
        """
        numbers = self._numbers(forests)
        n_together = max(1, MOST_SECTIONS // len(numbers))
        pending: list[int] = []
        for g in groups.tolist():
            is_other = pending and self._groups[pending[-1]][0] != self._groups[g][0]
            if is_other or len(pending) == n_together:
                yield from self._read_together(pending, numbers, forests)
                pending = []
            pending.append(g)
        if pending:
            yield from self._read_together(pending, numbers, forests)

    def _read_together(
        self, groups: list[int], numbers: list[int], forests: Sequence[int]
    ) -> Iterator[tuple[np.ndarray, tuple[tuple[Level, ...], ...]]]:
        """Levels of row groups of one part, with one request."""
        sections: list[Section] = [
            self._groups[g][1].levels[k] for g in groups for k in numbers
        ]
        name = self._names[self._groups[groups[0]][0]]
        found = read_levels_of_group(self.storage, name, sections)
        found.reverse()
        for _ in groups:
            # A level that was handed out is not held here any more.
            of_group = {k: found.pop() for k in numbers}
            node_ptr = of_group[numbers[0]][0]
            yield (
                node_ptr,
                tuple(
                    tuple(of_group[k][1] for k in self._common["forests"][forest])
                    for forest in forests
                ),
            )
            del of_group


def remove_leftovers(storage: Storage, n_parts: int) -> None:
    """Remove what killed writers of finished parts have left behind."""
    finished = tuple(f"{part_name(number)}." for number in range(n_parts))
    for name in storage.sizes():
        if name.startswith(finished) and name.endswith(PARTIAL):
            storage.remove(name)
