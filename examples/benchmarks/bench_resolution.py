"""q* by Lanczos quadrature beside q* by eigenvectors: errors, times, growth, memory.

Every ratio of times comes from runs of both sides in turn in this process; medians are
compared. Prints one table and writes the same numbers as JSON.

    python examples/benchmarks/bench_resolution.py --data DATA --json resolution.json

DATA holds ``graphs/*.npz`` and ``molecules/molhiv.csv.gz``. Sets that are missing are
left out, saying so; MUTAG is bundled. ``--quick`` takes a hundredth of each set.
"""

import time
import warnings
from dataclasses import replace

import numpy as np
from _bench import (
    Benchmark,
    find_exponent,
    fresh,
    interleave,
    measure_peak,
    random_graph,
    unweighted,
)

from skshake import GraphCollection, ResolutionWarning
from skshake.datasets import load_mutag
from skshake.graphs import build_features, with_degree_feature
from skshake.resolution import (
    Objective,
    default_grid,
    measure_objective,
    minimise,
    select_resolution,
)

N_DENSE = 10_000


def with_edge_features(graphs: GraphCollection) -> GraphCollection:
    """Give each node a number, and each edge the difference at its ends and a category.

    The edges' part of J then has numeric and categorical columns.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(graphs.n_nodes, 1)).astype(np.float32)
    difference = np.abs(np.diff(x[graphs.numbered_ends, 0], axis=1))
    kind = rng.integers(0, 4, size=(graphs.n_edges, 1))
    return replace(
        graphs,
        node_features=build_features([("x", x, False)], graphs.n_nodes),
        edge_features=build_features(
            [("difference", difference, False), ("kind", kind, True)], graphs.n_edges
        ),
    )


def with_weights(graphs: GraphCollection) -> GraphCollection:
    """Lognormal edge weights."""
    rng = np.random.default_rng(0)
    return replace(graphs, edge_weight=rng.lognormal(0.0, 1.0, graphs.n_edges))


def bench_errors(name: str, graphs: GraphCollection) -> dict[str, float]:
    """Largest errors of the curves' means on the grid, of q*, and of the refinement."""
    exact = measure_objective(graphs, 1.0, len(graphs), solver="eigh")
    lanczos = measure_objective(graphs, 1.0, len(graphs), solver="lanczos")
    grid = default_grid([exact.node, exact.edge])
    true, found = (objective.curves(grid) for objective in (exact, lanczos))
    losses = [
        np.abs(getattr(found, curve) - getattr(true, curve)).max()
        for curve in (
            "node_reconstruction",
            "node_dirichlet",
            "edge_reconstruction",
            "edge_dirichlet",
        )
    ]
    rows = {f"{name}: largest error of a loss": max(losses)}
    for side in ("node", "edge"):
        df, df_true = (getattr(c, f"{side}_complexity") for c in (found, true))
        if df_true.any():
            worst = np.abs(df / df_true - 1).max()
            rows[f"{name}: largest relative error of the {side} complexity"] = worst
    q_exact, q_found = minimise(exact, true), minimise(lanczos, found)
    rows[f"{name}: q* by eigenvectors"] = q_exact
    rows[f"{name}: q* by Lanczos / by eigenvectors - 1"] = q_found / q_exact - 1
    rows[f"{name}: q* / minimum on {N_DENSE} points - 1"] = q_exact / densest(exact) - 1
    return rows


def densest(objective: Objective) -> float:
    """Minimiser of J on a dense grid over two decades around the smallest value."""
    coarse = default_grid([objective.node, objective.edge])
    around = coarse[np.argmin([objective(q) for q in coarse])]
    dense = np.geomspace(around / 10, around * 10, N_DENSE)
    return float(dense[np.argmin([objective(q) for q in dense])])


def bench_times(name: str, graphs: GraphCollection, repeats: int) -> dict[str, float]:
    """Seconds of q* by each solver on all graphs, and with defaults."""

    def find(**options: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResolutionWarning)
            select_resolution(fresh(graphs), **options)

    eigh, lanczos, auto, default = interleave(
        lambda: find(tol=0, solver="eigh"),
        lambda: find(tol=0, solver="lanczos", n_jobs=2),
        lambda: find(tol=0, n_jobs=2),
        lambda: find(n_jobs=2),
        repeats=repeats,
    )
    return {
        f"{name}: eigh, s": eigh,
        f"{name}: lanczos, s": lanczos,
        f"{name}: auto on all graphs, s": auto,
        f"{name}: default, s": default,
        f"{name}: eigh / default": eigh / default,
    }


def bench_large(name: str, graphs: GraphCollection) -> dict[str, float]:
    """Seconds and peak memory of q* on graphs that have no dense matrices."""
    select_resolution(with_edge_features(random_graph(1_000, 5_000)))
    seconds = 0.0

    def find() -> None:
        nonlocal seconds
        start = time.perf_counter()
        select_resolution(graphs, tol=0, n_jobs=2)
        seconds = time.perf_counter() - start

    growth = measure_peak(find)
    return {
        f"{name}: edges of the largest graph": np.diff(graphs.edge_ptr).max(),
        f"{name}: q* on all graphs, s": seconds,
        f"{name}: peak memory above the input, GB": growth / 1e9,
    }


def bench_growth(sizes: list[int], repeats: int) -> dict[str, float]:
    """Exponent of Lanczos' time in edges, with node and edge features."""
    rows = {}
    for label, make in (
        ("one graph", lambda m: random_graph(m // 5, m)),
        ("graphs of 500 edges", lambda m: unweighted(*np.full((2, m // 500), 500))),
    ):
        seconds = []
        for n_edges in sizes:
            graphs = with_edge_features(make(n_edges))
            (median,) = interleave(
                lambda graphs=graphs: select_resolution(
                    fresh(graphs), tol=0, solver="lanczos"
                ),
                repeats=repeats,
            )
            seconds.append(median)
        row = f"exponent in edges, {sizes[0]:.0e} to {sizes[-1]:.0e}, {label}"
        rows[row] = find_exponent(sizes, seconds)
    return rows


def main() -> None:
    """Run the benchmark."""
    benchmark = Benchmark(__doc__)
    report, repeats = benchmark.report, benchmark.repeats
    sets = benchmark.load("PROTEINS", "DD", "molhiv", "COLLAB")
    collab = sets.pop("COLLAB", None)
    sets = {"MUTAG": load_mutag(return_X_y=True)[0], **sets}
    for name, graphs in sets.items():
        report(bench_errors(name, graphs))
        report(bench_errors(f"{name} with weights", with_weights(graphs)))
    for name, graphs in sets.items():
        report(bench_times(name, graphs, min(repeats, 3)))
    if collab is not None:
        report(bench_large("COLLAB, degrees", with_degree_feature(collab)))
        report(bench_large("COLLAB, edge features", with_edge_features(collab)))
    largest = random_graph(200_000 // benchmark.scale, 10**6 // benchmark.scale)
    report(bench_large("one random graph", with_edge_features(largest)))
    exponents = [3, 4] if benchmark.scale > 1 else [4, 5, 6]
    report(bench_growth([10**k for k in exponents], min(repeats, 3)))
    benchmark.write()


if __name__ == "__main__":
    main()
