"""Message passing in plain torch, by hand."""

import torch

from skshake.network._message import Arcs, sum_messages


def test_messages_by_hand():
    # Triangle 0, 1, 2 with a tail 2 - 3; node 4 is isolated.
    arcs = Arcs(
        torch.tensor([0, 2, 4, 7, 8, 8]),
        torch.tensor([1, 2, 0, 2, 0, 1, 3, 2]),
        torch.tensor([0, 1, 0, 2, 1, 2, 3, 3]),  # edges 01, 02, 12, 23
        torch.tensor([1.0, 2.0, 1.0, 3.0, 2.0, 3.0, 4.0, 4.0]),
    )
    h = torch.tensor([[1.0], [-2.0], [3.0], [4.0], [5.0]])
    e = torch.tensor([[0.5], [0.0], [-1.0], [1.0]])
    expected = [
        1 * 0 + 2 * 3.0,  # from 1: relu(-1.5) = 0; from 2: relu(3)
        1 * 1.5 + 3 * 2.0,
        2 * 1.0 + 3 * 0 + 4 * 5.0,
        4 * 4.0,
        0.0,
    ]
    assert sum_messages(h, e, arcs).ravel().tolist() == expected
    assert arcs.targets().tolist() == [0, 0, 1, 1, 2, 2, 2, 3]
