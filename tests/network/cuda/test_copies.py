"""The kernel that copies one batch out of a window, by hand."""

import torch


def test_slices_by_hand(device):
    from skshake.network.cuda._copies import copy_slices

    # Two arrays, two batches; the first is shifted, the second holds offsets.
    sources = [torch.arange(10, 17), torch.tensor([0, 3, 5, 9])]
    targets = [torch.full((5,), -1), torch.full((4,), -1)]
    sources, targets = ([t.to(device) for t in each] for each in (sources, targets))
    table = torch.tensor(
        [[[0, 2, 10], [2, 3, 7]], [[0, 2, -1], [1, 3, -1]]], device=device
    )
    addresses = [
        torch.tensor([t.data_ptr() for t in each], device=device)
        for each in (sources, targets)
    ]
    sizes = torch.tensor([5, 4], device=device)
    copy_slices[(2, 2)](
        torch.tensor([1], device=device),
        table,
        2,
        *addresses,
        sizes,
        WIDE=True,
        BLOCK=2,
    )
    # Behind its end a slice repeats its last value.
    assert targets[0].tolist() == [12 - 7, 13 - 7, 14 - 7, 14 - 7, 14 - 7]
    assert targets[1].tolist() == [0, 2, 6, 6]
