"""Hierarchies of chunks of graphs: what a task of joblib computes.

In: graphs, resolutions, a seed, and how features are pooled, if at all. Out: their
hierarchies. Nothing depends on which graphs are together in a chunk.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from joblib import delayed, effective_n_jobs

from skshake._parallel import run_in_parallel
from skshake._progress import tqdm
from skshake.forests import check_edge_weight, draw_partitions, streams_of
from skshake.graphs import (
    GraphCollection,
    chunk_bounds,
    with_return_probabilities,
    without_features,
)
from skshake.hierarchy import (
    HierarchyCollection,
    Level,
    Pooling,
    Vocabulary,
    coarsen,
    concatenate_hierarchies,
    scale_numbers,
    with_slots,
)

# Nodes and edges of copies of the graphs, for which forests are drawn together.
FEW_ROWS = 32_768
# Nodes and edges of a chunk: what it needs on the way is larger than what it gives.
MOST_ROWS = 500_000
# Chunks that a progress bar is made of.
BARS = 50
# Of graphs without features, of which only the sizes are wanted.
NO_POOLING = Pooling("mean", "mean", Vocabulary(()), Vocabulary(()))


def coarsen_chunk(
    graphs: GraphCollection,
    qs: np.ndarray,
    seed: int,
    n_forests: int,
    pooling: Pooling | None,
) -> HierarchyCollection:
    """Hierarchies of some graphs; nothing depends on which others there are.

    ``pooling`` None leaves features out: the same forests, and the sizes that they
    give.
    """
    # Arcs are kept by the collection that is asked for them. This one is dropped once
    # forests are drawn; without features its arcs need not know their edges.
    bare = without_features(graphs)
    if pooling is None:
        pooling, described = NO_POOLING, without_features(graphs)
    else:
        scaled = scale_numbers(graphs, pooling)
        described = with_slots(
            with_return_probabilities(scaled, pooling.walk_length, bare), pooling
        )
        del scaled
    n_trivial = int(np.isinf(qs).sum())
    # Forests are those of the graphs as given, whatever is pooled on them.
    streams = [streams_of(graphs, seed, forest) for forest in range(n_forests)]
    of_inputs = _draw_blocks(bare, qs[:n_trivial], streams[:1])
    n_rows = max(graphs.n_nodes + graphs.n_edges, 1)
    n_together = int(np.clip(FEW_ROWS // n_rows, 1, n_forests))
    groups = [
        streams[first : first + n_together] for first in range(0, n_forests, n_together)
    ]
    drawn = [_draw_blocks(bare, qs[n_trivial:], group) for group in groups]
    del bare
    inputs = [coarsen(described, np.inf, block, pooling) for block in of_inputs]
    forests: list[tuple[Level, ...]] = []
    for group, blocks in zip(groups, drawn, strict=True):
        many = _copy(described, len(group))
        levels = [
            coarsen(many, q, block, pooling).split(len(group))
            for q, block in zip(qs[n_trivial:].tolist(), blocks, strict=True)
        ]
        of_forests = zip(*levels, strict=True) if levels else [()] * len(group)
        forests += [(*inputs, *of_forest) for of_forest in of_forests]
    return HierarchyCollection(
        graphs.node_ptr, tuple(forests), pooling.key, graphs.given_names
    )


def _draw_blocks(
    graphs: GraphCollection, qs: np.ndarray, streams: list[np.ndarray]
) -> np.ndarray:
    """Blocks (n_levels, n_forests * n_nodes); a forest for each array of streams."""
    many = _copy(graphs, len(streams))
    return draw_partitions(many, qs, np.concatenate(streams))[1]


def _copy(graphs: GraphCollection, n_copies: int) -> GraphCollection:
    """Give all graphs so many times, one after the other."""
    if n_copies == 1:
        return graphs
    return graphs.take(np.tile(np.arange(len(graphs)), n_copies))


def coarsen_graphs(
    graphs: GraphCollection,
    qs: np.ndarray,
    seed: int,
    n_forests: int,
    pooling: Pooling | None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> HierarchyCollection:
    """Draw forests and pool, in chunks of about equal size.

    Raises
    ------
    ValueError
        If weights of edges are out of scale with q; the graph is named.
    """
    check_edge_weight(graphs, qs)
    n_workers = effective_n_jobs(n_jobs)
    # Each worker gets equally many chunks.
    n_rounds = -(-(graphs.n_nodes + graphs.n_edges) // (n_workers * MOST_ROWS))
    n_chunks = n_workers * max(n_rounds, 1)
    if verbose:
        n_chunks = max(n_chunks, BARS)
    bounds = chunk_bounds(graphs, n_chunks)
    # Kernels release the GIL, so threads share the arrays without copies.
    parts = run_in_parallel(
        (
            delayed(coarsen_chunk)(graphs[start:stop], qs, seed, n_forests, pooling)
            for start, stop in pairwise(bounds.tolist())
        ),
        n_jobs,
        prefer="threads",
    )
    progress = tqdm(parts, "coarsening", total=len(bounds) - 1, disable=not verbose)
    return concatenate_hierarchies(list(progress), n_jobs)
