"""Memory that is freed within a block is kept there, and given back after it."""

import pytest

from skshake.network import _allocator
from skshake.network._allocator import freed_memory_kept
from tests._helpers import run_python

# How much of an array of 256 MiB stays with the process once it is freed.
FREE_IN_A_BLOCK = """
from contextlib import nullcontext
from pathlib import Path
import resource
import numpy as np
from skshake.network._allocator import freed_memory_kept
def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
def grown(block):
    before = resident()
    with block:
        array = np.ones(2**25)
        del array
        inside = resident() - before
    return inside, resident() - before
for block in (nullcontext(), freed_memory_kept(), nullcontext()):
    print(*grown(block))
"""


def run(**environment):
    """Megabytes, inside a block and after it, of no block, of ours, and of none."""
    # What the user's environment says would hide what the block does.
    names = ("GLIBC_TUNABLES", *_allocator.NAMES.values())
    clean = dict.fromkeys(names, "")
    printed = run_python(FREE_IN_A_BLOCK, **clean | environment)
    return [[float(number) for number in line.split()] for line in printed.splitlines()]


needs_glibc = pytest.mark.skipif(
    _allocator._find_glibc() is None, reason="the C library is not glibc, or is tuned"
)


@needs_glibc
def test_freed_memory_stays_in_the_block_and_goes_with_it():
    (before, _), (inside, after), (again, _) = run()
    assert before < 64
    assert inside > 192
    assert after < 64
    assert again < 64


@needs_glibc
def test_what_the_user_tuned_stays():
    tuned = run(GLIBC_TUNABLES="glibc.malloc.trim_threshold=1000000")
    assert all(number < 64 for pair in tuned for number in pair)


def test_other_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(_allocator, "_find_glibc", lambda: None)
    with freed_memory_kept():
        pass


@needs_glibc
def test_settings_of_the_environment_come_back(monkeypatch):
    calls = []

    class Library:
        def mallopt(self, setting, value):
            calls.append((setting, value))

        def malloc_trim(self, pad):
            calls.append("trimmed")

    monkeypatch.setattr(_allocator, "_find_glibc", Library)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.setenv("MALLOC_MMAP_MAX_", "")
    with freed_memory_kept(), freed_memory_kept():
        assert calls == [(_allocator.MMAP_MAX, 0), (_allocator.TRIM_THRESHOLD, -1)]
        calls.clear()
    assert (_allocator.TRIM_THRESHOLD, 65_536) in calls
    assert (_allocator.MMAP_MAX, 65_536) in calls
    assert calls[-1] == "trimmed"
