"""Batches at fixed addresses hold what a window's slices hold."""

import pytest
import torch

from skshake.network.batches import DeviceHierarchies, Window, _features


def tensors_of(value):
    """All tensors of nested named tuples, and what lies between them."""
    if isinstance(value, tuple):
        for item in value:
            yield from tensors_of(item)
    elif value is not None:
        yield value


@pytest.mark.parametrize("most_unique", [0, 10_000])
@pytest.mark.parametrize("b", [0, 1])
def test_slices_are_the_batches(
    b, most_unique, device, batches, hierarchies, monkeypatch
):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    data = DeviceHierarchies(hierarchies, device)
    window = Window(data, batches, 0)
    assert window.graphs_of(b).tolist() == batches[b].tolist()
    for level, expected in zip(window.batch(b), data.batch(batches[b]), strict=True):
        arrays = [
            (level.node_ptr, expected.node_ptr),
            (level.x.numeric, expected.x.numeric),
            *zip(level.arcs[:4], expected.arcs[:4], strict=True),
            *zip(level.x.slots[:3], expected.x.slots[:3], strict=True),
        ]
        for name in ("row_of_node", "from_coarser"):
            csr = getattr(level, name)
            if csr is not None:
                arrays += zip(csr[:3], getattr(expected, name)[:3], strict=True)
        for one, other in arrays:
            assert torch.equal(one, other)


def test_static_batch_holds_the_slice_and_repeats_its_end(device, batches, hierarchies):
    from skshake.network.cuda._static_batch import StaticBatch, find_capacities

    data = DeviceHierarchies(hierarchies, device)
    window = Window(data, batches, 0)
    static = StaticBatch(window, find_capacities(data, 4))
    assert static.fits(window, 1)
    static.take(window, 1)
    static.fill()
    for held, expected in zip(static.levels, window.batch(1), strict=True):
        for one, other in zip(tensors_of(held), tensors_of(expected), strict=True):
            if isinstance(other, torch.Tensor) and len(other):
                assert torch.equal(one[: len(other)], other)
                assert (one[len(other) :] == other[-1]).all()
    assert not StaticBatch(window, find_capacities(data, 1)).fits(window, 1)
