"""Exact spectral measures, by eigendecomposition of stacks of equal-sized Laplacians.

In: a Laplacian. Out: its exact measure. Quadratic in memory and cubic in time in the
size of a graph, so for small graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs

from skshake._blas import one_blas_thread
from skshake._parallel import run_in_parallel
from skshake._progress import tqdm
from skshake.graphs import GraphCollection, offsets, owner_of, rows_of
from skshake.resolution._curves import SPECTRAL_LOSSES, SpectralLoss
from skshake.resolution._laplacian import Laplacian
from skshake.resolution._measure import SpectralMeasure, exact

# Entries of one stack of dense matrices, 8 MB in double precision.
STACK_ENTRIES = 1_000_000
# Of several workers: stacks take some milliseconds each, and joblib looks only every 10
# ms whether a task is done.
TASKS_PER_WORKER = 8
# Energy outside the constant vectors below this share of the whole is rounding.
NO_ENERGY = 1e-18


class _Stack(NamedTuple):
    """Graphs with equally many rows (nodes or edges), side by side.

    ``rows`` (n_graphs, size) are their rows in the collection.
    """

    graphs: np.ndarray
    rows: np.ndarray


def _stacks(ptr: np.ndarray) -> Iterator[_Stack]:
    """Group graphs by their number of rows; graphs without rows are left out."""
    sizes = np.diff(ptr)
    for size in np.unique(sizes[sizes > 0]):
        members = np.flatnonzero(sizes == size)
        per_stack = max(1, STACK_ENTRIES // int(size) ** 2)
        for first in range(0, len(members), per_stack):
            graphs = members[first : first + per_stack]
            yield _Stack(graphs, ptr[graphs][:, None] + np.arange(size))


def _matrices(graphs: GraphCollection, stack: _Stack) -> np.ndarray:
    """Dense Laplacians (n_graphs, n, n) of a stack."""
    rows, ptr = rows_of(graphs.edge_ptr, stack.graphs)
    place = owner_of(ptr)
    u, v = graphs.edges[rows].T
    n = stack.rows.shape[1]
    weight = 1.0 if graphs.edge_weight is None else graphs.edge_weight[rows]
    laplacians = np.zeros((len(stack.graphs), n, n))
    laplacians[place, u, v] = laplacians[place, v, u] = np.negative(weight)
    diagonal = np.arange(n)
    laplacians[:, diagonal, diagonal] = -laplacians.sum(axis=2)
    return laplacians


def _line_matrices(graphs: GraphCollection, stack: _Stack) -> np.ndarray:
    """Dense Laplacians (n_graphs, m, m) of the unweighted line graphs of a stack."""
    ends = graphs.edges[stack.rows]
    adjacency = np.zeros(stack.rows.shape + stack.rows.shape[1:])
    for i in range(2):
        for j in range(2):
            adjacency += ends[:, :, None, i] == ends[:, None, :, j]
    diagonal = np.arange(stack.rows.shape[1])
    adjacency[:, diagonal, diagonal] = 0
    degree = adjacency.sum(axis=2)
    np.negative(adjacency, out=adjacency)
    adjacency[:, diagonal, diagonal] = degree
    return adjacency


def centre(numeric: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Subtract from each column its mean over each connected component, in float64."""
    size = np.maximum(np.bincount(component), 1)
    centred = numeric.astype(np.float64)
    for column in centred.T:
        column -= (np.bincount(component, column) / size)[component]
    return centred


def _gram(centred: np.ndarray, categories: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Inner products X X' (n_graphs, n, n) of features, categories as one-hot."""
    x = centred[rows]
    gram = x @ x.transpose(0, 2, 1)
    for column in categories.T:
        codes = column[rows]
        gram += codes[:, :, None] == codes[:, None, :]
    return gram


def exact_measure(
    laplacian: Laplacian,
    progress: tqdm,
    n_jobs: int | None = None,
    losses: tuple[SpectralLoss, ...] = SPECTRAL_LOSSES,
) -> SpectralMeasure:
    """Measure of one operator, from all eigenvalues and eigenvectors of each graph.

    Parameters
    ----------
    laplacian : Laplacian
    progress : tqdm
        Moved on by the graphs of each task.
    n_jobs : int, default=None
        Threads; the result is the same.
    losses : tuple of SpectralLoss

    Returns
    -------
    measure : SpectralMeasure
    """
    centred = centre(laplacian.features.numeric, laplacian.component)
    point_ptr = offsets(np.diff(laplacian.ptr) - laplacian.n_zeros)
    mu, complexity = np.zeros((2, point_ptr[-1]))
    loss_weights = np.zeros((point_ptr[-1], len(losses)))
    # LAPACK releases the GIL; its own threads are no help with small matrices.
    with one_blas_thread():
        stacks = list(_stacks(laplacian.ptr))
        n_tasks, n_workers = len(stacks), effective_n_jobs(n_jobs)
        if n_workers > 1:
            n_tasks = min(n_tasks, TASKS_PER_WORKER * n_workers)
        # Stacks come by size, so each task takes small and large ones.
        tasks = [stacks[first::n_tasks] for first in range(n_tasks)]
        measured = run_in_parallel(
            (
                delayed(_measure_stacks)(laplacian, centred, task, losses)
                for task in tasks
            ),
            n_jobs,
            prefer="threads",
        )
        for task, found in zip(tasks, measured, strict=True):
            for stack, (eigenvalues, weights) in zip(task, found, strict=True):
                points, _ = rows_of(point_ptr, stack.graphs)
                mu[points], loss_weights[points] = eigenvalues, weights
                complexity[points] = 1 / stack.rows.shape[1]
                progress.update(len(stack.graphs))
    return exact(losses, point_ptr, mu, loss_weights, complexity)


def _measure_stacks(
    laplacian: Laplacian,
    centred: np.ndarray,
    stacks: list[_Stack],
    losses: tuple[SpectralLoss, ...],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What :func:`_measure_stack` gives for each stack."""
    return [_measure_stack(laplacian, centred, stack, losses) for stack in stacks]


def _measure_stack(
    laplacian: Laplacian,
    centred: np.ndarray,
    stack: _Stack,
    losses: tuple[SpectralLoss, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues above the zeros, and the weights of losses that belong to them."""
    matrices_of = _line_matrices if laplacian.is_line else _matrices
    eigenvalues, vectors = np.linalg.eigh(matrices_of(laplacian.graphs, stack))
    gram = _gram(centred, laplacian.features.categories, stack.rows)
    energy = np.clip(((gram @ vectors) * vectors).sum(axis=1), 0, None)
    is_point = np.arange(energy.shape[1]) >= laplacian.n_zeros[stack.graphs][:, None]
    energy *= is_point
    total = energy.sum(axis=1, keepdims=True)
    whole = np.trace(gram, axis1=1, axis2=2)[:, None]
    energy *= total > NO_ENERGY * np.maximum(whole, 1e-300)
    eigenvalues = np.clip(eigenvalues, np.finfo(float).tiny, None)
    weights = np.empty((is_point.sum(), len(losses)))
    for loss, column in zip(losses, weights.T, strict=True):
        column[:] = _normalised(eigenvalues**loss.power * energy)[is_point]
    return eigenvalues[is_point], weights


def _normalised(energy: np.ndarray) -> np.ndarray:
    """Rows summing to 1; rows without energy stay 0."""
    total = energy.sum(axis=1, keepdims=True)
    return np.divide(energy, total, out=np.zeros_like(energy), where=total > 0)
