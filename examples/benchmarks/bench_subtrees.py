"""SubtreeVectorizer: seconds on molhiv after reading, and growth with edges.

Medians of runs in turn; the arcs of the graphs are made anew in each run. Prints one
table and writes the same numbers as JSON.

    python examples/benchmarks/bench_subtrees.py --data DATA --json subtrees.json

DATA holds ``molecules/molhiv.csv.gz``; without it those rows are left out, saying so.
``--quick`` takes a hundredth of each size, to see that everything runs.
"""

from _bench import (
    Benchmark,
    find_exponent,
    fresh,
    interleave,
    many_graphs,
    random_graph,
)

from skshake import GraphCollection, SubtreeVectorizer

DEPTHS = (0, 1, 2, 3)


def bench_depths(molhiv: GraphCollection, repeats: int) -> dict[str, float]:
    """Seconds of all molecules, by depth, and without walks and other statistics."""
    options = {f"depth {depth}": {"depth": depth} for depth in DEPTHS}
    options["depth 2, no walks"] = {"depth": 2, "walk_length": 0}
    options["depth 2, no statistics"] = {"depth": 2, "statistics": False}
    vectorizers = [SubtreeVectorizer(**each) for each in options.values()]
    fitted = SubtreeVectorizer().fit(molhiv)
    *seconds, transform = interleave(
        *(lambda v=v: v.fit_transform(fresh(molhiv)) for v in vectorizers),
        lambda: fitted.transform(fresh(molhiv)),
        repeats=repeats,
    )
    rows = zip(options, seconds, strict=True)
    return {
        **{f"molhiv: seconds of fit_transform, {name}": time for name, time in rows},
        "molhiv: seconds of transform, depth 2": transform,
    }


def bench_growth(sizes: list[int], repeats: int) -> dict[str, float]:
    """Exponent of time in edges, of one graph and of many."""
    vectorizer = SubtreeVectorizer(min_df=1, walk_length=0)
    found = {}
    for name, make in (
        ("one graph", lambda m: random_graph(m // 5, m)),
        ("many graphs", many_graphs),
    ):
        graphs = [make(size) for size in sizes]
        seconds = interleave(
            *(lambda g=g: vectorizer.fit_transform(fresh(g)) for g in graphs),
            repeats=repeats,
        )
        label = f"{sizes[0]:.0e} to {sizes[-1]:.0e} edges, no walks, {name}"
        found[f"exponent of time, {label}"] = find_exponent(sizes, seconds)
    return found


def main() -> None:
    """Run the benchmark."""
    benchmark = Benchmark(__doc__)
    sets = benchmark.load("molhiv")
    if "molhiv" in sets:
        benchmark.report(bench_depths(sets["molhiv"], benchmark.repeats))
    sizes = [10**k // benchmark.scale for k in (5, 6, 7)]
    benchmark.report(bench_growth(sizes, min(benchmark.repeats, 3)))
    benchmark.write()


if __name__ == "__main__":
    main()
