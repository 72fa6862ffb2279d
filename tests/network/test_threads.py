"""Threads that share tasks, and blocks of them one inside another."""

import pytest
import torch

from skshake.network._threads import Workers, lanes_in_threads


def test_an_error_in_a_thread_is_raised():
    workers = Workers(2)

    def task(k):
        if k == 1:
            raise RuntimeError("in lane 1")

    with pytest.raises(RuntimeError, match="lane 1"):
        workers.run(task, 2)
    done = []
    workers.run(done.append, 5)
    assert sorted(done) == [0, 1, 2, 3, 4]
    workers.close()


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
