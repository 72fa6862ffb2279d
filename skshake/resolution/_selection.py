"""select_resolution: q* of a collection, from as few of its graphs as decide it.

In: a GraphCollection. Out: the objective J of the graphs used, its curves, q*, and how
exactly q* is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skshake._splitmix import mix
from skshake.graphs import GraphCollection
from skshake.resolution._curves import SPECTRAL_LOSSES, SpectralLoss
from skshake.resolution._laplacian import node_laplacian
from skshake.resolution._objective import (
    Objective,
    ResolutionCurves,
    default_grid,
    has_inner_minimum,
    minimise,
    refine,
)
from skshake.resolution._solvers import edge_measure, node_measure

# Graphs of the first subset.
FIRST_SUBSET = 500
# Quantile of the normal distribution for intervals of 95 %.
TWO_SIDED = 1.96


class Selection(NamedTuple):
    """What a resolution was chosen from.

    ``interval`` holds q* with 95 % where graphs were left out or the complexity was
    estimated; its ends are q* itself where nothing was, and nan at a border of J.
    """

    objective: Objective
    curves: ResolutionCurves
    q_star: float
    interval: tuple[float, float]


def measure_objective(
    graphs: GraphCollection, phi: float, n_population: int, **options: Any
) -> Objective:
    """Objective of graphs out of so many; options as of ``node_measure``."""
    return Objective(
        node_measure(graphs, **options),
        edge_measure(graphs, **options),
        node_laplacian(graphs).n_zeros,
        np.diff(graphs.node_ptr),
        phi,
        n_population,
    )


def select_resolution(
    graphs: GraphCollection,
    *,
    phi: float = 1.0,
    grid: np.ndarray | None = None,
    tol: float = 0.02,
    solver: str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    losses: tuple[SpectralLoss, ...] = SPECTRAL_LOSSES,
    n_population: int | None = None,
) -> Selection:
    """Minimise J over q.

    Parameters
    ----------
    graphs : GraphCollection
    phi : float, default=1.0
        Weight of the complexity.
    grid : ndarray, default=None
        Increasing q; None spans the spectra.
    tol : float, default=0.02
        J is averaged over a random subset, enlarged until q* is known within this
        relative tolerance with 95 %; 0 takes all graphs. Which graphs come first
        depends on the seed and their content, not on their order.
    solver, seed, n_jobs, verbose, losses
        See ``node_measure``.
    n_population : int or None, default=None
        Number of graphs of which these are a sample; None if they are all.

    Returns
    -------
    selection : Selection
    """
    n_graphs, n_used = len(graphs), len(graphs)
    n_population = n_graphs if n_population is None else n_population
    order = np.arange(n_graphs)
    if tol and n_graphs > FIRST_SUBSET:
        order = np.argsort(mix(graphs.fingerprints ^ mix(np.uint64(seed))))
        n_used = FIRST_SUBSET
    objective, n_measured = None, 0
    while True:
        more = measure_objective(
            graphs[order[n_measured:n_used]],
            phi,
            n_population,
            solver=solver,
            seed=seed,
            n_jobs=n_jobs,
            verbose=verbose,
            losses=losses,
        )
        objective = more if objective is None else objective.joined(more)
        n_measured = n_used
        measures = [objective.node, objective.edge]
        curves = objective.curves(default_grid(measures) if grid is None else grid)
        q_star, error = None, np.nan
        if has_inner_minimum(curves):
            q_star = refine(objective, curves)
            error = TWO_SIDED * objective.minimiser_error(q_star)
        if n_used == n_graphs or error <= tol:
            break
        # Nothing is known about the error of a border: all graphs then.
        growth = np.nan_to_num(1.1 * (error / tol) ** 2, nan=np.inf)
        n_used = int(min(n_graphs, n_used * max(growth, 2)))
    if q_star is None:
        q_star = minimise(objective, curves)
    interval = (float(q_star * np.exp(-error)), float(q_star * np.exp(error)))
    return Selection(objective, curves, q_star, interval)
