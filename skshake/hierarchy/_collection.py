"""HierarchyCollection: hierarchies of a list of graphs, in memory or in a folder.

In: levels as flat arrays. Out: a sequence for scikit-learn, and arrays for the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from skshake._allocator import give_freed_memory_back
from skshake.graphs import (
    GraphsLike,
    Names,
    as_graph_numbers,
    concatenate_names,
    items_of_column,
    names_of_graphs,
    offsets,
    rows_of,
)
from skshake.hierarchy._card import card_of_hierarchies
from skshake.hierarchy._files import read_levels, write_levels
from skshake.hierarchy._folder import HierarchyFolder
from skshake.hierarchy._graph_hierarchy import GraphHierarchy
from skshake.hierarchy._level import Level, concatenate_levels
from skshake.hierarchy._overlap import overlap_matrix

# Row groups of a folder that stand for all of them.
SPREAD_GROUPS = 64
# From so many input nodes on, memory is given back before parts are joined.
MANY_NODES = 250_000


@dataclass(frozen=True, eq=False)
class HierarchyCollection(Sequence):
    """Hierarchies of a list of graphs, one per graph and in their order.

    An integer gives a :class:`GraphHierarchy` view; a slice, an integer array or a
    boolean mask gives another collection, without a loop over graphs.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)
        Offsets of the input nodes of each graph.
    forests : tuple of tuple of Level
        Levels from fine to coarse, for each of the independent forests.
    pooling_key : int
        Tells features of another coarsener apart.
    given_names : Names or None, default=None
        What the user calls graphs and input nodes.
    """

    node_ptr: np.ndarray
    forests: tuple[tuple[Level, ...], ...]
    pooling_key: int
    given_names: Names | None = None

    def __post_init__(self) -> None:
        for level in self.levels:
            if len(level.node_ptr) != len(self.node_ptr):
                raise ValueError(
                    f"level q={level.q}: expected {len(self)} graphs, got "
                    f"{len(level.node_ptr) - 1}"
                )

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            return GraphHierarchy(self, range(len(self))[key])
        return self.take(as_graph_numbers(key, len(self)))

    def __repr__(self) -> str:
        qs = ", ".join(f"{q:.4g}" for q in self.q)
        return f"<HierarchyCollection of {len(self)} graphs at q = {qs}>"

    def _repr_html_(self) -> str:
        return card_of_hierarchies(self).to_html()

    @property
    def n_nodes(self) -> int:
        """Number of input nodes of all graphs."""
        return int(self.node_ptr[-1])

    @property
    def names(self) -> np.ndarray:
        """Name of each graph, its position if no other was given."""
        return names_of_graphs(self.given_names, len(self))

    @property
    def levels(self) -> tuple[Level, ...]:
        """Levels of the first forest, from fine to coarse."""
        return self.forests[0]

    @property
    def q(self) -> np.ndarray:
        """Resolution of each level, decreasing."""
        return np.array([level.q for level in self.levels])

    @property
    def n_forests(self) -> int:
        """Number of independent hierarchies per graph."""
        return len(self.forests)

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """Numeric columns and category slots of nodes, then of edges."""
        _, *widths = self.signature[1]
        return tuple(widths)

    @property
    def signature(self) -> tuple:
        """What two collections must share to go through one network."""
        return (
            self.pooling_key,
            *(
                (level.q, *level.x.widths, *level.edge_attr.widths)
                for level in self.levels
            ),
        )

    def first_forests(self, n_forests: int) -> HierarchyCollection:
        """Give the same graphs with at most so many of their forests.

        Parameters
        ----------
        n_forests : int
            The first of them are kept.

        Returns
        -------
        hierarchies : HierarchyCollection
        """
        return replace(self, forests=self.forests[:n_forests])

    def forests_as_graphs(self) -> HierarchyCollection:
        """Give all graphs of the first forest, then those of the second, as one forest.

        Returns
        -------
        hierarchies : HierarchyCollection of length n_forests * n_graphs
        """
        levels = tuple(
            concatenate_levels([*of_forests])
            for of_forests in zip(*self.forests, strict=True)
        )
        n_nodes = np.tile(np.diff(self.node_ptr), self.n_forests)
        return HierarchyCollection(offsets(n_nodes), (levels,), self.pooling_key)

    @property
    def n_rows(self) -> int:
        """Coarse nodes and edges of all levels, graphs and forests."""
        return sum(
            int(level.node_ptr[-1] + level.edge_ptr[-1])
            for levels in self.forests
            for level in levels
        )

    def take(self, graphs: np.ndarray) -> HierarchyCollection:
        """Choose the hierarchies of the given graphs, in that order.

        Parameters
        ----------
        graphs : int64 array of shape (n_chosen,)
            Positions, not negative; repeats are allowed.

        Returns
        -------
        chosen : HierarchyCollection
        """
        nodes, node_ptr = rows_of(self.node_ptr, graphs)
        # Forests may share a level (q = inf): gather each once, and share it again.
        distinct = {id(level): level for levels in self.forests for level in levels}
        taken = {key: level.take(graphs, nodes) for key, level in distinct.items()}
        forests = tuple(
            tuple(taken[id(level)] for level in levels) for levels in self.forests
        )
        names = self.given_names and self.given_names.take(graphs, nodes)
        return HierarchyCollection(node_ptr, forests, self.pooling_key, names)

    def save(self, path: str | Path) -> None:
        """Write to an uncompressed npz file without pickled objects.

        Parameters
        ----------
        path : str or Path
            File to write.
        """
        write_levels(
            path, self.node_ptr, self.forests, self.pooling_key, self.given_names
        )

    @classmethod
    def load(
        cls, path: str | Path, *, mmap_mode: str | None = None
    ) -> HierarchyCollection:
        """Read from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            File to read.
        mmap_mode : {None, "r"}, default=None
            "r" maps the arrays instead of reading them: nothing is loaded before it is
            used, and processes share the memory.

        Returns
        -------
        hierarchies : HierarchyCollection

        Raises
        ------
        ValueError
            If the file is damaged, is something else, or comes from a newer release.
        """
        return cls(*read_levels(path, is_mapped=mmap_mode is not None))

    @staticmethod
    def open(folder: str | Path, *, memory: int | None = None) -> StoredHierarchies:
        """Open a folder that :meth:`skshake.KFCoarsener.transform_to` wrote.

        Parameters
        ----------
        folder : str or Path
            A path, or a URL of a protocol that fsspec knows, such as "s3://...".
        memory : int or None, default=None
            Bytes that graphs may take in memory while a network is trained on them or
            predicts; larger collections go through in pieces. None takes two fifths of
            what is free when it matters. A number makes a training the same on machines
            with more memory and with less.

        Returns
        -------
        hierarchies : StoredHierarchies
            A collection that reads its graphs when they are needed.

        Raises
        ------
        FileNotFoundError
            If there is no such folder, or ``transform_to`` was not finished.
        ValueError
            If a part is missing, cut short, or none of this folder; it is named.
        """
        return StoredHierarchies(HierarchyFolder(folder), memory=memory)

    def _alone(self, position: int) -> tuple[HierarchyCollection, int]:
        """Give a collection whose levels are in memory, and a graph's place in it."""
        return self, position

    def overlap(self, fine: int, coarse: int, forest: int = 0) -> sparse.csr_array:
        """Shared input nodes of the blocks of two levels, over all graphs.

        Parameters
        ----------
        fine, coarse : int
            Levels, 0 is the finest.
        forest : int, default=0
            Which of the independent forests.

        Returns
        -------
        overlap : csr_array of shape (n_fine, n_coarse)
            Block diagonal: blocks of all graphs are numbered one after the other.
        """
        levels = self.forests[forest]
        return overlap_matrix(levels[fine], levels[coarse], self.node_ptr)


class StoredHierarchies(HierarchyCollection):
    """Hierarchies in a folder, read when they are needed; see ``open``.

    A slice, an integer array or a boolean mask gives another one, which reads nothing
    either. Estimators take it as any collection, in pieces where it would not fit into
    memory. Whatever else asks for levels as a whole has them all read at once, as
    :meth:`in_memory` does.

    Parameters
    ----------
    folder : HierarchyFolder
    rows : int64 array of shape (n_graphs,) or None, default=None
        Graphs of the folder, in any order; None for all.
    kept_forests : tuple of int or None, default=None
        Which of the forests there are; None for all.
    memory : int or None, default=None
        Bytes that graphs may take while a network has them.

    Attributes
    ----------
    y : ndarray of shape (n_graphs,) or (n_graphs, n_columns), or None
        Targets that the graphs were written with.
    """

    def __init__(
        self,
        folder: HierarchyFolder,
        rows: np.ndarray | None = None,
        kept_forests: tuple[int, ...] | None = None,
        memory: int | None = None,
    ) -> None:
        if kept_forests is None:
            kept_forests = tuple(range(folder.n_forests))
        vars(self).update(
            folder=folder, rows=rows, kept_forests=kept_forests, memory=memory
        )

    folder: HierarchyFolder
    rows: np.ndarray | None
    kept_forests: tuple[int, ...]
    memory: int | None

    def __getstate__(self) -> dict[str, Any]:
        """State without what was read."""
        names = ("folder", "rows", "kept_forests", "memory")
        return {name: vars(self)[name] for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __len__(self) -> int:
        return self.folder.n_graphs if self.rows is None else len(self.rows)

    @property
    def _numbers(self) -> np.ndarray:
        """Number of each graph in the folder."""
        return np.arange(len(self)) if self.rows is None else self.rows

    def _of_graphs(self, values: np.ndarray) -> np.ndarray:
        return values if self.rows is None else values[self.rows]

    @cached_property
    def node_ptr(self) -> np.ndarray:
        """Offsets of the input nodes of each graph."""
        return offsets(self._of_graphs(self.folder.n_nodes))

    @cached_property
    def y(self) -> np.ndarray | None:
        """Targets that the graphs were written with."""
        y = self.folder.y
        return None if y is None else self._of_graphs(y)

    @cached_property
    def given_names(self) -> Names | None:
        """What the user calls graphs and input nodes."""
        names = self.folder.names
        if names is None or self.rows is None:
            return names
        nodes, _ = rows_of(offsets(self.folder.n_nodes), self.rows)
        return names.take(self.rows, nodes)

    @property
    def pooling_key(self) -> int:
        """Tells features of another coarsener apart."""
        return self.folder.pooling_key

    @property
    def forests(self) -> tuple[tuple[Level, ...], ...]:
        """Levels of all graphs; they are read once, and stay in memory."""
        return self._loaded.forests

    @cached_property
    def _loaded(self) -> HierarchyCollection:
        return self.in_memory()

    @property
    def q(self) -> np.ndarray:
        """Resolution of each level, decreasing."""
        return np.array(self.folder.q)

    @property
    def n_forests(self) -> int:
        """Number of independent hierarchies per graph."""
        return len(self.kept_forests)

    @property
    def signature(self) -> tuple:
        """What two collections must share to go through one network."""
        widths = self.folder.widths
        levels = zip(self.folder.q, widths, strict=True)
        return self.pooling_key, *((q, *each) for q, each in levels)

    @property
    def n_rows(self) -> int:
        """Coarse nodes and edges of all levels and forests, about, of some graphs."""
        counts = self.folder.count_rows(self.kept_forests)
        return round(float(counts @ self._parts_of_groups()))

    @property
    def n_bytes(self) -> int:
        """Bytes in the folder, about, of some graphs."""
        counts = self.folder.count_bytes(self.kept_forests)
        return round(float(counts @ self._parts_of_groups()))

    @property
    def key(self) -> tuple:
        """What tells the content apart from that of other collections."""
        return self.folder.digest, self.rows, self.kept_forests

    def _parts_of_groups(self) -> np.ndarray:
        """How much of each row group belongs to the collection, 1 for all."""
        n_graphs = np.diff(self.folder.group_ptr)
        if self.rows is None:
            return np.ones(len(n_graphs))
        groups = self._find_groups(self.rows)
        return np.bincount(groups, minlength=len(n_graphs)) / n_graphs

    def _find_groups(self, numbers: np.ndarray) -> np.ndarray:
        """Row group of each graph of the folder."""
        return np.searchsorted(self.folder.group_ptr, numbers, side="right") - 1

    def split_groups(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Say which graphs are read together, in the order of the folder.

        Returns
        -------
        graphs : int64 array of shape (n_graphs,)
            Positions in the collection, those of one row group in turn.
        ptr : int64 array of shape (n_groups + 1,)
            Offsets of row groups of which there are graphs.
        n_bytes : float64 array of shape (n_groups,)
            Bytes in the folder of the graphs of each.
        """
        graphs = np.argsort(self._numbers, kind="stable")
        of_groups = self._find_groups(self._numbers[graphs])
        present, counts = np.unique(of_groups, return_counts=True)
        n_bytes = self.folder.count_bytes(self.kept_forests)[present]
        n_graphs = np.diff(self.folder.group_ptr)[present]
        return graphs, offsets(counts), n_bytes * counts / n_graphs

    def first_forests(self, n_forests: int) -> StoredHierarchies:
        """Give the same graphs with at most so many of their forests.

        Parameters
        ----------
        n_forests : int
            The first of them are kept.

        Returns
        -------
        hierarchies : StoredHierarchies
        """
        return self._with(self.rows, self.kept_forests[:n_forests])

    def one_forest(self, forest: int) -> StoredHierarchies:
        """Give the same graphs with one of their forests.

        Parameters
        ----------
        forest : int
            Its number.

        Returns
        -------
        hierarchies : StoredHierarchies
        """
        return self._with(self.rows, (self.kept_forests[forest],))

    def take(self, graphs: np.ndarray) -> StoredHierarchies:
        """Choose the hierarchies of the given graphs, in that order.

        Parameters
        ----------
        graphs : int64 array of shape (n_chosen,)
            Positions, not negative; repeats are allowed.

        Returns
        -------
        chosen : StoredHierarchies
        """
        return self._with(self._numbers[graphs], self.kept_forests)

    def _with(
        self, rows: np.ndarray | None, kept_forests: tuple[int, ...]
    ) -> StoredHierarchies:
        return StoredHierarchies(self.folder, rows, kept_forests, self.memory)

    def spread(self, n_graphs: int) -> np.ndarray:
        """Choose graphs all over the folder without reading much of it.

        Parameters
        ----------
        n_graphs : int
            About so many, or all if there are fewer.

        Returns
        -------
        graphs : int64 array
            Positions in the collection.
        """
        graphs, ptr, _ = self.split_groups()
        step = max(1, -(-(len(ptr) - 1) // SPREAD_GROUPS))
        chosen = np.concatenate(
            [graphs[ptr[g] : ptr[g + 1]] for g in range(0, len(ptr) - 1, step)]
        )
        return chosen[:: -(-len(chosen) // n_graphs)]

    def _alone(self, position: int) -> tuple[HierarchyCollection, int]:
        """Give a collection whose levels are in memory, and a graph's place in it."""
        return self.take(np.array([position])).in_memory(), 0

    def in_memory(self, *, with_names: bool = True) -> HierarchyCollection:
        """Read all graphs into memory.

        Parameters
        ----------
        with_names : bool, default=True
            Whether names of graphs and nodes are read too.

        Returns
        -------
        hierarchies : HierarchyCollection

        Raises
        ------
        ValueError
            If a part was altered or cut short; it is named.
        """
        numbers, ptr = self._numbers, self.folder.group_ptr
        order = np.argsort(numbers, kind="stable")
        of_groups = self._find_groups(numbers[order])
        groups, first = np.unique(of_groups, return_index=True)
        cuts = [*first.tolist(), len(order)]
        if not len(groups):
            groups, cuts = np.zeros(1, np.int64), [0, 0]
        parts = []
        found = self.folder.read(groups, self.kept_forests)
        for k, (node_ptr, forests) in enumerate(found):
            part = HierarchyCollection(node_ptr, forests, self.pooling_key)
            within = numbers[order[cuts[k] : cuts[k + 1]]] - ptr[groups[k]]
            is_whole = len(within) == len(part)
            if not (is_whole and (within == np.arange(len(part))).all()):
                part = part.take(within)
            parts.append(part)
        whole = concatenate_hierarchies(parts)
        if (np.diff(order) < 0).any():
            whole = whole.take(np.argsort(order, kind="stable"))
        return replace(whole, given_names=self.given_names) if with_names else whole


def concatenate_hierarchies(
    parts: list[HierarchyCollection], n_jobs: int | None = None
) -> HierarchyCollection:
    """Join collections of the same levels, graphs in order, levels in parallel.

    The list is emptied, so that of parts that nobody else holds each array is freed
    once it is joined. What was freed on the way to the parts goes back to the system
    first, since large arrays do not fit into its place.
    """
    first = parts[0]
    for part in parts:
        if part.signature != first.signature or part.n_forests != first.n_forests:
            raise ValueError(
                "hierarchies come from different coarseners: expected levels "
                f"{first.signature}, got {part.signature}"
            )
    if len(parts) == 1:
        return parts.pop()
    node_ptr = offsets(np.concatenate([np.diff(part.node_ptr) for part in parts]))
    names = concatenate_names(parts)
    pooling_key, n_forests = first.pooling_key, first.n_forests
    # Known by the parts' levels, a level that forests share is joined once.
    keys, distinct = [], {}
    for forest in range(n_forests):
        each = zip(*(part.forests[forest] for part in parts), strict=True)
        of_forest = {tuple(map(id, levels)): levels for levels in each}
        keys.append([*of_forest])
        distinct.update(of_forest)
    order = [*distinct]
    parts.clear()
    del first, part, each, of_forest
    if node_ptr[-1] >= MANY_NODES:
        give_freed_memory_back()
    joined = Parallel(n_jobs=n_jobs, backend="threading", pre_dispatch="n_jobs")(
        delayed(concatenate_levels)([*distinct.pop(key)]) for key in order
    )
    level_of = dict(zip(order, joined, strict=True))
    forests = tuple(tuple(level_of[key] for key in forest) for forest in keys)
    return HierarchyCollection(node_ptr, forests, pooling_key, names)


HierarchiesLike: TypeAlias = HierarchyCollection | Iterable[GraphHierarchy] | GraphsLike
"""Hierarchies of one coarsener, or graphs."""


def as_hierarchies(X: HierarchiesLike) -> HierarchyCollection | None:
    """Collection of a list of hierarchies; None if X is something else."""
    if isinstance(X, HierarchyCollection):
        return X
    X = items_of_column(X, "graphs")
    if not isinstance(X, (list, tuple, np.ndarray)) or not len(X):
        return None
    if not all(isinstance(item, GraphHierarchy) for item in X):
        return None
    collections = {id(item.collection): item.collection for item in X}
    parts = list(collections.values())
    first = offsets([len(part) for part in parts])[:-1]
    place = dict(zip(collections, first.tolist(), strict=True))
    numbers = [place[id(item.collection)] + item.position for item in X]
    return concatenate_hierarchies(parts).take(np.array(numbers))
