"""Run all benchmarks that take less than an hour together, and write docs/measured.md.

    python examples/benchmarks/all.py --data DATA

DATA holds ``graphs/*.npz`` and ``molecules/*.csv.gz``. Each benchmark runs in a process
of its own, one after the other, and its tables become a section of the page, with its
command. ``--only NAME`` runs one again and replaces its section in place. Long ones run
in a short version here; ``--list`` shows the commands. What measures time does not run
while others keep the machine busy, and nothing runs where files differ from the commit,
unless ``--anyway`` says so, and then the page says it too. ``--quick`` runs each at the
smallest size, to see that everything works: its figures mean nothing, so it needs
another ``--page``.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from _bench import tell
from _measured import (
    MOST_LOAD,
    ROOT,
    Page,
    Section,
    changed_files,
    git,
    head,
    load_of_others,
    machine,
    now,
)

FOLDER = Path(__file__).parent
PAGE = ROOT / "docs" / "measured.md"


class Run(NamedTuple):
    """A benchmark as it runs here.

    ``command``: its script and options, where DATA and TMP stand for folders;
    ``quick``: options that make it as small as it gets, or, if it begins with a script,
    what runs instead; ``minutes``: about how long it takes on two cores; ``is_timed``:
    whether its figures depend on what else runs.
    """

    command: str
    quick: str
    minutes: float
    is_timed: bool = True


SMALL = "--quick --repeats 1"
RUNS = {
    "Coarsening": Run("bench_coarsening.py --data DATA --repeats 3", SMALL, 3),
    "Tables of subtrees": Run("bench_subtrees.py --data DATA --repeats 2", SMALL, 1),
    "q*": Run("bench_resolution.py --data DATA --repeats 1", SMALL, 11),
    "Training": Run("bench_training.py --data DATA --repeats 3", SMALL, 2),
    "Training, one linear layer": Run(
        "bench_training.py --data DATA --repeats 3 --n-linear 1", SMALL, 2
    ),
    "Latency": Run("bench_latency.py", SMALL, 1),
    "A large set": Run("bench_large.py --graphs 2000", "--graphs 20 --n-jobs 1", 1),
    "Larger than memory": Run(
        "bench_stream.py --graphs 158 1581 --memory 268435456", "--graphs 20 40", 2
    ),
    "Several processes": Run("bench_ranks.py --repeats 3", SMALL, 2),
    "Killed writers and trainings": Run(
        "check_kills.py --times 2", "--times 1", 2, is_timed=False
    ),
    "Killed ranks": Run("check_ranks.py --kills 1", "--max-iter 2", 2, is_timed=False),
    # All nine sets take more than an hour.
    "Peers": Run(
        "bench_peers.py DATA/graphs/MUTAG.npz DATA/graphs/ENZYMES.npz "
        "DATA/graphs/PROTEINS.npz DATA/graphs/IMDB-BINARY.npz "
        "--methods shake ensemble counts wl --csv TMP/peers.csv",
        "--methods shake counts --folds 2 --max-iter 1",
        8,
    ),
    "Molecules": Run(
        "bench_molecules.py DATA/molecules/molhiv.csv.gz --method ensemble "
        "--seeds 0 1 2",
        "bench_molecules.py DATA/molecules/bbbp.csv.gz --seeds 0 --max-iter 1",
        6,
        is_timed=False,
    ),
    "Calibration": Run(
        "check_calibration.py DATA/graphs/MUTAG.npz",
        "--graphs 60 --max-iter 1",
        1,
        is_timed=False,
    ),
    "Estimates of describe": Run(
        "check_describe.py DATA/graphs/MUTAG.npz --repeats 2", "--repeats 1", 1
    ),
    "Explanations": Run(
        "check_explanations.py --sets MUTAG planted",
        "--seeds 1 --max-iter 1 --planted 40",
        5,
        is_timed=False,
    ),
    "Payments": Run(
        "check_payments.py",
        "--seeds 3 --cases 64 --max-iter 1 --settings q*",
        1,
        is_timed=False,
    ),
    "Large numbers": Run("check_numbers.py --models forest", "", 1, is_timed=False),
    "Invariants": Run(
        "check_invariants.py DATA/graphs/DD.npz DATA/graphs/COLLAB.npz "
        "DATA/molecules/molhiv.csv.gz",
        "check_invariants.py DATA/graphs/MUTAG.npz",
        1,
        is_timed=False,
    ),
}


def measure(run: Run, data: Path, *, is_quick: bool) -> tuple[str, str]:
    """The command as a reader would type it, and what it printed.

    Raises
    ------
    CalledProcessError
        If the benchmark fails.
    """
    command = run.command
    if is_quick:
        is_other = run.quick.startswith(("bench_", "check_"))
        command = run.quick if is_other else f"{command} {run.quick}".strip()
    shown = command.replace("TMP/", "")
    with TemporaryDirectory() as folder:
        places = {"DATA": str(data), "TMP": folder}
        script, *options = (
            "/".join(places.get(part, part) for part in word.split("/"))
            for word in command.split(" ")
        )
        found = subprocess.run(
            [sys.executable, str(FOLDER / script), *options],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    return f"python examples/benchmarks/{shown}", found.stdout


def disturbances(page: Path, *, is_timed: bool) -> list[str]:
    """What makes figures doubtful: other work, or files of no commit."""
    found = []
    load = load_of_others() if is_timed else 0.0
    if load > MOST_LOAD:
        found.append(f"others kept {load:.1f} processors busy")
    files = changed_files(page)
    if files:
        some = ", ".join(files[:3]) + (", ..." if len(files) > 3 else "")
        found.append(f"{len(files)} files differed from the commit ({some})")
    return found


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=[], metavar="NAME")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--list", action="store_true", help="show what would run")
    parser.add_argument("--anyway", action="store_true", help="on a busy machine too")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    names = arguments.only or [*RUNS]
    if arguments.list:
        for name in names:
            print(f"{name}: {RUNS[name].command}, about {RUNS[name].minutes:g} min")
        return
    if arguments.data is None:
        parser.error("--data: expected the folder of the data sets")
    page = arguments.page.resolve()
    if arguments.quick and page == PAGE:
        parser.error("--quick: expected another --page, for figures that mean nothing")
    is_timed = any(RUNS[name].is_timed for name in names)
    found = [] if arguments.quick else disturbances(page, is_timed=is_timed)
    if found and not arguments.anyway:
        parser.exit(1, f"not measured: {'; '.join(found)} (--anyway goes on)\n")
    commit = git("rev-parse", "--short", "HEAD")
    written = Page(page, head(commit), is_new=not arguments.only)
    failed = []
    for number, name in enumerate(names):
        if number and not arguments.quick:
            found = disturbances(page, is_timed=RUNS[name].is_timed)
        tell(f"{now()}: {name}, about {RUNS[name].minutes:g} min")
        start = time.perf_counter()
        try:
            run = RUNS[name]
            command, output = measure(run, arguments.data, is_quick=arguments.quick)
        except subprocess.CalledProcessError as error:
            tell(f"{name} failed: {error}")
            failed.append(name)
            continue
        seconds = time.perf_counter() - start
        state = f"Commit {commit}, {now()}, {machine()}, {seconds:.0f} s."
        if found:
            tell(f"{name}: {'; '.join(found)}")
            state += f" **Doubtful: {'; '.join(found)}.**"
        written.put(Section(name, command, state, output), [*RUNS])
    if failed:
        parser.exit(1, f"failed: {', '.join(failed)}\n")


if __name__ == "__main__":
    main()
