"""coarsen: contract the blocks of graphs, with features as ``fit`` learnt to pool them.

In: a collection and the block of each node. Out: the Level of the coarse graphs.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skshake.graphs import FLOAT, GraphCollection
from skshake.hierarchy._aggregation import Aggregation, as_aggregation
from skshake.hierarchy._categories import Vocabulary
from skshake.hierarchy._contraction import (
    CoarseEdges,
    contract_edges,
    count_blocks,
    number_blocks,
)
from skshake.hierarchy._level import Level, empty_pooled
from skshake.hierarchy._pooling import pool_features


class Pooling(NamedTuple):
    """How coarse nodes and edges get their features.

    Return probabilities of up to ``walk_length`` steps join those of input nodes. The
    centre is taken off numeric columns before float32 would lose their digits; it is
    empty if no column is that large. The logarithm of columns with a scale is taken
    before that; without any such column there are no scales.
    """

    node_pooling: str | Aggregation
    edge_pooling: str | Aggregation
    node_vocabulary: Vocabulary
    edge_vocabulary: Vocabulary
    walk_length: int = 0
    node_centre: tuple[float, ...] = ()
    edge_centre: tuple[float, ...] = ()
    node_log_scales: tuple[float, ...] = ()
    edge_log_scales: tuple[float, ...] = ()

    @property
    def key(self) -> int:
        """A number that tells poolings with other columns or categories apart."""
        names = [as_aggregation(p).name for p in (self.node_pooling, self.edge_pooling)]
        digest = hashlib.sha256(f"{' '.join(names)} {self.walk_length}".encode())
        for vocabulary in (self.node_vocabulary, self.edge_vocabulary):
            for codes in vocabulary.categories:
                digest.update(len(codes).to_bytes(8, "little") + codes.tobytes())
            digest.update(b"|")
        if self.node_centre or self.edge_centre:
            digest.update(repr((self.node_centre, self.edge_centre)).encode())
        if self.node_log_scales or self.edge_log_scales:
            scales = self.node_log_scales, self.edge_log_scales
            digest.update(repr(("logarithm", *scales)).encode())
        return int.from_bytes(digest.digest()[:7], "little")


def with_slots(graphs: GraphCollection, pooling: Pooling) -> GraphCollection:
    """The graphs with slots instead of categories, which is what is pooled."""
    known = pooling.node_vocabulary, pooling.edge_vocabulary
    nodes, edges = (
        replace(features, categories=vocabulary.slots_of(features.categories))
        for features, vocabulary in zip(
            (graphs.node_features, graphs.edge_features), known, strict=True
        )
    )
    return replace(graphs, node_features=nodes, edge_features=edges)


def coarsen(
    graphs: GraphCollection, q: float, block: np.ndarray, pooling: Pooling
) -> Level:
    """Contract each block of each graph into one coarse node.

    Categories are slots already, see :func:`with_slots`.
    """
    node_ptr = np.empty_like(graphs.node_ptr)
    count_blocks(graphs.node_ptr, block, node_ptr)
    # As long as the worst case: pages that are never written cost nothing.
    has_edge_features = bool(graphs.edge_features.n_columns)
    coarse = CoarseEdges(
        np.empty((graphs.n_edges, 2), np.int32),
        np.empty(graphs.n_edges, FLOAT),
        np.empty_like(graphs.edge_ptr),
        np.empty(graphs.n_edges * has_edge_features, np.int64),
    )
    contract_edges(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        graphs.kernel_weight,
        block,
        node_ptr,
        coarse,
    )
    n_nodes, n_edges = int(node_ptr[-1]), int(coarse.ptr[-1])
    edge_attr = empty_pooled(n_edges)
    if has_edge_features:
        edge_attr = pool_features(
            graphs.edge_features,
            coarse.of_edge,
            n_edges,
            as_aggregation(pooling.edge_pooling),
            pooling.edge_vocabulary.n_slots,
        )
    coarse_of_node = np.empty(graphs.n_nodes, np.int64)
    number_blocks(graphs.node_ptr, block, node_ptr, coarse_of_node)
    x = pool_features(
        graphs.node_features,
        coarse_of_node,
        n_nodes,
        as_aggregation(pooling.node_pooling),
        pooling.node_vocabulary.n_slots,
    )
    ends, weight = coarse.ends[:n_edges], coarse.weight[:n_edges]
    if 2 * n_edges < graphs.n_edges:
        # The rest has been written to, and would stay as long as they do.
        ends = ends.copy()
    return Level(q, node_ptr, coarse.ptr, ends, weight, x, edge_attr, block)
