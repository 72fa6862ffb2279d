"""Time and memory of coarsening graphs of the shape of ogbg-ppa.

    python examples/benchmarks/bench_large.py --graphs 15810

Generates a tenth of the set's 158,100 graphs (about 243 nodes and 2,266 edges each, 7
edge features), learns q*, and coarsens all. Prints seconds, seconds per million edges,
peak memory of the process, and what the whole set would take.
"""

import argparse
import time

from _bench import Table, measure_peak

from skshake import KFCoarsener
from skshake.datasets import make_like

PUBLISHED = 158_100


def run(table: Table, n_graphs: int, q: str | float, n_jobs: int) -> None:
    """Generate, fit and transform, and say what each takes."""
    start = time.perf_counter()
    graphs = make_like("ogbg-ppa", n_graphs, random_state=0)
    made = time.perf_counter()
    table.add("graphs", f"{len(graphs)}")
    table.add("edges", f"{graphs.n_edges}")
    table.add("making them, s", f"{made - start:.0f}")
    coarsener = KFCoarsener(q=q, n_jobs=n_jobs, random_state=0)
    coarsener.fit_transform(graphs)
    fitted = time.perf_counter()
    coarsener.transform(graphs)
    transformed = time.perf_counter()
    nodes, edges = coarsener.reduction_.nodes[0], coarsener.reduction_.edges[0]
    table.add("q", f"{coarsener.q_[0]:.4g}")
    table.add("nodes and edges that are left", f"{nodes:.1%}, {edges:.1%}")
    table.add("forests a graph", f"{coarsener.n_forests_}")
    millions, whole = graphs.n_edges / 1e6, PUBLISHED / n_graphs
    for what, seconds in (
        ("fit_transform (q*, forests, coarse graphs)", fitted - made),
        ("transform", transformed - fitted),
    ):
        table.add(f"{what}, s", f"{seconds:.1f}")
        table.add(f"{what}, s per million edges", f"{seconds / millions:.3f}")
        table.add(f"{what}, all {PUBLISHED} graphs, min", f"{seconds * whole / 60:.1f}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", type=int, default=PUBLISHED // 10)
    parser.add_argument("--q", default="auto", help="auto or a number")
    parser.add_argument("--n-jobs", type=int, default=-1)
    arguments = parser.parse_args()
    q = arguments.q if arguments.q == "auto" else float(arguments.q)
    table = Table("what", "measured")
    peak = measure_peak(lambda: run(table, arguments.graphs, q, arguments.n_jobs))
    table.add("peak memory, the graphs included, GiB", f"{peak / 2**30:.2f}")


if __name__ == "__main__":
    main()
