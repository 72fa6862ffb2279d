"""What benchmarks share: runs in turn, peak memory, data sets, tables of results."""

import argparse
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil

from skshake import GraphCollection
from skshake.datasets import load_molecules_csv, load_npz
from skshake.graphs import empty_features, from_arcs


def markdown_row(cells: Iterable[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


class Table:
    """A table of results in Markdown, printed row by row as they are measured.

    Parameters
    ----------
    *columns : str
        Heads.
    """

    def __init__(self, *columns: str) -> None:
        print(markdown_row(columns))
        print("|---" * len(columns) + "|", flush=True)

    def add(self, *cells: str) -> None:
        """Print a row."""
        print(markdown_row(cells), flush=True)


def say(text: str) -> None:
    """Print a paragraph."""
    print(f"{text}\n", flush=True)


def tell(text: str) -> None:
    """Say how far a benchmark is, beside its results."""
    print(text, file=sys.stderr, flush=True)


def interleave(*functions: Callable, repeats: int) -> list[float]:
    """Median seconds of each function, run in turn after one run each to warm up."""
    times: list[list[float]] = [[] for _ in functions]
    for run in range(repeats + 1):
        for side, function in zip(times, functions, strict=True):
            start = time.perf_counter()
            function()
            if run:
                side.append(time.perf_counter() - start)
    return [statistics.median(side) for side in times]


def measure_peak(function: Callable) -> int:
    """Bytes by which the process grows at most while the function runs."""
    process = psutil.Process()
    before = peak = process.memory_info().rss
    is_done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not is_done.wait(0.002):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        function()
    finally:
        is_done.set()
        watcher.join()
    return peak - before


def find_exponent(sizes: list[int], seconds: list[float]) -> float:
    """Exponent b of the best fit seconds = a sizes^b."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def fresh(graphs: GraphCollection) -> GraphCollection:
    """The same graphs without arrays derived by an earlier run."""
    return replace(graphs)


def unweighted(n_nodes: np.ndarray, n_edges: np.ndarray) -> GraphCollection:
    """Graphs of uniformly random edges; those drawn twice count once."""
    ends = np.random.default_rng(0).random((2, int(n_edges.sum())))
    ends = (ends * np.repeat(n_nodes, n_edges)).astype(np.int64)
    none = (empty_features(int(counts.sum())) for counts in (n_nodes, n_edges))
    return replace(from_arcs(n_nodes, n_edges, ends, *none), edge_weight=None)


def random_graph(n_nodes: int, n_edges: int) -> GraphCollection:
    """One random graph."""
    return unweighted(np.array([n_nodes]), np.array([n_edges]))


def many_graphs(n_edges: int) -> GraphCollection:
    """Random graphs of 25 nodes and 27 edges each."""
    n_graphs = n_edges // 27
    return unweighted(np.full(n_graphs, 25), np.full(n_graphs, 27))


def load_sets(
    data: Path | None, names: tuple[str, ...], is_quick: bool
) -> dict[str, GraphCollection]:
    """Real sets that are there, or a hundredth of each."""
    sets = {}
    for name in names:
        is_molecules = name == "molhiv"
        path = f"molecules/{name}.csv.gz" if is_molecules else f"graphs/{name}.npz"
        if data is None or not (data / path).exists():
            say(f"left out: {name} ({path} is not in --data)")
            continue
        if is_molecules:
            graphs = load_molecules_csv(data / path, return_X_y=True)[0]
        else:
            graphs = load_npz(data / path, return_X_y=True)[0]
        sets[name] = graphs[::100] if is_quick else graphs
    return sets


class Benchmark:
    """Arguments of a benchmark, and its results: a table, and a file of JSON.

    Parameters
    ----------
    description : str or None
    **defaults : object
        More arguments, by name, of the type of their default.
    """

    def __init__(self, description: str | None, **defaults: object) -> None:
        parser = argparse.ArgumentParser(
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("--data", type=Path, help="folder of the data sets")
        parser.add_argument("--json", type=Path, help="file to write the numbers to")
        parser.add_argument("--repeats", type=int, default=5)
        parser.add_argument("--quick", action="store_true")
        for name, default in defaults.items():
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=type(default), default=default)
        self.arguments = parser.parse_args()
        self.rows: dict[str, float] = {}
        self.table: Table | None = None
        self.notes: list[str] = []

    @property
    def repeats(self) -> int:
        """Timed runs of each side."""
        return int(self.arguments.repeats)

    @property
    def scale(self) -> int:
        """What sizes are divided by."""
        return 100 if self.arguments.quick else 1

    def load(self, *names: str) -> dict[str, GraphCollection]:
        """Real sets that are there."""
        return load_sets(self.arguments.data, names, self.arguments.quick)

    def report(self, new: dict[str, float]) -> None:
        """Print rows, and keep them for the file."""
        if self.table is None:
            self.table = Table("what", "measured")
        for label, value in new.items():
            self.rows[label] = float(value)
            self.table.add(label, f"{value:.4g}")

    def note(self, text: str) -> None:
        """Print a paragraph below the table."""
        self.notes.append(text)

    def write(self) -> None:
        """Print the notes, and write the file, if one was asked for."""
        for text in self.notes:
            say(f"\n{text}")
        if self.arguments.json:
            self.arguments.json.write_text(json.dumps(self.rows, indent=2) + "\n")
