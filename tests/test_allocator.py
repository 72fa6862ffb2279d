"""Memory that is freed is kept in a block, and given back after it or when asked."""

import platform
import sys

import pytest

from skshake import KFCoarsener, SHAKEClassifier, _allocator
from skshake._allocator import freed_memory_kept, give_freed_memory_back
from skshake.network import _predicting
from tests._helpers import run_process

RESIDENT = """
from pathlib import Path
import resource
def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
"""
# It prints how much of an array of 256 MiB stays with the process once it is freed, in
# a block and after it.
FREE_IN_A_BLOCK = """
from contextlib import nullcontext
import numpy as np
from skshake._allocator import freed_memory_kept
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
# It prints how much of many small arrays stays with the process once they are freed,
# but for one behind them, before and after it is given back.
FREE_SMALL_ARRAYS = """
import numpy as np
from skshake._allocator import give_freed_memory_back
before = resident()
arrays = [np.ones(8192) for _ in range(2048)]
last = arrays.pop()
arrays.clear()
print(resident() - before)
give_freed_memory_back()
print(resident() - before)
"""


class Library:
    """A C library that notes what is asked of it."""

    def __init__(self):
        self.calls = []

    def mallopt(self, setting, value):
        self.calls.append((setting, value))

    def malloc_trim(self, pad):
        self.calls.append("trimmed")


@pytest.fixture
def calls(monkeypatch):
    library = Library()
    monkeypatch.setattr(_allocator, "_find_glibc", lambda: library)
    return library.calls


def run(script, **tuning):
    """Megabytes that stay, as a script prints them: lines of numbers."""
    # What the user's environment says would hide what the block does.
    names = ("GLIBC_TUNABLES", *_allocator.VARIABLES, "LD_PRELOAD")
    unset = [part for name in names for part in ("-u", name)]
    values = [f"{name}={value}" for name, value in tuning.items()]
    command = ["env", *unset, *values, sys.executable, "-c", RESIDENT + script]
    printed = run_process(*command).stdout
    return [[float(number) for number in line.split()] for line in printed.splitlines()]


needs_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="the C library is not glibc"
)


@needs_glibc
def test_freed_memory_stays_in_the_block_and_goes_with_it():
    (before, _), (inside, after), (again, _) = run(FREE_IN_A_BLOCK)
    assert before < 64
    assert inside > 192
    assert after < 64
    assert again < 64


@needs_glibc
@pytest.mark.parametrize(
    "tuning",
    [
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1000000"},
        {"MALLOC_TRIM_THRESHOLD_": "65536"},
    ],
    ids=["tunables", "variable"],
)
def test_what_the_user_tuned_stays(tuning):
    assert all(
        number < 64 for pair in run(FREE_IN_A_BLOCK, **tuning) for number in pair
    )


@needs_glibc
def test_small_arrays_are_given_back_when_asked():
    (before,), (after,) = run(FREE_SMALL_ARRAYS)
    assert before > 96
    assert after < 32


@needs_glibc
def test_nothing_is_given_back_where_the_user_tuned():
    (before,), (after,) = run(FREE_SMALL_ARRAYS, MALLOC_TRIM_THRESHOLD_="1000000000")
    assert min(before, after) > 96


def test_nothing_is_given_back_in_a_block(calls):
    give_freed_memory_back()
    assert calls == ["trimmed"]
    calls.clear()
    with freed_memory_kept():
        give_freed_memory_back()
        assert "trimmed" not in calls
    give_freed_memory_back()
    assert calls[-2:] == ["trimmed"] * 2


def test_other_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(_allocator, "_find_glibc", lambda: None)
    with freed_memory_kept():
        pass
    give_freed_memory_back()


def test_blocks_within_blocks_change_settings_once(calls):
    with freed_memory_kept(), freed_memory_kept():
        assert calls == [*_allocator.KEEPING.items()]
    assert calls[2:] == [*_allocator.GIVING_BACK.items(), "trimmed"]


def test_fits_and_large_predictions_keep_memory(calls, small_mutag, monkeypatch):
    graphs, y = small_mutag
    hierarchies = KFCoarsener(n_forests=2, random_state=0).fit_transform(graphs)
    model = SHAKEClassifier(max_iter=1, device="cpu", random_state=0)
    model.fit(hierarchies, y)
    assert calls.count("trimmed") == 1
    model.predict(hierarchies)
    assert calls.count("trimmed") == 1
    monkeypatch.setattr(_predicting, "LARGE_ROWS", 100)
    model.predict(hierarchies)
    assert calls.count("trimmed") == 2
