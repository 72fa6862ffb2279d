"""Ranges of rows: by hand, and gathered on a host as on a device."""

import numpy as np
import pytest
import torch

from skshake.network.batches._ranges import (
    Chosen,
    HostRanges,
    Ranges,
    copy_ranges,
)

CPU = torch.device("cpu")


@pytest.mark.parametrize("moves", [False, True])
def test_copies_by_hand(moves):
    # Graphs 1, 0, 1 of two graphs with two rows and one row of two values.
    ranges = HostRanges(
        np.array([0, 2]), np.array([2, 1]), np.array([1, 0, 1]), width=2
    )
    values, out = np.arange(6), np.full(12, -1)
    copy_ranges(0, 2, ranges, 1, values, moves, np.array([100, 200, 300]), out)
    expected = np.array([-1, -1, 4, 5, 0, 1, 2, 3, -1, -1, -1, -1])
    if moves:
        expected[2:4] += 100
        expected[4:8] += 200
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_host_gathers_what_a_device_does(dtype, shape, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ptr = np.concatenate([[0], rng.integers(0, 6, 20).cumsum()])
    ranges = Ranges(ptr, CPU)
    graphs = rng.integers(0, 20, 12)
    chosen = Chosen(torch.from_numpy(graphs), graphs)
    values = torch.from_numpy(rng.integers(0, 99, (ptr[-1], *shape))).to(dtype)
    shift = torch.from_numpy(rng.integers(0, 9, 12)) if not shape else None
    for shifts in (None, shift):
        found = ranges._take_on_host(values, chosen, shifts)
        expected = ranges._take_on_device(values, chosen, shifts)
        assert found.dtype == expected.dtype or dtype.is_floating_point
        assert torch.equal(found, expected.to(found.dtype))


def test_nothing_is_gathered_from_nothing():
    ranges, graphs = Ranges(np.zeros(4, np.int64), CPU), np.array([2, 0])
    chosen = Chosen(torch.from_numpy(graphs), graphs)
    assert ranges.take(torch.empty(0, 5), chosen).shape == (0, 5)
