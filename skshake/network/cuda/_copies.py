"""A Triton kernel that copies one batch out of a window, to fixed addresses.

In: arrays of a window, and a table of each batch's slices. Out: a batch whose place and
size never change, as a CUDA graph needs it.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy_slices(
    batch,
    table,
    most_batches,
    sources,
    targets,
    sizes,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Copy one batch's slice of each array, and fill the rest with its last value.

    Parameters
    ----------
    batch : int64 (1,), number of the batch  # IN
    table : int64 (n_arrays, most_batches, 3), start and length of each slice, and what
        to take from each value; -1 takes its first value  # IN
    sources, targets : int64 (n_arrays,), addresses  # IN
    sizes : int64 (n_arrays,), values to write  # IN
    WIDE : bool, whether values are int64, else 32 bits  # IN
    """
    a, block = tl.program_id(0), tl.program_id(1)
    row = table + (a * most_batches + tl.load(batch)) * 3
    start, length, shift = tl.load(row), tl.load(row + 1), tl.load(row + 2)
    size = tl.load(sizes + a)
    # An empty slice has no last value.
    there = tl.where(length > 0, size, 0)
    if WIDE:
        source = tl.load(sources + a).to(tl.pointer_type(tl.int64))
        target = tl.load(targets + a).to(tl.pointer_type(tl.int64))
    else:
        source = tl.load(sources + a).to(tl.pointer_type(tl.int32))
        target = tl.load(targets + a).to(tl.pointer_type(tl.int32))
    for first in range(block * BLOCK, size, tl.num_programs(1) * BLOCK):
        t = first + tl.arange(0, BLOCK)
        at = start + tl.minimum(t, length - 1)
        value = tl.load(source + at, mask=t < there, other=0)
        if WIDE:
            taken = shift
            if shift < 0:
                taken = tl.load(source + start)
            value -= tl.where(length > 0, taken, 0)
        tl.store(target + t, value, mask=t < size)
