"""Level: all graphs of a collection at one resolution, as flat arrays.

In: a collection and the block of each node. Out: coarse nodes and edges with pooled
features. ``PooledFeatures`` holds numbers densely and category frequencies as CSR.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from skshake.graphs import (
    FLOAT,
    Features,
    GraphCollection,
    loses_digits,
    offsets,
    rows_of,
)
from skshake.hierarchy._categories import Vocabulary
from skshake.hierarchy._pooling import (
    contract_edges,
    count_blocks,
    number_blocks,
    pool_categories,
    pool_numbers,
)


@dataclass(frozen=True, eq=False)
class PooledFeatures:
    """Features of coarse nodes or edges.

    Parameters
    ----------
    numeric : float32 array of shape (n_rows, n_numeric)
    indptr : int64 array of shape (n_rows + 1,)
    slots : int32 array of shape (n_entries,)
        Category slots of each row, sorted.
    shares : float32 array of shape (n_entries,)
        Their frequency (mean pooling) or count (sum pooling).
    n_slots : int
    """

    numeric: np.ndarray
    indptr: np.ndarray
    slots: np.ndarray
    shares: np.ndarray
    n_slots: int

    def __post_init__(self) -> None:
        if len(self.indptr) != len(self.numeric) + 1:
            raise ValueError(
                f"expected {len(self.numeric) + 1} offsets, got {len(self.indptr)}"
            )

    @property
    def widths(self) -> tuple[int, int]:
        """Numbers of numeric columns and of category slots."""
        return self.numeric.shape[1], self.n_slots

    def take(self, rows: np.ndarray) -> PooledFeatures:
        """Features of some rows."""
        entries, indptr = rows_of(self.indptr, rows)
        return PooledFeatures(
            self.numeric[rows],
            indptr,
            self.slots[entries],
            self.shares[entries],
            self.n_slots,
        )

    def as_matrix(self) -> np.ndarray | sparse.csr_array | None:
        """Dense numbers, or CSR (frequencies first) if there are categories."""
        shape = (len(self.numeric), self.n_slots)
        if self.widths == (0, 0):
            return None
        if not self.n_slots:
            return self.numeric
        shares = sparse.csr_array((self.shares, self.slots, self.indptr), shape)
        if not self.numeric.shape[1]:
            return shares
        return sparse.hstack([shares, sparse.csr_array(self.numeric)], format="csr")


@dataclass(frozen=True, eq=False)
class Level:
    """All graphs at one q.

    Parameters
    ----------
    q : float
        Resolution; larger is finer, ``inf`` is the input graph.
    node_ptr, edge_ptr : int64 arrays of shape (n_graphs + 1,)
        Coarse nodes and edges of each graph.
    edges : int32 array of shape (n_edges, 2)
        Coarse edges, ends numbered within their graph.
    edge_weight : float32 array of shape (n_edges,)
        Sum of the weights of the input edges that a coarse edge joins.
    x, edge_attr : PooledFeatures
    block : int32 array of shape (n_input_nodes,)
        Coarse node of each input node, numbered within the graph.
    """

    q: float
    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    edges: np.ndarray
    edge_weight: np.ndarray
    x: PooledFeatures
    edge_attr: PooledFeatures
    block: np.ndarray

    def numbered_blocks(self, input_node_ptr: np.ndarray) -> np.ndarray:
        """Block of each input node, numbered over the whole collection."""
        return self.block + np.repeat(self.node_ptr[:-1], np.diff(input_node_ptr))

    def take(self, graphs: np.ndarray, input_nodes: np.ndarray) -> Level:
        """Level of some graphs, given the rows of their input nodes."""
        nodes, node_ptr = rows_of(self.node_ptr, graphs)
        edges, edge_ptr = rows_of(self.edge_ptr, graphs)
        return Level(
            self.q,
            node_ptr,
            edge_ptr,
            self.edges[edges],
            self.edge_weight[edges],
            self.x.take(nodes),
            self.edge_attr.take(edges),
            self.block[input_nodes],
        )


class Pooling(NamedTuple):
    """How coarse nodes and edges get their features.

    Return probabilities of up to ``walk_length`` steps join those of input nodes. The
    centre is taken off numeric columns before float32 would lose their digits; it is
    empty if no column is that large.
    """

    node_pooling: str
    edge_pooling: str
    node_vocabulary: Vocabulary
    edge_vocabulary: Vocabulary
    walk_length: int = 0
    node_centre: tuple[float, ...] = ()
    edge_centre: tuple[float, ...] = ()

    @property
    def key(self) -> int:
        """A number that tells poolings with other columns or categories apart."""
        names = f"{self.node_pooling} {self.edge_pooling} {self.walk_length}"
        digest = hashlib.sha256(names.encode())
        for vocabulary in (self.node_vocabulary, self.edge_vocabulary):
            for codes in vocabulary.categories:
                digest.update(len(codes).to_bytes(8, "little") + codes.tobytes())
            digest.update(b"|")
        if self.node_centre or self.edge_centre:
            digest.update(repr((self.node_centre, self.edge_centre)).encode())
        return int.from_bytes(digest.digest()[:7], "little")


def learn_centre(features: Features) -> tuple[float, ...]:
    """Mean of each column that float32 would round, 0 for others; empty without any."""
    numeric = features.numeric
    if numeric.dtype == FLOAT or not len(numeric):
        return ()
    is_rounded = (numeric != numeric.astype(FLOAT)).any(axis=0)
    return tuple(np.where(is_rounded, numeric.mean(axis=0), 0.0).tolist())


def describe_rounded(features: Features, centre: tuple[float, ...]) -> list[str]:
    """What to say of columns that lose digits though their mean is taken off."""
    if not centre:
        return []
    exact = features.numeric - np.array(centre)
    is_lost = loses_digits(exact, exact.astype(FLOAT))
    numbers = [field for field in features.fields if not field.is_categorical]
    owners = [field.name for field in numbers for _ in range(field.width)]
    lost = sorted({name for name, lost in zip(owners, is_lost, strict=True) if lost})
    return [
        f"{name}: different numbers are one in float32, though the mean is taken off; "
        "give numbers of a smaller range, such as differences"
        for name in lost
    ]


def _subtract(features: Features, centre: tuple[float, ...]) -> Features:
    if features.numeric.dtype == FLOAT and not centre:
        return features
    numeric = features.numeric.astype(np.float64)
    if centre:
        numeric -= np.array(centre)
    return replace(features, numeric=numeric.astype(FLOAT))


def subtract_centre(graphs: GraphCollection, pooling: Pooling) -> GraphCollection:
    """The graphs with numbers in float32, less the learnt centre of their column."""
    nodes = _subtract(graphs.node_features, pooling.node_centre)
    edges = _subtract(graphs.edge_features, pooling.edge_centre)
    if nodes is graphs.node_features and edges is graphs.edge_features:
        return graphs
    return replace(graphs, node_features=nodes, edge_features=edges)


def pool_features(
    features: Features,
    segment: np.ndarray,
    n_segments: int,
    pooling: str,
    vocabulary: Vocabulary,
) -> PooledFeatures:
    """Mean or sum over the rows of each segment (-1 drops a row)."""
    is_mean = pooling == "mean"
    numeric = np.empty((n_segments, 0), FLOAT)
    if features.widths[0]:
        pooled = pool_numbers(features.numeric, segment, n_segments, is_mean)
        numeric = pooled.astype(FLOAT)
    indptr = np.zeros(n_segments + 1, np.int64)
    slots, shares = np.empty(0, np.int32), np.empty(0, FLOAT)
    if features.widths[1]:
        codes, tables = vocabulary.tables_for(features.categories)
        slots, shares = np.empty(codes.size, np.int32), np.empty(codes.size, FLOAT)
        pool_categories(
            codes, *tables, segment, n_segments, is_mean, indptr, slots, shares
        )
    n_entries = indptr[-1]
    return PooledFeatures(
        numeric, indptr, slots[:n_entries], shares[:n_entries], vocabulary.n_slots
    )


def coarsen(
    graphs: GraphCollection, q: float, block: np.ndarray, pooling: Pooling
) -> Level:
    """Contract each block of each graph into one coarse node."""
    node_ptr = np.empty_like(graphs.node_ptr)
    count_blocks(graphs.node_ptr, block, node_ptr)
    # Allocated for the worst case: pages that are never written cost nothing.
    edges = np.empty((graphs.n_edges, 2), np.int32)
    weight = np.empty(graphs.n_edges, FLOAT)
    edge_ptr = np.empty_like(graphs.edge_ptr)
    has_edge_features = bool(graphs.edge_features.n_columns)
    coarse_of_edge = np.empty(graphs.n_edges * has_edge_features, np.int64)
    contract_edges(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.arcs.indptr,
        graphs.arcs.indices,
        graphs.arcs.edge_of_arc,
        block,
        node_ptr,
        np.empty(0) if graphs.edge_weight is None else graphs.edge_weight,
        edges,
        weight,
        edge_ptr,
        coarse_of_edge,
    )
    n_nodes, n_edges = int(node_ptr[-1]), int(edge_ptr[-1])
    edge_attr = empty_pooled(n_edges)
    if has_edge_features:
        edge_attr = pool_features(
            graphs.edge_features,
            coarse_of_edge,
            n_edges,
            pooling.edge_pooling,
            pooling.edge_vocabulary,
        )
    coarse_of_node = np.empty(graphs.n_nodes, np.int64)
    number_blocks(graphs.node_ptr, block, node_ptr, coarse_of_node)
    x = pool_features(
        graphs.node_features,
        coarse_of_node,
        n_nodes,
        pooling.node_pooling,
        pooling.node_vocabulary,
    )
    return Level(
        q, node_ptr, edge_ptr, edges[:n_edges], weight[:n_edges], x, edge_attr, block
    )


def empty_pooled(n_rows: int) -> PooledFeatures:
    """Features without columns."""
    return PooledFeatures(
        np.empty((n_rows, 0), FLOAT),
        np.zeros(n_rows + 1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, FLOAT),
        0,
    )


def concatenate_pooled(parts: Sequence[PooledFeatures]) -> PooledFeatures:
    """Stack pooled features of equal widths."""
    return PooledFeatures(
        np.concatenate([part.numeric for part in parts]),
        offsets(np.concatenate([np.diff(part.indptr) for part in parts])),
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.shares for part in parts]),
        parts[0].n_slots,
    )


def concatenate_levels(parts: Sequence[Level]) -> Level:
    """Join levels of one q, graphs in order."""
    return Level(
        parts[0].q,
        offsets(np.concatenate([np.diff(part.node_ptr) for part in parts])),
        offsets(np.concatenate([np.diff(part.edge_ptr) for part in parts])),
        np.concatenate([part.edges for part in parts]),
        np.concatenate([part.edge_weight for part in parts]),
        concatenate_pooled([part.x for part in parts]),
        concatenate_pooled([part.edge_attr for part in parts]),
        np.concatenate([part.block for part in parts]),
    )
