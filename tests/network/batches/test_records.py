"""Small things that records of a batch are made with."""

import numpy as np
import torch

from skshake.network.batches._records import ptr_of, send


def test_offsets_begin_at_zero():
    assert ptr_of(torch.tensor([2, 0, 3])).tolist() == [0, 2, 2, 5]


def test_arrays_that_are_read_only_are_copied():
    values = np.arange(3)
    values.flags.writeable = False
    tensor = send(values, torch.device("cpu"))
    tensor[0] = 7
    assert values.tolist() == [0, 1, 2]
