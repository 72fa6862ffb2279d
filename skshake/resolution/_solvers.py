"""Choice of a solver: small graphs by eigenvectors, large ones by Lanczos quadrature.

In: a GraphCollection. Out: the spectral measures of its nodes and its edges.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import delayed, effective_n_jobs

from skshake._parallel import run_in_parallel
from skshake._progress import tqdm
from skshake.graphs import GraphCollection, chunk_bounds
from skshake.resolution._curves import SPECTRAL_LOSSES, SpectralLoss
from skshake.resolution._laplacian import Laplacian, line_laplacian, node_laplacian
from skshake.resolution._measure import SpectralMeasure, empty_measure, join_measures
from skshake.resolution._quadrature import lanczos_measure
from skshake.resolution._spectrum import exact_measure

SOLVERS = ("auto", "eigh", "lanczos")
# Graphs of at most so many nodes (line graphs: edges) are faster decomposed;
# measured on PROTEINS, DD and molhiv, see examples/benchmarks/bench_resolution.py.
MOST_DENSE_ROWS = 100
# Chunks per thread, so that threads end together and a progress bar moves.
CHUNKS_PER_JOB = 8


def node_measure(graphs: GraphCollection, **options: Any) -> SpectralMeasure:
    """Measure of the Laplacian, with the features of nodes.

    Parameters
    ----------
    graphs : GraphCollection
    solver : {"auto", "eigh", "lanczos"}, default="auto"
        "eigh" is exact and cubic in a graph's size, "lanczos" linear in its edges;
        "auto" takes "eigh" for graphs of at most 100 nodes (line graphs: edges).
    seed : int, default=0
        Of the random vectors of "lanczos".
    n_jobs : int, default=None
        Threads; the result is the same.
    verbose : int, default=0
        Greater than 0 shows a bar.
    losses : tuple of SpectralLoss, default=SPECTRAL_LOSSES
        Losses that the measure gives curves of.

    Returns
    -------
    measure : SpectralMeasure
    """
    return _measure(node_laplacian, graphs.node_ptr, "node spectra", graphs, **options)


def edge_measure(graphs: GraphCollection, **options: Any) -> SpectralMeasure:
    """Measure of the line graph's Laplacian, empty without edge features."""
    if not graphs.edge_features.n_columns:
        return empty_measure(options.get("losses", SPECTRAL_LOSSES), len(graphs))
    return _measure(line_laplacian, graphs.edge_ptr, "edge spectra", graphs, **options)


def _measure(
    make_laplacian: Callable[[GraphCollection], Laplacian],
    row_ptr: np.ndarray,
    title: str,
    graphs: GraphCollection,
    solver: str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    losses: tuple[SpectralLoss, ...] = SPECTRAL_LOSSES,
) -> SpectralMeasure:
    """Measure small graphs at once and large graphs in chunks; join them in order."""
    if solver not in SOLVERS:
        raise ValueError(f"solver: expected one of {SOLVERS}, got {solver!r}")
    if not losses:
        raise ValueError("losses: expected at least one SpectralLoss, got none")
    is_dense = np.full(len(graphs), solver == "eigh")
    if solver == "auto":
        is_dense = np.diff(row_ptr) <= MOST_DENSE_ROWS
    dense, sparse = np.flatnonzero(is_dense), np.flatnonzero(~is_dense)
    with tqdm(desc=title, total=len(graphs), disable=not verbose) as progress:
        parts = [exact_measure(make_laplacian(graphs[dense]), progress, n_jobs, losses)]
        large = graphs[sparse]
        n_chunks = CHUNKS_PER_JOB * effective_n_jobs(n_jobs)
        chunks = list(pairwise(chunk_bounds(large, n_chunks).tolist()))
        # Kernels release the GIL.
        measures = run_in_parallel(
            (
                delayed(_measure_chunk)(make_laplacian, large[i:j], seed, losses)
                for i, j in chunks
            ),
            n_jobs,
            prefer="threads",
        )
        for (i, j), measure in zip(chunks, measures, strict=True):
            parts.append(measure)
            progress.update(j - i)
    return join_measures(parts, np.concatenate([dense, sparse]))


def _measure_chunk(
    make_laplacian: Callable[[GraphCollection], Laplacian],
    chunk: GraphCollection,
    seed: int,
    losses: tuple[SpectralLoss, ...],
) -> SpectralMeasure:
    """What a task of joblib measures."""
    return lanczos_measure(make_laplacian(chunk), seed, losses)
