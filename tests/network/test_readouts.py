"""Read-outs by hand."""

import torch

from skshake.network._readouts import mean_max_sum


def test_mean_maximum_and_scaled_sum_by_hand():
    h = torch.tensor([[1.0], [3.0], [-5.0]])
    node_ptr = torch.tensor([0, 2, 2, 3])
    pooled = mean_max_sum(h, node_ptr)
    expected = [[2.0, 3.0, 4 / 2**0.5], [0.0, 0.0, 0.0], [-5.0, -5.0, -5.0]]
    torch.testing.assert_close(pooled, torch.tensor(expected))
