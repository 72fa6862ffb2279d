"""docs/measured.md: a head, and a section per benchmark, each replaced in place.

In: what a benchmark printed, and of what state. Out: a page of Markdown.
"""

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil
from threadpoolctl import threadpool_info

ROOT = Path(__file__).parents[2]
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "torch", "torch-geometric")
SECTION = "\n## "
# Processors that others may keep busy, on average over some seconds.
MOST_LOAD, SECONDS = 0.5, 5.0


def git(*arguments: str) -> str:
    """Output of git in this checkout."""
    command = ["git", "-C", str(ROOT), *arguments]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return found.stdout.strip()


def changed_files(page: Path) -> list[str]:
    """Files that differ from the commit, but for the page."""
    lines = git("status", "--porcelain", "--untracked-files=all").splitlines()
    files = [line.split(maxsplit=1)[1] for line in lines]
    return [file for file in files if (ROOT / file) != page.resolve()]


def load_of_others() -> float:
    """Processors that are busy while this process waits."""
    return psutil.cpu_percent(SECONDS) / 100 * (psutil.cpu_count() or 1)


def cpu_name() -> str:
    """What the processor calls itself."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text("utf-8").splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """The processor, and how many cores of it there are."""
    n_cores = (
        len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    )
    return f"{cpu_name()}, {n_cores} cores"


def blas() -> str:
    """The BLAS that numpy multiplies matrices with, and which kernels it has chosen."""
    libraries = [
        f"{library['internal_api']} {library['version']}"
        f" ({library.get('architecture', 'kernels unknown')})"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return ", ".join(dict.fromkeys(libraries)) or "unknown"


def now() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def head(commit: str) -> str:
    """What stands above all sections."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        "# Measured\n\n"
        "Written by `python examples/benchmarks/all.py --data DATA`; what the tables "
        "mean is in\n[benchmarks](benchmarks.md). A section that was measured again "
        "names its own commit.\n\n"
        f"* commit {commit}, {now()}\n"
        f"* {machine()}\n"
        f"* BLAS of numpy: {blas()}\n"
        f"* Python {platform.python_version()}, {versions}\n"
    )


@dataclass(frozen=True)
class Section:
    """What one benchmark printed.

    Parameters
    ----------
    name : str
        Its heading.
    command : str
        As a reader would type it.
    state : str
        Commit, date, machine, and what disturbed it.
    output : str
        Markdown.
    """

    name: str
    command: str
    state: str
    output: str

    def render(self) -> str:
        """The section without its heading."""
        printed = self.output.strip()
        if "|" not in printed:
            # Lines rather than tables.
            printed = f"```\n{printed}\n```"
        return f"`{self.command}`\n\n{self.state}\n\n{printed}\n"


class Page:
    """The page in a file, or a new one.

    Parameters
    ----------
    path : Path
    top : str
        The head of a new page.
    is_new : bool
        Whether what the file holds goes.
    """

    def __init__(self, path: Path, top: str, *, is_new: bool) -> None:
        self.path, self.top = path, top
        self.sections: dict[str, str] = {}
        if path.exists() and not is_new:
            old_top, *parts = path.read_text("utf-8").split(SECTION)
            if parts:
                self.top = old_top
            for part in parts:
                name, _, body = part.partition("\n")
                self.sections[name] = body.strip("\n") + "\n"

    def put(self, section: Section, order: list[str]) -> None:
        """Replace a section, or add it where it belongs, and write the file."""
        self.sections[section.name] = section.render()
        known = [name for name in order if name in self.sections]
        others = [name for name in self.sections if name not in order]
        parts = (f"## {name}\n\n{self.sections[name]}" for name in known + others)
        text = "\n".join([self.top.strip("\n") + "\n", *parts])
        self.path.write_text(text, "utf-8")
