"""GraphCollection: a list of undirected graphs as one set of flat arrays.

In: arrays that ``_convert`` has checked. Out: CSR arcs, degrees and fingerprints for
the kernels, and light views of single graphs for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from skshake._splitmix import hash_rows
from skshake.graphs._arcs import arcs_of_edges, sum_degrees
from skshake.graphs._card import card_of_graphs
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    Features,
    build_features,
    concatenate_features,
    copy_read_only,
    empty_features,
)
from skshake.graphs._files import read_graphs, write_graphs
from skshake.graphs._fingerprint import hash_weights
from skshake.graphs._names import (
    NameColumn,
    NamedView,
    Names,
    join_names,
    names_of,
    names_of_graphs,
    positions,
)
from skshake.graphs._ragged import as_graph_numbers, offsets, rows_of

# Degrees up to which each is a category of its own, and bins per doubling above.
EXACT_DEGREES, BINS_PER_OCTAVE = 32, 8


class Arcs(NamedTuple):
    """Symmetric CSR adjacency of all graphs, two arcs per edge.

    Parameters
    ----------
    indptr : int64 array of shape (n_nodes + 1,)
        Offsets of each node's arcs.
    indices : int32 array of shape (n_arcs,)
        Neighbours, numbered within their graph.
    edge_of_arc : int32 array of shape (n_arcs,)
        Edge of each arc, numbered within its graph; empty if edges have neither
        features nor weights.
    """

    indptr: np.ndarray
    indices: np.ndarray
    edge_of_arc: np.ndarray


class Structure(NamedTuple):
    """Graphs without their features, as kernels take them.

    ``node_ptr``, ``edge_ptr`` int64 (n_graphs + 1,); then :class:`Arcs`; then
    ``edge_weight`` float64 (n_edges,), empty if all are 1.
    """

    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    edge_of_arc: np.ndarray
    edge_weight: np.ndarray


def arcs_from_edges(
    node_ptr: np.ndarray,
    edge_ptr: np.ndarray,
    edges: np.ndarray,
    *,
    numbers_edges: bool = True,
) -> Arcs:
    """CSR arcs of sorted undirected edges, with the edge of each arc if wanted."""
    node_ptr, edge_ptr, edges = (
        np.require(array, requirements="W") for array in (node_ptr, edge_ptr, edges)
    )
    arcs = Arcs(
        np.empty(node_ptr[-1] + 1, np.int64),
        np.empty(2 * len(edges), np.int32),
        np.empty(2 * len(edges) * numbers_edges, np.int32),
    )
    arcs_of_edges(node_ptr, edge_ptr, edges, *arcs)
    return arcs


@dataclass(frozen=True, eq=False)
class GraphCollection(Sequence):
    """A list of undirected graphs, held as flat arrays with offsets.

    Make one with :func:`skshake.as_graphs`. It is a sequence: an integer gives a
    light :class:`Graph` view, a slice, an integer array or a boolean mask gives
    another collection, without a loop over graphs. Names that users gave to graphs
    (``names``) and nodes (``graph.node_names``) come along.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)
        Nodes ``node_ptr[i]`` to ``node_ptr[i + 1]`` belong to graph i.
    edge_ptr : int64 array of shape (n_graphs + 1,)
        The same for edges.
    edges : int32 array of shape (n_edges, 2)
        Each undirected edge once, ends numbered within their graph, first < second,
        sorted within each graph.
    node_features : Features
        One row per node.
    edge_features : Features
        One row per edge.
    edge_weight : float64 array of shape (n_edges,) or None
        Positive weights; None when every edge weighs 1.
    given_names : Names or None, default=None
        What the user calls graphs and nodes; nothing that is computed depends on it.
    """

    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    edges: np.ndarray
    node_features: Features
    edge_features: Features
    edge_weight: np.ndarray | None
    given_names: Names | None = None

    def __post_init__(self) -> None:
        copy_read_only(self, "node_ptr", "edge_ptr", "edges", "edge_weight")
        of_graphs, of_nodes = self.given_names or (None, None)
        for name, rows, expected in (
            ("node_features", len(self.node_features), self.n_nodes),
            ("edges", len(self.edges), self.n_edges),
            ("edge_features", len(self.edge_features), self.n_edges),
            ("names", len(self if of_graphs is None else of_graphs), len(self)),
            (
                "node_names",
                self.n_nodes if of_nodes is None else len(of_nodes),
                self.n_nodes,
            ),
        ):
            if rows != expected:
                raise ValueError(f"{name}: expected {expected} rows, got {rows}")

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            return Graph(self, range(len(self))[key])
        if isinstance(key, slice) and key.step in (None, 1):
            start, stop, _ = key.indices(len(self))
            return self._range(start, max(start, stop))
        return self.take(as_graph_numbers(key, len(self)))

    def __repr__(self) -> str:
        return (
            f"<GraphCollection of {len(self)} graphs: {self.n_nodes} nodes, "
            f"{self.n_edges} edges, {self.node_features.n_columns} node and "
            f"{self.edge_features.n_columns} edge features>"
        )

    def _repr_html_(self) -> str:
        return card_of_graphs(self).to_html()

    def __getstate__(self) -> dict[str, Any]:
        """State without what can be derived, so that pickles stay small."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all graphs."""
        return int(self.node_ptr[-1])

    @property
    def n_edges(self) -> int:
        """Number of undirected edges of all graphs."""
        return int(self.edge_ptr[-1])

    @property
    def names(self) -> np.ndarray:
        """Name of each graph, its position if no other was given.

        Ids of several columns of a table are tuples.
        """
        return names_of_graphs(self.given_names, len(self))

    @cached_property
    def arcs(self) -> Arcs:
        """Symmetric CSR adjacency, built when first asked for."""
        has_edge_data = self.edge_features.n_columns or self.edge_weight is not None
        return arcs_from_edges(
            self.node_ptr, self.edge_ptr, self.edges, numbers_edges=bool(has_edge_data)
        )

    @property
    def structure(self) -> Structure:
        """Nodes, arcs and weights, for kernels."""
        return Structure(self.node_ptr, self.edge_ptr, *self.arcs, self.kernel_weight)

    @property
    def kernel_weight(self) -> np.ndarray:
        """Weights as kernels take them: float64 (n_edges,), empty if all are 1."""
        return np.empty(0) if self.edge_weight is None else self.edge_weight

    @property
    def degrees(self) -> np.ndarray:
        """Weighted degree of each node, float64 of shape (n_nodes,)."""
        if self.edge_weight is None and "arcs" in self.__dict__:
            return np.diff(self.arcs.indptr).astype(np.float64)
        degrees = np.empty(self.n_nodes)
        sum_degrees(
            self.node_ptr, self.edge_ptr, self.edges, self.kernel_weight, degrees
        )
        return degrees

    @cached_property
    def fingerprints(self) -> np.ndarray:
        """One uint64 per graph that depends on its content alone."""
        fingerprints = np.zeros(len(self), np.uint64)
        hash_rows(self.edge_ptr, self.edges.view(np.uint32), fingerprints)
        for ptr, features in (
            (self.node_ptr, self.node_features),
            (self.edge_ptr, self.edge_features),
        ):
            hash_rows(ptr, features.categories.view(np.uint32), fingerprints)
            numeric = features.numeric.astype(FLOAT, copy=False)
            hash_rows(ptr, numeric.view(np.uint32), fingerprints)
        if self.edge_weight is not None:
            hash_weights(self.edge_ptr, self.edge_weight, fingerprints)
        return fingerprints

    @property
    def numbered_ends(self) -> np.ndarray:
        """Ends of the edges, nodes numbered over the whole collection."""
        first_node = np.repeat(self.node_ptr[:-1], np.diff(self.edge_ptr))
        return self.edges + first_node[:, None]

    @cached_property
    def components(self) -> np.ndarray:
        """Connected component of each node, numbered over the whole collection."""
        u, v = self.numbered_ends.T
        ones = np.ones(self.n_edges, np.int8)
        adjacency = sparse.coo_array((ones, (u, v)), shape=(self.n_nodes,) * 2)
        return connected_components(adjacency, directed=False)[1]

    def take(self, graphs: np.ndarray) -> GraphCollection:
        """Choose the given graphs, in that order.

        Parameters
        ----------
        graphs : int64 array of shape (n_chosen,)
            Positions, not negative; repeats are allowed.

        Returns
        -------
        chosen : GraphCollection
        """
        nodes, node_ptr = rows_of(self.node_ptr, graphs)
        edges, edge_ptr = rows_of(self.edge_ptr, graphs)
        return GraphCollection(
            node_ptr,
            edge_ptr,
            self.edges[edges],
            self.node_features.take(nodes),
            self.edge_features.take(edges),
            None if self.edge_weight is None else self.edge_weight[edges],
            self.given_names and self.given_names.take(graphs, nodes),
        )

    def save(self, path: str | Path) -> None:
        """Write graphs and their names to an npz file without pickled objects.

        Parameters
        ----------
        path : str or Path
            File to write.

        Raises
        ------
        TypeError
            If a name is no number, text, date, or tuple of these.
        FileNotFoundError
            If there is no folder to write to.
        """
        write_graphs(path, self.__getstate__())

    @classmethod
    def load(cls, path: str | Path) -> GraphCollection:
        """Read graphs from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            File to read. It is data: reading it runs no code, whoever made it.

        Returns
        -------
        graphs : GraphCollection

        Raises
        ------
        ValueError
            If the file is damaged, is something else, or comes from a newer release.
        """
        return cls(**read_graphs(path))

    def with_node_features(self, features: Features) -> GraphCollection:
        """Give the same graphs other node features, sharing what is derived of edges.

        Parameters
        ----------
        features : Features
            One row per node.

        Returns
        -------
        graphs : GraphCollection
        """
        graphs = replace(self, node_features=features)
        for name in ("arcs", "components"):
            if name in self.__dict__:
                graphs.__dict__[name] = self.__dict__[name]
        return graphs

    def as_writable(self) -> GraphCollection:
        """Give the same graphs in arrays that can be written.

        Returns
        -------
        graphs : GraphCollection
        """
        return replace(
            self,
            node_features=replace(self.node_features),
            edge_features=replace(self.edge_features),
        )

    def _range(self, start: int, stop: int) -> GraphCollection:
        """Collection of consecutive graphs, as views of the same memory."""
        nodes = slice(self.node_ptr[start], self.node_ptr[stop])
        edges = slice(self.edge_ptr[start], self.edge_ptr[stop])
        return GraphCollection(
            self.node_ptr[start : stop + 1] - self.node_ptr[start],
            self.edge_ptr[start : stop + 1] - self.edge_ptr[start],
            self.edges[edges],
            self.node_features.take(nodes),
            self.edge_features.take(edges),
            None if self.edge_weight is None else self.edge_weight[edges],
            self.given_names and self.given_names.take(slice(start, stop), nodes),
        )


@dataclass(frozen=True, eq=False)
class Graph(NamedView):
    """One graph of a collection: a view that holds no data of its own.

    Parameters
    ----------
    collection : GraphCollection
        The collection.
    position : int
        Number of the graph in it.
    """

    collection: GraphCollection
    position: int

    def __repr__(self) -> str:
        return f"<Graph with {self.n_nodes} nodes and {len(self.edges)} edges>"

    @property
    def _nodes(self) -> slice:
        ptr = self.collection.node_ptr
        return slice(ptr[self.position], ptr[self.position + 1])

    @property
    def _edges(self) -> slice:
        ptr = self.collection.edge_ptr
        return slice(ptr[self.position], ptr[self.position + 1])

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self._nodes.stop - self._nodes.start)

    @property
    def edges(self) -> np.ndarray:
        """Undirected edges, int32 of shape (n_edges, 2)."""
        return self.collection.edges[self._edges]

    @property
    def x(self) -> np.ndarray | None:
        """Node features of shape (n_nodes, n_features), None without features."""
        return self.node_features.as_array()

    @property
    def node_features(self) -> Features:
        """Node features with their fields."""
        return self.collection.node_features.take(self._nodes)

    @property
    def edge_features(self) -> Features:
        """Edge features with their fields."""
        return self.collection.edge_features.take(self._edges)

    @property
    def edge_attr(self) -> np.ndarray | None:
        """Edge features of shape (n_edges, n_features), None without features."""
        return self.edge_features.as_array()

    @property
    def edge_weight(self) -> np.ndarray:
        """Edge weights of shape (n_edges,)."""
        if self.collection.edge_weight is None:
            return np.ones(len(self.edges))
        return self.collection.edge_weight[self._edges]


def concatenate_graphs(parts: Sequence[GraphCollection]) -> GraphCollection:
    """Join collections whose features have the same fields."""
    is_weighted = any(part.edge_weight is not None for part in parts)
    weights = [
        np.ones(part.n_edges) if part.edge_weight is None else part.edge_weight
        for part in parts
    ]
    return GraphCollection(
        offsets(np.concatenate([np.diff(part.node_ptr) for part in parts])),
        offsets(np.concatenate([np.diff(part.edge_ptr) for part in parts])),
        np.concatenate([part.edges for part in parts]),
        concatenate_features([part.node_features for part in parts]),
        concatenate_features([part.edge_features for part in parts]),
        np.concatenate(weights) if is_weighted else None,
        concatenate_names(parts),
    )


def concatenate_names(parts: Sequence[Any]) -> Names | None:
    """Names of all collections in turn; what has none among others is numbered."""
    given = [part.given_names or Names() for part in parts]
    columns: list[NameColumn | None] = [None, None]
    if any(names.graphs is not None for names in given):
        columns[0] = join_names(
            [(n.graphs, np.arange(len(p))) for n, p in zip(given, parts, strict=True)]
        )
    if any(names.nodes is not None for names in given):
        columns[1] = join_names(
            [
                (n.nodes, positions(p.node_ptr))
                for n, p in zip(given, parts, strict=True)
            ]
        )
    return names_of(*columns)


def bin_degrees(degree: np.ndarray) -> np.ndarray:
    """Bin of each degree: itself, rounded, and above 32 one of eight per doubling."""
    bins = np.where(
        degree < EXACT_DEGREES,
        np.round(degree),
        EXACT_DEGREES
        + np.round(BINS_PER_OCTAVE * np.log2(np.maximum(degree, 1) / EXACT_DEGREES)),
    )
    return bins.astype(CATEGORY)


def with_degree_feature(graphs: GraphCollection) -> GraphCollection:
    """Give graphs without node features their weighted degree d, twice.

    As the number log(1 + d), and as a category, whose frequencies in a block are a
    histogram: d rounded, and above 32 in eight bins per doubling.
    """
    degree = graphs.degrees
    columns = [
        ("degree", np.log1p(degree).astype(FLOAT)[:, None], False),
        ("degree_bin", bin_degrees(degree)[:, None], True),
    ]
    features = build_features(columns, graphs.n_nodes)
    return graphs.with_node_features(features)


def without_features(graphs: GraphCollection) -> GraphCollection:
    """The same graphs with their structure and weights alone."""
    return replace(
        graphs,
        node_features=empty_features(graphs.n_nodes),
        edge_features=empty_features(graphs.n_edges),
    )


def chunk_bounds(graphs: GraphCollection, n_chunks: int) -> np.ndarray:
    """Cut graphs into consecutive chunks of about equally many nodes and edges.

    Parameters
    ----------
    graphs : GraphCollection
    n_chunks : int

    Returns
    -------
    bounds : int64 array of shape (n_bounds,)
        Increasing, from 0 to the number of graphs; fewer chunks where graphs are few.
    """
    size = np.diff(graphs.node_ptr) + np.diff(graphs.edge_ptr)
    done = np.concatenate([[0], np.cumsum(size)])
    cuts = np.searchsorted(done, np.linspace(0, done[-1], n_chunks + 1))
    cuts[0], cuts[-1] = 0, len(graphs)
    return np.unique(cuts)
