"""Training on several devices while its processes are killed, at random times.

A training on two devices is killed (SIGKILL), either the process that called ``fit`` or
the one of the other device, at ``--kills`` random times each. After every kill all its
processes must be gone within a minute; then it is started again with the same
checkpoint folder, and must end with the weights of a training that nobody killed.

    python examples/benchmarks/check_ranks.py --kills 10
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag

MOST_SECONDS = 60


def train(checkpoint: Path, max_iter: int) -> None:
    """Train on two devices, and print the hash of the weights."""
    graphs, y = load_mutag(return_X_y=True)
    hierarchies = KFCoarsener(q=1.0, n_forests=2, random_state=0).fit_transform(graphs)
    model = SHAKEClassifier(
        max_iter=max_iter,
        early_stopping=True,
        n_iter_no_change=max_iter,
        checkpoint=checkpoint,
        device=["cpu", "cpu"],
        random_state=0,
    )
    model.fit(hierarchies, y)
    state = model.module_.state_dict()
    weights = b"".join(value.numpy().tobytes() for value in state.values())
    print(hashlib.sha256(weights).hexdigest())


def start(folder: str, max_iter: int) -> psutil.Popen:
    """A process that trains."""
    command = [sys.executable, __file__, "--train", folder, "--max-iter", str(max_iter)]
    return psutil.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: psutil.Popen) -> str:
    """Hash that a process prints, which must not fail."""
    out, errors = process.communicate(timeout=600)
    if process.returncode:
        raise SystemExit(errors.decode())
    return out.decode().strip()


def find_children(process: psutil.Popen) -> list[psutil.Process]:
    """Processes of a process, which may have ended."""
    found: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        found = process.children()
    return found


def kill_all(processes: list[psutil.Process]) -> None:
    """Kill those that have not ended by themselves meanwhile."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def kill(process: psutil.Popen, whom: str, seconds: float) -> tuple[bool, float, str]:
    """Whether someone was killed; seconds until all are gone; what was printed."""
    time.sleep(seconds)
    children = find_children(process)
    while whom == "rank" and not children and process.poll() is None:
        # It has no other process at first.
        time.sleep(0.01)
        children = find_children(process)
    everybody = [process, *children]
    victims = children if whom == "rank" else [process]
    is_killed = bool(victims) and process.poll() is None
    kill_all(victims)
    begin = time.monotonic()
    _, alive = psutil.wait_procs(everybody, timeout=2 * MOST_SECONDS)
    kill_all(alive)
    _, errors = process.communicate()
    return is_killed, time.monotonic() - begin, errors.decode()


def main() -> None:
    """Kill and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--max-iter", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--whom", nargs="+", default=["rank", "trainer"])
    parser.add_argument("--train", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        train(arguments.train, arguments.max_iter)
        return
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        # The first may compile kernels.
        for name in ("first", "whole"):
            begin = time.monotonic()
            expected = finish(start(f"{folder}/{name}", arguments.max_iter))
            whole = time.monotonic() - begin
        print(f"nobody killed: {whole:.1f} s", flush=True)
        for whom in arguments.whom:
            k = n_killed = 0
            while n_killed < arguments.kills:
                k += 1
                name = f"{folder}/{whom}{k}"
                seconds = rng.uniform(0, whole)
                process = start(name, arguments.max_iter)
                is_killed, gone, errors = kill(process, whom, seconds)
                found = finish(start(name, arguments.max_iter))
                n_killed += is_killed
                # No error where the training had ended already.
                says = "ended with signal SIGKILL" in errors
                print(
                    f"{whom} killed after {seconds:.1f} s: {is_killed}, all gone after "
                    f"{gone:.2f} s, error names the signal: {says}, same weights: "
                    f"{found == expected}",
                    flush=True,
                )
                if found != expected or gone > MOST_SECONDS:
                    raise SystemExit("lost")
                if whom == "rank" and is_killed and not says and "Error" in errors:
                    raise SystemExit(errors)


if __name__ == "__main__":
    main()
