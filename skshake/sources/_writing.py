"""Folders of hierarchies: one task of joblib for each part.

In: a fitted coarsener and sources. Out: files. A task carries a source and the name of
a file, and gives back what the file's footer says.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sized
from itertools import pairwise
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib import delayed

from skshake._callbacks import CALLBACK_ATTRIBUTES
from skshake._chunks import coarsen_chunk
from skshake._parallel import run_in_parallel
from skshake._progress import tqdm
from skshake._storage import Storage
from skshake.forests import check_edge_weight
from skshake.graphs import (
    GraphCollection,
    InvalidGraphError,
    as_graphs,
    names_as_arrays,
)
from skshake.hierarchy import (
    HierarchyCollection,
    Level,
    Part,
    check_part,
    describe_levels,
    is_part,
    part_name,
    read_footer,
    remove_leftovers,
    write_index,
    write_part,
)
from skshake.sources._sources import (
    as_described,
    cut_collection,
    describe_source,
    find_sources,
    name_source,
    read_source,
)

# Nodes and edges of the input graphs of a row group, of which a level takes about 1 MB.
GROUP_ROWS = 16_384


def write_folder(
    coarsener: Any, folder: str | Path, sources: Any, y: Any = None
) -> None:
    """Write hierarchies of all sources; see ``KFCoarsener.transform_to``."""
    storage = Storage(folder)
    storage.make()
    sizes = storage.sizes()
    found, graphs = find_sources(sources)
    if found is None:
        rule = coarsener.categorical_features
        read = read_source((as_graphs(graphs, categorical_features=rule), y), rule)
        found = cut_collection(*read)
    elif y is not None:
        raise ValueError(
            "y: sources bring their own targets, as (graphs, y) or a Bunch"
        )
    task = _PartTask(coarsener, storage)
    parts = run_in_parallel(
        (
            delayed(task)(source, part_name(number), sizes.get(part_name(number)))
            for number, source in enumerate(found)
        ),
        coarsener.n_jobs,
    )
    total = len(found) if isinstance(found, Sized) else None
    progress = tqdm(parts, "parts", total=total, disable=not coarsener.verbose)
    written = list(progress)
    _check_all(storage, written, sizes)
    write_index(storage, written)
    remove_leftovers(storage, len(written))


def _check_all(
    storage: Storage, written: list[tuple[int, Part]], sizes: Mapping[str, int]
) -> None:
    """Refuse parts that do not belong together."""
    if not written:
        raise ValueError("sources: expected at least one, got none")
    names = [part_name(number) for number in range(len(written))]
    for name in sorted({*filter(is_part, sizes)} - {*names}):
        raise ValueError(
            f"{storage.path(name)} is there, but there are {len(written)} sources; "
            "move it away"
        )
    first = written[0][1]
    for name, (_, part) in zip(names, written, strict=True):
        if part.n_targets != first.n_targets:
            raise ValueError(
                f"{storage.path(name)}: expected targets as in the first part, "
                f"{_describe_targets(first.n_targets)}, got "
                f"{_describe_targets(part.n_targets)}"
            )


def _describe_targets(n_targets: int | None) -> str:
    if n_targets is None:
        return "none"
    return f"{n_targets} columns" if n_targets else "one per graph"


class _PartTask:
    """Writes a part, unless it is there.

    Parameters
    ----------
    coarsener : KFCoarsener
    storage : Storage
    """

    def __init__(self, coarsener: Any, storage: Storage) -> None:
        self.storage = storage
        self.qs, self.seed = coarsener.q_, coarsener._seed
        self.n_forests = coarsener._n_forests_now
        self.pooling, self.rule = coarsener._pooling, coarsener.categorical_features
        # It goes to workers without callbacks, which may hold anything.
        self.coarsener = copy.copy(coarsener)
        for attribute in CALLBACK_ATTRIBUTES:
            vars(self.coarsener).pop(attribute, None)
        self.coarsener_key: str = joblib.hash(
            [self.qs, self.seed, self.n_forests, self.pooling.key]
        )

    def __call__(self, source: Any, name: str, size: int | None) -> tuple[int, Part]:
        """Size in bytes, and footer, of the part."""
        source = as_described(source, self.rule)
        described = describe_source(source)
        if size is not None:
            return size, self._check_finished(name, size, described)
        given = read_source(source, self.rule)
        try:
            graphs = self.coarsener._match_features(given.graphs)
            check_edge_weight(graphs, self.qs)
        except InvalidGraphError as error:
            raise name_source(error, source) from error
        arrays = {"n_nodes": np.diff(graphs.node_ptr)}
        arrays |= names_as_arrays(given.graphs.given_names)
        if given.y is not None:
            arrays["y"] = given.y
        with self.storage.create(name) as file:
            part = write_part(
                file, self._common(graphs), described, self._groups(graphs), arrays
            )
            size = file.tell()
        return size, part

    def _check_finished(self, name: str, size: int, source: str) -> Part:
        """Footer of a part that is there, if it is what would be written."""
        part = read_footer(self.storage, name, size)
        path = self.storage.path(name)
        if part.common["coarsener"] != self.coarsener_key:
            raise ValueError(f"{path} is of another coarsener; choose another folder")
        if part.source != source:
            raise ValueError(
                f"{path} was made from {part.source}, but the source is now {source}; "
                "remove the file to write it again"
            )
        check_part(self.storage, name, part)
        return part

    def _coarsen(self, graphs: GraphCollection) -> HierarchyCollection:
        return coarsen_chunk(graphs, self.qs, self.seed, self.n_forests, self.pooling)

    def _common(self, graphs: GraphCollection) -> dict[str, Any]:
        """What all parts of the folder share, from no graph at all."""
        empty = self._coarsen(graphs[:0])
        _, numbers = _distinct_levels(empty)
        signature = empty.signature
        common = describe_levels(
            empty.pooling_key, self.qs, numbers, [each[1:] for each in signature[1:]]
        )
        return {**common, "coarsener": self.coarsener_key}

    def _groups(
        self, graphs: GraphCollection
    ) -> Iterator[tuple[np.ndarray, list[Level]]]:
        """Row groups, coarsened one after the other."""
        rows = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)
        for start, stop in pairwise(_cut_rows(rows)):
            hierarchies = self._coarsen(graphs[start:stop])
            yield hierarchies.node_ptr, _distinct_levels(hierarchies)[0]


def _cut_rows(rows: np.ndarray) -> list[int]:
    """Bounds of consecutive graphs, of at most so many rows but for a large graph."""
    bounds, n_rows = [0], 0
    for i, n in enumerate(rows.tolist()):
        if n_rows and n_rows + n > GROUP_ROWS:
            bounds.append(i)
            n_rows = 0
        n_rows += n
    return [*bounds, len(rows)] if len(rows) else bounds


def _distinct_levels(
    hierarchies: HierarchyCollection,
) -> tuple[list[Level], list[list[int]]]:
    """Levels, those that forests share once, and their numbers in each forest."""
    numbers: dict[int, int] = {}
    levels: list[Level] = []
    for forest in hierarchies.forests:
        for level in forest:
            if id(level) not in numbers:
                numbers[id(level)] = len(levels)
                levels.append(level)
    listed = [[numbers[id(level)] for level in f] for f in hierarchies.forests]
    return levels, listed
