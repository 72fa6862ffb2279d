"""Graphs larger than memory: time, memory and bytes of writing them and of training.

    python examples/benchmarks/bench_stream.py --graphs 1581 15810 --folder /scratch
    python examples/benchmarks/bench_stream.py --molecules 40000 --folder /scratch

The first generates graphs of the shape of ogbg-ppa (about 243 nodes and 2,266 edges
each) in parts, coarsens them into a folder, and trains for two epochs from buffers of
--memory bytes; each in a process of its own, of which it prints seconds of CPU, the
peak of its memory (everything included), and bytes read over those of the levels that
were needed. With --jobs it writes once more in so many processes.

The second compares an epoch from the folder with one in memory.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from _bench import find_exponent

import skshake
from skshake import GraphCollection, HierarchyCollection, KFCoarsener, SHAKEClassifier
from skshake.datasets import make_graph_classification, make_like
from skshake.network import Loss  # noqa: F401, so that imports are no part of stages

PART_GRAPHS, N_CLASSES = 500, 37


def read_part(path: str) -> tuple[GraphCollection, np.ndarray]:
    """Graphs of a part, and classes, which say nothing."""
    graphs = GraphCollection.load(path)
    return graphs, np.random.default_rng(len(graphs)).integers(
        N_CLASSES, size=len(graphs)
    )


def sources_of(folder: Path) -> list:
    """Functions that read the parts of a folder."""
    return [partial(read_part, str(path)) for path in sorted(folder.glob("*.npz"))]


def make(folder: Path, n_graphs: int) -> dict:
    """Generate parts of graphs."""
    folder.mkdir(parents=True)
    n_edges = 0
    for number, first in enumerate(range(0, n_graphs, PART_GRAPHS)):
        size = min(PART_GRAPHS, n_graphs - first)
        graphs = make_like("ogbg-ppa", size, random_state=number)
        graphs.save(folder / f"{number:05d}.npz")
        n_edges += graphs.n_edges
    return {"edges": n_edges}


def fit(folder: Path, model: Path) -> dict:
    """Learn q* and scales from all parts."""
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(sources_of(folder))
    skshake.save(coarsener, model)
    return {"q": float(coarsener.q_[0])}


def write(folder: Path, model: Path, target: Path, n_jobs: int) -> dict:
    """Coarsen all parts."""
    coarsener = skshake.load(model).set_params(n_jobs=n_jobs)
    hierarchies = coarsener.transform_to(target, sources_of(folder))
    return {"bytes": hierarchies.n_bytes}


def train(target: Path, memory: int) -> dict:
    """Train for one epoch from buffers."""
    hierarchies = HierarchyCollection.open(target, memory=memory)
    # An epoch of two, so that the second is without what is learnt or compiled before.
    marks = []
    classifier = SHAKEClassifier(
        max_iter=2, early_stopping=False, random_state=0, device="cpu"
    )
    storage = type(hierarchies.folder.storage)
    read_ranges = storage.read_ranges

    def count(self, name, ranges):
        marks.append(sum(stop - start for start, stop in ranges))
        return read_ranges(self, name, ranges)

    storage.read_ranges = count
    classifier.fit(hierarchies, hierarchies.y)
    per_epoch = hierarchies.one_forest(0).n_bytes
    first, second = (record.seconds for record in classifier.history_)
    # Scales are learnt in a pass of their own, and 1,000 graphs stand for all.
    return {"epoch": second, "first": first, "read": sum(marks) / (3 * per_epoch)}


def in_process(stage: str, *arguments: object) -> dict:
    """Run a stage in a process of its own; its CPU seconds and peak are added."""
    start = time.perf_counter()
    command = [sys.executable, __file__, "--stage", stage, *map(str, arguments)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(printed.stdout.splitlines()[-1])
    found["wall"] = time.perf_counter() - start
    return found


def run_stage(stage: str, arguments: list[str]) -> None:
    """Run a stage in this process and print what it found."""
    paths = [Path(argument) for argument in arguments]
    begun = time.process_time()
    found = {
        "make": lambda: make(paths[0], int(arguments[1])),
        "fit": lambda: fit(*paths),
        "write": lambda: write(*paths[:3], int(arguments[3])),
        "train": lambda: train(paths[0], int(arguments[1])),
    }[stage]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**found, "cpu": time.process_time() - begun, "peak": peak}))


def compare_sizes(sizes: list[int], folder: Path, memory: int, n_jobs: int) -> None:
    """Write and train sets of several sizes."""
    seconds: dict[str, list[float]] = {"write": [], "train": []}
    for n_graphs in sizes:
        root = folder / str(n_graphs)
        graphs, model, target = root / "graphs", root / "coarsener", root / "hier"
        made = in_process("make", graphs, n_graphs)
        print(f"{n_graphs} graphs, {made['edges'] / 1e6:.2f} M edges", flush=True)
        stages = {
            "fit": in_process("fit", graphs, model),
            "write": in_process("write", graphs, model, target, 1),
            "train": in_process("train", target, memory),
        }
        for stage, found in stages.items():
            print(
                f"  {stage}: {found['cpu']:.1f} s of CPU, {found['wall']:.1f} s, peak "
                f"{found['peak'] / 2**20:.0f} MiB",
                flush=True,
            )
        written, trained = stages["write"], stages["train"]
        print(f"  {written['bytes'] / 2**20:.0f} MiB in the folder")
        print(f"  epoch {trained['epoch']:.1f} s")
        print(f"  bytes read / bytes needed: {trained['read']:.2f}", flush=True)
        seconds["write"].append(written["cpu"])
        seconds["train"].append(trained["cpu"])
        if n_jobs > 1:
            again = in_process("write", graphs, model, root / "parallel", n_jobs)
            print(
                f"  write in {n_jobs} processes: {again['wall']:.1f} s, "
                f"{written['wall'] / again['wall']:.2f} times as fast",
                flush=True,
            )
    if len(sizes) > 1:
        for stage, found in seconds.items():
            exponent = find_exponent(sizes, found)
            print(
                f"{stage}: seconds of CPU grow as graphs to the power of {exponent:.2f}"
            )


def compare_epochs(n_graphs: int, folder: Path, memory: int | None) -> None:
    """Compare epochs from a folder and in memory."""
    graphs, y = make_graph_classification(
        n_graphs, mean_nodes=34.0, random_state=0, return_X_y=True
    )
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(graphs)
    stored = coarsener.transform_to(folder / "molecules", graphs, y=y)
    whole = stored.in_memory()
    # As many buffers as one of the default size would be of a larger set.
    stored = HierarchyCollection.open(folder / "molecules", memory=memory)
    print(f"{stored.n_bytes / 2**20:.0f} MiB in the folder")
    make_classifier = partial(
        SHAKEClassifier, early_stopping=False, random_state=0, device="cpu"
    )
    seconds = []
    for hierarchies in (whole, stored, whole, stored):
        before = time.process_time()
        make_classifier(max_iter=1).fit(hierarchies, y)
        once = time.process_time()
        make_classifier(max_iter=4).fit(hierarchies, y)
        # What comes before and after the epochs is in both.
        seconds.append((time.process_time() - once - (once - before)) / 3)
    in_memory, streamed = min(seconds[::2]), min(seconds[1::2])
    print(
        f"epoch in memory {in_memory:.2f} s of CPU, from the folder {streamed:.2f} s: "
        f"{streamed / in_memory:.2f} times"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", type=int, nargs="*", default=[])
    parser.add_argument("--molecules", type=int, default=0)
    parser.add_argument("--memory", type=int, default=2**29, help="bytes")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, help="for files; a temporary one if none"
    )
    parser.add_argument("--stage", nargs="+", help="for the script itself")
    arguments = parser.parse_args()
    if arguments.stage:
        run_stage(arguments.stage[0], arguments.stage[1:])
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        root = Path(folder)
        if arguments.graphs:
            compare_sizes(arguments.graphs, root, arguments.memory, arguments.jobs)
        if arguments.molecules:
            compare_epochs(arguments.molecules, root, arguments.memory)


if __name__ == "__main__":
    main()
