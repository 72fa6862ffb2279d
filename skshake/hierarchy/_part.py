"""A part: one file of hierarchies, of which any row group is read by itself.

In: row groups, which are the levels of some consecutive graphs. Out: a file, and from
ranges of its bytes the same levels.

A row group has a section for each of its levels. A section is the content of a
safetensors file: all arrays of the level, and the offsets of the input nodes. Behind
all sections stand the graphs' sizes, names and targets as an npz file, then a footer:
JSON that says where everything is, its length, its checksum and the mark of the format.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

import skshake
from skshake._storage import Storage
from skshake.hierarchy._files import level_arrays, level_of_arrays
from skshake.hierarchy._level import Level

FORMAT = 1
MARK = b"SKSHAKE hierarchies\n"
# Behind the footer: its length and its checksum, then the mark.
TAIL = 8 + 4 + len(MARK)
INPUT_PTR = "input_node_ptr"


class Section(NamedTuple):
    """Where some bytes of a part are, and their checksum (CRC-32)."""

    offset: int
    size: int
    crc: int


class RowGroup(NamedTuple):
    """Consecutive graphs of a part that are read together.

    ``n_rows`` counts the coarse nodes and edges of each level, ``levels`` says where
    they are.
    """

    n_graphs: int
    n_nodes: int
    n_rows: list[int]
    levels: list[Section]


class Part(NamedTuple):
    """What the footer of a part says.

    Parameters
    ----------
    common : dict
        What all parts of a folder share.
    source : str
        What the part was made from.
    groups : list of RowGroup
    graphs : Section
        Sizes, names and targets of all graphs.
    digest : str
        SHA-256 of all sections.
    n_targets : int or None
        Columns of the targets, 0 for one per graph; None without targets.
    """

    common: dict[str, Any]
    source: str
    groups: list[RowGroup]
    graphs: Section
    digest: str
    n_targets: int | None

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return sum(group.n_graphs for group in self.groups)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "format": FORMAT,
            "version": skshake.__version__,
            **self._asdict(),
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Part:
        """The part of plain values.

        Raises
        ------
        ValueError
            If a newer release wrote them.
        """
        if found["format"] > FORMAT:
            raise ValueError(
                f"written by skshake {found['version']}, which is newer than this "
                f"({skshake.__version__}); update skshake"
            )
        groups = [
            RowGroup(n_graphs, n_nodes, n_rows, [Section(*each) for each in sections])
            for n_graphs, n_nodes, n_rows, sections in found["groups"]
        ]
        graphs = Section(*found["graphs"])
        return cls(
            found["common"],
            found["source"],
            groups,
            graphs,
            found["digest"],
            found["n_targets"],
        )


class _SectionWriter:
    """Writes sections one after the other, and knows where they are."""

    def __init__(self, file: Any) -> None:
        self._file, self._offset = file, 0
        self._digest = hashlib.sha256()

    def write(self, data: bytes) -> Section:
        section = Section(self._offset, len(data), zlib.crc32(data))
        self._file.write(data)
        self._digest.update(data)
        self._offset += len(data)
        return section

    def digest(self) -> str:
        return self._digest.hexdigest()


def write_part(
    file: Any,
    common: dict[str, Any],
    source: str,
    groups: Iterable[tuple[np.ndarray, list[Level]]],
    graphs: Mapping[str, Any],
) -> Part:
    """Write row groups as they come; equal content gives equal bytes.

    Parameters
    ----------
    file : binary file
    common : dict
        What all parts of a folder share.
    source : str
        What the part is made from.
    groups : iterable of (node_ptr, levels)
        Offsets of the input nodes, and levels that are distinct, of consecutive graphs.
    graphs : mapping of str to ndarray
        Sizes, names and targets of all graphs.

    Returns
    -------
    part : Part
    """
    writer = _SectionWriter(file)
    written = []
    for node_ptr, levels in groups:
        sections = [
            writer.write(save_arrays({INPUT_PTR: node_ptr, **level_arrays(level)}))
            for level in levels
        ]
        n_rows = [int(level.node_ptr[-1] + level.edge_ptr[-1]) for level in levels]
        n_graphs, n_nodes = len(node_ptr) - 1, int(node_ptr[-1])
        written.append(RowGroup(n_graphs, n_nodes, n_rows, sections))
    buffer = io.BytesIO()
    np.savez(buffer, **graphs)
    of_graphs = writer.write(buffer.getvalue())
    y = graphs.get("y")
    n_targets = None if y is None else sum(y.shape[1:])
    part = Part(common, source, written, of_graphs, writer.digest(), n_targets)
    footer = json.dumps(part.as_json()).encode()
    length, crc = len(footer), zlib.crc32(footer)
    file.write(footer + length.to_bytes(8, "little") + crc.to_bytes(4, "little") + MARK)
    return part


def read_footer(storage: Storage, name: str, size: int) -> Part:
    """What the footer of a part says.

    Raises
    ------
    ValueError
        If it is no part, or its footer is damaged; the file is named.
    """
    path = storage.path(name)
    if size < TAIL:
        raise ValueError(f"{path} is no part of hierarchies, or cut short")
    (tail,) = storage.read_ranges(name, [(size - TAIL, size)])
    length, crc = (int.from_bytes(tail[a:b], "little") for a, b in ((0, 8), (8, 12)))
    stop = size - TAIL
    if tail[12:] != MARK or length > stop:
        raise ValueError(f"{path} is no part of hierarchies, or cut short")
    (footer,) = storage.read_ranges(name, [(stop - length, stop)])
    if zlib.crc32(footer) != crc:
        raise ValueError(f"{path} was altered since it was written")
    try:
        return Part.from_json(json.loads(footer))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def check_part(storage: Storage, name: str, part: Part) -> None:
    """Compare all sections of a part with its digest.

    Raises
    ------
    ValueError
        If they differ; the file is named.
    """
    digest = hashlib.sha256()
    sections = [*(each for group in part.groups for each in group.levels), part.graphs]
    for section in sections:
        digest.update(_read(storage, name, [section])[0])
    if digest.hexdigest() != part.digest:
        raise ValueError(f"{storage.path(name)} was altered since it was written")


def read_levels_of_group(
    storage: Storage, name: str, sections: list[Section]
) -> list[tuple[np.ndarray, Level]]:
    """Offsets of the input nodes, and the level, of each section.

    Raises
    ------
    ValueError
        If bytes differ from what was written; the file is named.
    """
    found = []
    for data in _read(storage, name, sections):
        arrays = load_arrays(data)
        found.append((arrays.pop(INPUT_PTR), level_of_arrays(arrays)))
    return found


def read_graphs_of_part(
    storage: Storage, name: str, part: Part
) -> Mapping[str, np.ndarray]:
    """Sizes, names and targets of all graphs of a part; decoded when asked for."""
    (data,) = _read(storage, name, [part.graphs])
    found: Mapping[str, np.ndarray] = np.load(io.BytesIO(data), allow_pickle=False)
    return found


def _read(storage: Storage, name: str, sections: list[Section]) -> list[bytes]:
    """Bytes of sections, compared with their checksums."""
    ranges = [(each.offset, each.offset + each.size) for each in sections]
    found = storage.read_ranges(name, ranges)
    for data, section in zip(found, sections, strict=True):
        if len(data) != section.size or zlib.crc32(data) != section.crc:
            raise ValueError(
                f"{storage.path(name)} was altered since it was written, or cut short"
            )
    return found
