"""Coarseners that cut graphs otherwise than by forests, into as many blocks."""

from __future__ import annotations

import numpy as np
import pymetis
from numba import njit

from skshake import GraphCollection, KFCoarsener
from skshake.graphs import with_return_probabilities
from skshake.hierarchy import HierarchyCollection, coarsen, with_slots


@njit(cache=True)
def match_neighbours(indptr, indices, order, wanted, block):
    """Join unmatched neighbours pairwise, as Graclus coarsens, down to a number."""
    n = len(order)
    block[:] = np.arange(n)
    n_blocks = n
    while n_blocks > wanted:
        is_matched = np.zeros(n, np.bool_)
        joined = 0
        for v in order:
            a = block[v]
            if is_matched[a]:
                continue
            for arc in range(indptr[v], indptr[v + 1]):
                b = block[indices[arc]]
                if b != a and not is_matched[b]:
                    for u in range(n):
                        if block[u] == b:
                            block[u] = a
                    is_matched[a] = is_matched[b] = True
                    n_blocks -= 1
                    joined += 1
                    break
            if n_blocks <= wanted:
                break
        if not joined:
            break


def _numbered(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def cut_graclus(
    indptr: np.ndarray, indices: np.ndarray, n_blocks: int, rng: np.random.Generator
) -> np.ndarray:
    """Greedy matching of neighbours in random order, repeated."""
    block = np.empty(len(indptr) - 1, np.int64)
    match_neighbours(indptr, indices, rng.permutation(len(block)), n_blocks, block)
    return _numbered(block)


def cut_metis(
    indptr: np.ndarray, indices: np.ndarray, n_blocks: int, rng: np.random.Generator
) -> np.ndarray:
    """Multilevel recursive bisection."""
    seed = pymetis.Options(seed=int(rng.integers(2**31)))
    adjacency = pymetis.CSRAdjacency(indptr, indices)
    parts = pymetis.part_graph(n_blocks, adjacency, recursive=True, options=seed)[1]
    return _numbered(np.asarray(parts))


def cut_randomly(
    indptr: np.ndarray, indices: np.ndarray, n_blocks: int, rng: np.random.Generator
) -> np.ndarray:
    """Every node in any block, none empty."""
    n = len(indptr) - 1
    labels = np.concatenate([np.arange(n_blocks), rng.integers(n_blocks, size=n)])[:n]
    return _numbered(rng.permutation(labels))


CUTS = {"graclus": cut_graclus, "metis": cut_metis, "random": cut_randomly}


class PartitionCoarsener(KFCoarsener):
    """KFCoarsener whose blocks come from another method, as many as it would have."""

    def __init__(self, *, cut="metis", n_forests="auto", random_state=None):
        super().__init__(n_forests=n_forests, random_state=random_state)
        self.cut = cut

    def _coarsen(self, graphs: GraphCollection, n_forests: int) -> HierarchyCollection:
        forests = super()._coarsen(graphs, n_forests)
        described = with_slots(
            with_return_probabilities(graphs, self._pooling.walk_length), self._pooling
        )
        levels = []
        for number, (level,) in enumerate(forests.forests):
            wanted = np.diff(level.node_ptr)
            blocks = []
            for g in range(len(graphs)):
                first, last = graphs.node_ptr[g : g + 2]
                indptr = graphs.arcs.indptr[first : last + 1]
                indices = graphs.arcs.indices[indptr[0] : indptr[-1]]
                rng = np.random.default_rng([number, int(graphs.fingerprints[g])])
                if wanted[g] in (0, 1, last - first):
                    n_nodes = int(last - first)
                    block = np.arange(n_nodes) * (wanted[g] == n_nodes)
                    blocks.append(block.astype(np.int32))
                    continue
                blocks.append(
                    CUTS[self.cut](indptr - indptr[0], indices, int(wanted[g]), rng)
                )
            block = np.concatenate(blocks)
            levels.append((coarsen(described, level.q, block, self._pooling),))
        return HierarchyCollection(graphs.node_ptr, tuple(levels), forests.pooling_key)
