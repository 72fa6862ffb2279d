"""Coarsening beside what users do without it: each row is a ratio, or an exponent.

Every ratio comes from runs of both sides in turn in this process; medians are compared.
Prints one table and writes the same numbers as JSON.

    python examples/benchmarks/bench_coarsening.py --data DATA --json coarsening.json

DATA holds ``graphs/DD.npz``, ``graphs/COLLAB.npz`` and ``molecules/molhiv.csv.gz``.
Rows whose files or packages (pymetis) are missing are left out, saying so. ``--quick``
takes a hundredth of each set, to see that everything runs.
"""

import statistics
import time

import numpy as np
from _bench import (
    Benchmark,
    find_exponent,
    fresh,
    interleave,
    many_graphs,
    measure_peak,
    random_graph,
)
from numba import njit

from skshake import GraphCollection, KFCoarsener
from skshake._splitmix import next_state, unit
from skshake.forests import streams_of
from skshake.forests._neighbours import as_walkable
from skshake.forests._wilson import draw_forests

# Learnt resolutions of the sets (molhiv: the paper's).
QS = {"molhiv": 1.9, "DD": 6.4, "COLLAB": 17.8, "random": 5.0}


@njit(cache=True, nogil=True)
def walk_bare(node_ptr, indptr, indices, q, n_steps, state):
    """A killed random walk of so many steps that restarts at the next node."""
    n_done, check = 0, 0
    while True:
        for g in range(len(node_ptr) - 1):
            offset, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
            start = v = 0
            while start < n:
                first, last = indptr[offset + v], indptr[offset + v + 1]
                state = next_state(state)
                at = unit(state) * (q + (last - first))
                n_done += 1
                if at < q:
                    start += 1
                    v = start
                else:
                    v = indices[min(first + np.int64(at - q), last - 1)]
                    check += v
                if n_done == n_steps:
                    return check


def pyg_list(graphs: GraphCollection) -> list:
    """The graphs as torch_geometric Data with both arcs of each edge."""
    import torch
    from torch_geometric.data import Data

    items = []
    for graph in graphs:
        ends = torch.from_numpy(graph.edges.astype(np.int64)).T
        edge_attr = torch.from_numpy(graph.edge_attr.astype(np.int64))
        items.append(
            Data(
                x=torch.from_numpy(graph.x.astype(np.int64)),
                edge_index=torch.cat([ends, ends.flip(0)], dim=1),
                edge_attr=edge_attr.repeat(2, 1),
            )
        )
    return items


def bench_reading(molhiv: GraphCollection, repeats: int) -> dict[str, float]:
    """Coarsening all of molhiv against collating the same list."""
    from torch_geometric.data import InMemoryDataset

    items = pyg_list(molhiv)

    def coarsen(graphs: object) -> None:
        KFCoarsener(q=1.9, random_state=0).fit_transform(graphs)

    from_list, collate = interleave(
        lambda: coarsen(items), lambda: InMemoryDataset.collate(items), repeats=repeats
    )
    from_arrays, collate_again = interleave(
        lambda: coarsen(fresh(molhiv)),
        lambda: InMemoryDataset.collate(items),
        repeats=repeats,
    )
    return {
        "collate of molhiv, s": collate,
        "fit_transform from a list of Data / collate": from_list / collate,
        "fit_transform from a GraphCollection / collate": from_arrays / collate_again,
    }


def bench_sampler(name: str, graphs: GraphCollection, repeats: int) -> dict[str, float]:
    """The forest kernel against a bare walk; eight coupled levels against the last."""
    q, arcs, walkable = QS[name], graphs.arcs, as_walkable(graphs)
    streams = streams_of(graphs, 0)
    parent = np.empty((8, graphs.n_nodes), np.int32)
    block = np.empty_like(parent)

    def forests(qs: np.ndarray) -> int:
        return draw_forests(walkable, qs, streams, parent[: len(qs)], block[: len(qs)])

    single, coupled = np.array([q]), np.geomspace(q, q / 1000, 8)
    n_steps = forests(single)
    forest, walk = interleave(
        lambda: forests(single),
        lambda: walk_bare(
            graphs.node_ptr, arcs.indptr, arcs.indices, q, n_steps, np.uint64(1)
        ),
        repeats=repeats,
    )
    eight, last = interleave(
        lambda: forests(coupled), lambda: forests(coupled[-1:]), repeats=repeats
    )
    return {
        f"{name}: forest kernel, ns per step": forest / n_steps * 1e9,
        f"{name}: forest kernel / bare walk of as many steps": forest / walk,
        f"{name}: 8 coupled levels / the smallest q alone": eight / last,
    }


def bench_metis(name: str, graphs: GraphCollection, repeats: int) -> dict[str, float]:
    """Recursive METIS to half as many parts, against forests and coarse graphs."""
    import pymetis

    arcs = graphs.arcs
    pieces = []
    for g in range(len(graphs)):
        nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1] + 1)
        indptr = arcs.indptr[nodes]
        indices = arcs.indices[indptr[0] : indptr[-1]]
        adjacency = pymetis.CSRAdjacency(indptr - indptr[0], indices)
        pieces.append((len(indptr) - 1, adjacency))

    def metis() -> None:
        for n_nodes, adjacency in pieces:
            if n_nodes > 3:
                pymetis.part_graph(n_nodes // 2, adjacency, recursive=True)

    def ours() -> None:
        KFCoarsener(q=QS[name], n_forests=1, random_state=0).fit_transform(
            fresh(graphs)
        )

    seconds, metis_seconds = interleave(ours, metis, repeats=repeats)
    return {f"{name}: METIS / coarsening": metis_seconds / seconds}


def bench_return_probabilities(
    name: str, graphs: GraphCollection, repeats: int
) -> dict[str, float]:
    """The default of one forest against one without return probabilities."""

    def coarsen(walk_length: int) -> None:
        KFCoarsener(
            q=QS[name], n_forests=1, walk_length=walk_length, random_state=0
        ).fit_transform(fresh(graphs))

    with_them, without = interleave(
        lambda: coarsen(8), lambda: coarsen(0), repeats=repeats
    )
    return {f"{name}: default / walk_length=0, one forest": with_them / without}


def bench_growth(sizes: list[int], repeats: int) -> dict[str, float]:
    """Exponent of time in edges, for one graph and for many."""
    rows = {}
    for label, make in (
        ("one graph", lambda m: random_graph(m // 5, m)),
        ("many graphs", many_graphs),
    ):
        seconds = []
        for size in sizes:
            graphs = make(size)
            coarsener = KFCoarsener(q=2.0, n_forests=1, random_state=0)
            times = []
            for run in range(repeats + 1):
                start = time.perf_counter()
                coarsener.fit_transform(fresh(graphs))
                if run:
                    times.append(time.perf_counter() - start)
            seconds.append(statistics.median(times))
        row = f"exponent in edges, {sizes[0]:.0e} to {sizes[-1]:.0e}, {label}"
        rows[row] = find_exponent(sizes, seconds)
    return rows


def bench_memory(n_edges: int) -> dict[str, float]:
    """Peak memory of coarsening one large graph, above and over the input arrays."""
    graphs = random_graph(n_edges // 5, n_edges)
    arrays = (graphs.node_ptr, graphs.edge_ptr, graphs.edges, graphs.edge_weight)
    n_bytes = sum(array.nbytes for array in arrays if array is not None)
    KFCoarsener(q=2.0, n_forests=1).fit_transform(random_graph(1000, 5000))
    coarsener = KFCoarsener(q=2.0, n_forests=1, random_state=0)
    growth = measure_peak(lambda: coarsener.fit_transform(graphs))
    return {
        f"peak memory above the input / input, {n_edges:.0e} edges": growth / n_bytes
    }


def bench_memory_of_fit(name: str, graphs: GraphCollection) -> dict[str, float]:
    """Peak memory of learning q* from a set, above and over its arrays."""
    arrays = [graphs.node_ptr, graphs.edge_ptr, graphs.edges]
    for features in (graphs.node_features, graphs.edge_features):
        arrays += [features.numeric, features.categories]
    n_bytes = sum(array.nbytes for array in arrays)
    KFCoarsener(random_state=0).fit(graphs[:1000])
    growth = measure_peak(lambda: KFCoarsener(random_state=0).fit(fresh(graphs)))
    return {f"{name}: peak memory of fit above the input / input": growth / n_bytes}


def bench_threads(name: str, graphs: GraphCollection, repeats: int) -> dict[str, float]:
    """One thread against two, drawing and pooling eight forests."""
    coarseners = [
        KFCoarsener(q=QS[name], n_jobs=n_jobs, n_forests=8, random_state=0).fit(graphs)
        for n_jobs in (1, 2)
    ]
    one, two = interleave(
        lambda: coarseners[0].transform(fresh(graphs)),
        lambda: coarseners[1].transform(fresh(graphs)),
        repeats=repeats,
    )
    return {f"{name}: one thread / two threads": one / two}


def main() -> None:
    """Run the benchmark."""
    benchmark = Benchmark(__doc__)
    repeats, scale, report = benchmark.repeats, benchmark.scale, benchmark.report
    sets = benchmark.load("molhiv", "DD", "COLLAB")
    if "molhiv" in sets:
        # First, while there is no memory that was freed before.
        report(bench_memory_of_fit("molhiv", sets["molhiv"]))
        report(bench_reading(sets["molhiv"], repeats))
    million = random_graph(10**6 // scale, 5 * 10**6 // scale)
    for name, graphs in {**sets, "random": million}.items():
        report(bench_sampler(name, graphs, repeats))
    for name, graphs in sets.items():
        report(bench_return_probabilities(name, graphs, repeats))
    for name in ("DD", "COLLAB"):
        try:
            if name in sets:
                report(bench_metis(name, sets[name], min(repeats, 3)))
        except ImportError:
            benchmark.note("left out: METIS (pymetis is not installed)")
    exponents = [4, 5, 6] if scale > 1 else [4, 5, 6, 7]
    report(bench_growth([10**k for k in exponents], min(repeats, 3)))
    report(bench_memory(10**7 // scale))
    for name in ("DD", "molhiv"):
        if name in sets:
            report(bench_threads(name, sets[name], repeats))
    benchmark.write()


if __name__ == "__main__":
    main()
