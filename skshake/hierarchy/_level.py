"""Level: all graphs of a collection at one resolution, as flat arrays.

In: arrays that a contraction made. Out: records of them, and the view of one graph.
``PooledFeatures`` holds numbers densely and category frequencies as CSR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from skshake.graphs import FLOAT, offsets, rows_of


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

    def rows(self, start: int, stop: int) -> PooledFeatures:
        """Features of consecutive rows, as views of the same memory."""
        indptr = self.indptr[start : stop + 1]
        entries = slice(indptr[0], indptr[-1])
        return PooledFeatures(
            self.numeric[start:stop],
            indptr - indptr[0],
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

    def block_sizes(self, input_node_ptr: np.ndarray) -> np.ndarray:
        """Number of input nodes of each coarse node, int64 of shape (n_nodes,)."""
        blocks = self.numbered_blocks(input_node_ptr)
        return np.bincount(blocks, minlength=int(self.node_ptr[-1]))

    def split(self, n_parts: int) -> list[Level]:
        """Levels of equally many consecutive graphs, all of the same input nodes."""
        n_graphs = (len(self.node_ptr) - 1) // n_parts
        n_nodes = len(self.block) // n_parts
        parts = []
        for k in range(n_parts):
            node_ptr = self.node_ptr[k * n_graphs : (k + 1) * n_graphs + 1]
            edge_ptr = self.edge_ptr[k * n_graphs : (k + 1) * n_graphs + 1]
            edges = slice(edge_ptr[0], edge_ptr[-1])
            parts.append(
                Level(
                    self.q,
                    node_ptr - node_ptr[0],
                    edge_ptr - edge_ptr[0],
                    self.edges[edges],
                    self.edge_weight[edges],
                    self.x.rows(node_ptr[0], node_ptr[-1]),
                    self.edge_attr.rows(edge_ptr[0], edge_ptr[-1]),
                    self.block[k * n_nodes : (k + 1) * n_nodes],
                )
            )
        return parts

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


@dataclass(frozen=True, eq=False)
class LevelView:
    """One graph at one q: a view that holds no data of its own."""

    level: Level
    position: int
    block: np.ndarray

    @property
    def _nodes(self) -> np.ndarray:
        ptr = self.level.node_ptr
        return np.arange(ptr[self.position], ptr[self.position + 1])

    @property
    def _edges(self) -> np.ndarray:
        ptr = self.level.edge_ptr
        return np.arange(ptr[self.position], ptr[self.position + 1])

    @property
    def q(self) -> float:
        """Resolution; larger is finer, ``inf`` is the input graph."""
        return self.level.q

    @property
    def n_nodes(self) -> int:
        """Number of coarse nodes."""
        return len(self._nodes)

    @property
    def edges(self) -> np.ndarray:
        """Coarse edges, int32 of shape (n_edges, 2)."""
        return self.level.edges[self._edges]

    @property
    def x(self) -> np.ndarray | sparse.csr_array | None:
        """Pooled node features (n_nodes, n_features); CSR frequencies of categories."""
        return self.level.x.take(self._nodes).as_matrix()

    @property
    def edge_attr(self) -> np.ndarray | sparse.csr_array | None:
        """Pooled edge features (n_edges, n_features); CSR frequencies of categories."""
        return self.level.edge_attr.take(self._edges).as_matrix()

    @property
    def edge_weight(self) -> np.ndarray:
        """Sum of the weights of the joined input edges, float32 (n_edges,)."""
        return self.level.edge_weight[self._edges]


def empty_pooled(n_rows: int) -> PooledFeatures:
    """Features without columns."""
    return PooledFeatures(
        np.empty((n_rows, 0), FLOAT),
        np.zeros(n_rows + 1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, FLOAT),
        0,
    )


def concatenate_pooled(parts: list[PooledFeatures]) -> PooledFeatures:
    """Stack pooled features of equal widths; the list is emptied, see ``_join``."""
    n_slots = parts[0].n_slots
    numeric, indptr, slots, shares = _join(
        parts, "numeric", "indptr", "slots", "shares"
    )
    return PooledFeatures(numeric, indptr, slots, shares, n_slots)


def concatenate_levels(parts: list[Level]) -> Level:
    """Join levels of one q, graphs in order; the list is emptied, see ``_join``."""
    q, x, edge_attr = parts[0].q, [p.x for p in parts], [p.edge_attr for p in parts]
    node_ptr, edge_ptr, edges, edge_weight, block = _join(
        parts, "node_ptr", "edge_ptr", "edges", "edge_weight", "block"
    )
    return Level(
        q,
        node_ptr,
        edge_ptr,
        edges,
        edge_weight,
        concatenate_pooled(x),
        concatenate_pooled(edge_attr),
        block,
    )


def _join(parts: list, *names: str) -> list[np.ndarray]:
    """Arrays of records, one after the other.

    The list is emptied: of records that nobody else holds, each array is freed once it
    is joined, so that there are never two copies of all.
    """
    columns = [[getattr(part, name) for part in parts] for name in reversed(names)]
    parts.clear()
    joined = []
    for name in names:
        arrays = columns.pop()
        if name.endswith("ptr"):
            joined.append(offsets(np.concatenate([np.diff(ptr) for ptr in arrays])))
        else:
            joined.append(np.concatenate(arrays))
    return joined
