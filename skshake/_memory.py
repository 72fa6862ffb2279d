"""available_memory: how much more memory this process may take.

In: nothing. Out: bytes, the least of what the machine has left and what a container or
a job of Slurm (a control group) is allowed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

# Where nothing is known.
UNKNOWN = 4 * 2**30
# Folder, and names of the limit and of the use in it, of both versions of control
# groups.
GROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


def available_memory() -> int:
    """Bytes that can be allocated without swapping, as far as can be found out."""
    found = [UNKNOWN]
    with suppress(OSError, ValueError, AttributeError):
        # A part of all memory, where nobody says what is free.
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2]
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(each for each in lines if each.startswith("MemAvailable"))
        found = [1024 * int(line.split()[1])]
    for folder, limit, use in GROUPS:
        # Without a limit it says "max", or more than there is.
        with suppress(OSError, ValueError, KeyError):
            group = Path(folder)
            lines = (group / "memory.stat").read_text().splitlines()
            stat = dict(line.split() for line in lines)
            # Files that were read count as used, and are given up when asked for.
            used = int((group / use).read_text()) - int(stat["inactive_file"])
            found.append(max(int((group / limit).read_text()) - used, 0))
    return min(found)
