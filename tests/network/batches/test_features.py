"""Features on a device: unique rows, and slots that tell a block's size."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.graphs import rows_of
from skshake.network import _threads
from skshake.network._threads import lanes_in_threads
from skshake.network.batches import _features
from skshake.network.batches._features import DeviceFeatures, append_sizes, with_sizes
from skshake.network.batches._ranges import Chosen, Ranges

CPU = torch.device("cpu")


def test_sizes_are_appended_by_hand():
    indptr, slots = np.array([0, 2, 2]), np.array([4, 1], np.int32)
    shares = np.array([0.25, 0.75], np.float32)
    found = np.empty(6, np.int32), np.empty(6, np.float32)
    append_sizes(indptr, slots, shares, np.array([1, 3]), 9, *found)
    assert found[0].tolist() == [4, 1, 9, 10, 9, 10]
    expected = [0.25, 0.75, 0.0, 1.0, np.log(3), 1.0]
    np.testing.assert_allclose(found[1], expected, rtol=1e-6)


def test_sizes_are_those_of_blocks(small_mutag):
    hierarchies = KFCoarsener(q=0.5, n_forests=1, random_state=0).fit_transform(
        small_mutag[0]
    )
    (level,) = hierarchies.levels
    x = with_sizes(level.x, level.block_sizes(hierarchies.node_ptr))
    assert x.n_slots == level.x.n_slots + 2
    logs = x.shares[x.slots == level.x.n_slots]
    assert np.exp(logs).sum().round() == hierarchies.node_ptr[-1]


@pytest.mark.parametrize("n_first", [8, 8_192])
def test_unique_rows_are_the_rows(n_first, small_mutag, monkeypatch):
    monkeypatch.setattr(_features, "FIRST_ROWS", n_first)
    hierarchies = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(
        small_mutag[0]
    )
    (level,) = hierarchies.levels
    edge_attr, cpu = level.edge_attr, CPU
    device = DeviceFeatures(edge_attr, level.edge_ptr, cpu)
    table = device.unique.slots
    rows = [
        sorted(zip(edge_attr.slots[a:b], edge_attr.shares[a:b], strict=True))
        for a, b in zip(edge_attr.indptr[:-1], edge_attr.indptr[1:], strict=True)
    ]
    unique = [
        sorted(zip(table.col[a:b].tolist(), table.value[a:b].tolist(), strict=True))
        for a, b in zip(table.rowptr[:-1], table.rowptr[1:], strict=True)
    ]
    assert [unique[k] for k in device.unique_row.tolist()] == rows
    assert len(unique) == len({tuple(row) for row in rows})
    monkeypatch.setattr(_features, "MOST_UNIQUE", len(unique) - 1)
    assert DeviceFeatures(edge_attr, level.edge_ptr, cpu).unique is None


def test_many_unique_rows_are_seen_in_the_first(small_mutag, monkeypatch):
    (level,) = KFCoarsener(random_state=0).fit_transform(small_mutag[0]).levels
    n_hashed, find_unique = [], _features._find_unique
    monkeypatch.setattr(_features, "MOST_UNIQUE", 6)
    monkeypatch.setattr(_features, "FIRST_ROWS", 50)
    monkeypatch.setattr(
        _features,
        "_find_unique",
        lambda x: n_hashed.append(len(x.numeric)) or find_unique(x),
    )
    cpu = torch.device("cpu")
    assert DeviceFeatures(level.x, level.node_ptr, cpu).unique is None
    # Return probabilities differ from node to node, so the rest need not be looked at.
    assert n_hashed == [50]


@pytest.fixture
def sized(small_mutag, monkeypatch):
    """A level, sizes of its blocks, and its features on the host, row by row."""
    monkeypatch.setattr(_features, "MOST_UNIQUE", 6)
    hierarchies = KFCoarsener(q=0.5, random_state=0).fit_transform(small_mutag[0])
    level = hierarchies.levels[0]
    sizes = level.block_sizes(hierarchies.node_ptr)
    return level, sizes, DeviceFeatures(level.x, level.node_ptr, CPU, sizes)


@pytest.mark.parametrize("lane_rows", [8, 2_048])
def test_batches_get_the_sizes_of_their_blocks(lane_rows, sized, monkeypatch):
    monkeypatch.setattr(_threads, "LANE_ROWS", lane_rows)
    level, sizes, features = sized
    # Entries of all graphs are shared with the hierarchies, not copied.
    assert features.slots.data_ptr() == level.x.slots.ctypes.data
    graphs = np.array([7, 2, 9, 2])
    chosen = Chosen(torch.from_numpy(graphs), graphs)
    with lanes_in_threads():
        batch = features.gather(Ranges(level.node_ptr, CPU), chosen)
    rows, _ = rows_of(level.node_ptr, graphs)
    expected = with_sizes(level.x, sizes).take(rows)
    assert batch.n_slots == expected.n_slots
    np.testing.assert_array_equal(batch.numeric, expected.numeric)
    np.testing.assert_array_equal(batch.slots.rowptr, expected.indptr)
    np.testing.assert_array_equal(batch.slots.col, expected.slots)
    np.testing.assert_array_equal(batch.slots.value, expected.shares)
    assert features.entry_counts[graphs].sum() == len(expected.slots)


def test_batches_without_graphs_have_no_entries(sized):
    level, _, features = sized
    none = np.empty(0, np.int64)
    batch = features.gather(
        Ranges(level.node_ptr, CPU), Chosen(torch.from_numpy(none), none)
    )
    assert batch.slots.rowptr.tolist() == [0]
    assert len(batch.slots.col) == len(batch.numeric) == 0
