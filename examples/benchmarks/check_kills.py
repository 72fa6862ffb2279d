"""Kill writers and trainings at random times, and compare with those left alone.

    python examples/benchmarks/check_kills.py --times 10 --folder /scratch

Writes graphs of the shape of ogbg-ppa into a folder, and trains on the folder from
buffers, in processes that get SIGKILL after a random time; each is started again until
it is done. Prints how often each was killed. Fails if a file or a weight differs from
those of processes that nobody killed.
"""

import argparse
import hashlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STAGES = {
    "write": """
import sys
from functools import partial
from skshake import KFCoarsener
from skshake.datasets import make_like
sources = [partial(make_like, "ogbg-ppa", 40, random_state=k) for k in range(24)]
coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(sources[:1])
print("begun", flush=True)
coarsener.transform_to(sys.argv[1] + "/hier", sources)
""",
    "train": """
import sys
import numpy as np
from skshake import HierarchyCollection, SHAKEClassifier
X = HierarchyCollection.open(sys.argv[1] + "/../whole/hier", memory=3 * 10**6)
y = np.arange(len(X)) % 2
model = SHAKEClassifier(
    n_layers=1, hidden_dim=16, max_iter=8, early_stopping=False, device="cpu",
    random_state=0, checkpoint=sys.argv[1] + "/runs",
)
print("begun", flush=True)
weights = model.fit(X, y).module_.state_dict()
with open(sys.argv[1] + "/weights", "wb") as file:
    file.write(b"".join(values.numpy().tobytes() for values in weights.values()))
""",
}


def start(stage: str, folder: Path) -> subprocess.Popen:
    """A process that has begun with its work."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", STAGES[stage], str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def digest(folder: Path) -> str:
    """Hash of what a stage is to leave: a folder of hierarchies, or weights."""
    found = hashlib.sha256()
    for path in [*sorted(folder.glob("hier/*")), folder / "weights"]:
        if path.exists():
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def run_killed(stage: str, folder: Path, longest: float, rng: random.Random) -> int:
    """Start a stage again and again until it is done; the number of kills."""
    n_kills = 0
    while True:
        process = start(stage, folder)
        try:
            if process.wait(rng.uniform(0, longest)):
                raise SystemExit(f"{stage}: failed after {n_kills} kills")
            return n_kills
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            n_kills += 1


def check(stage: str, root: Path, times: int, rng: random.Random) -> int:
    """Kill a stage so many times at least, in as many runs as that takes."""
    quiet = root / "whole"
    if stage == "train" and not (quiet / "hier").exists():
        start("write", quiet).wait()
    begun = time.perf_counter()
    if start(stage, quiet).wait():
        raise SystemExit(f"{stage}: failed without being killed")
    # Now and then a process lives as long as it needs, so that there is progress.
    longest = time.perf_counter() - begun
    expected, n_kills, n_runs = digest(quiet), 0, 0
    while n_kills < times:
        folder = root / f"{stage}-{n_runs}"
        n_kills += run_killed(stage, folder, longest, rng)
        n_runs += 1
        if stage == "train":
            shutil.copytree(quiet / "hier", folder / "hier")
        if digest(folder) != expected:
            raise SystemExit(f"{stage}: differs after {n_kills} kills")
    return n_kills


def main() -> None:
    """Run the check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument(
        "--folder", type=Path, help="for files; a temporary one if none"
    )
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for stage in arguments.stages:
            n_kills = check(stage, Path(folder), arguments.times, rng)
            print(f"{stage}: killed {n_kills} times, ended as if it never was")


if __name__ == "__main__":
    main()
