"""Blocks that share lanes between threads, one inside another."""

import pytest
import torch

from skshake.network._parallel import lanes_in_threads


@pytest.mark.parametrize("torch_too", [False, True])
def test_threads_of_a_block_are_as_before_after_one_within(torch_too):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with lanes_in_threads(torch_too=torch_too):
            outside = torch.get_num_threads()
            assert outside == (2 if torch_too else 1)
            for inner in (False, True):
                with lanes_in_threads(torch_too=inner):
                    assert torch.get_num_threads() == (2 if inner else 1)
                assert torch.get_num_threads() == outside
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
