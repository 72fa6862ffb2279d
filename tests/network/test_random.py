"""Streams of random numbers: their law, their reach, and what they leave alone."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from skshake.network._random import (
    KNOWN_STEPS,
    OwnStream,
    StepStreams,
    find_streams,
    torch_stream,
)


def draw(n=4):
    """What torch draws in several ways."""
    return torch.cat(
        [
            torch.rand(n),
            torch.rand_like(torch.ones(n)),
            nn.Linear(n, n).weight.detach().ravel(),
            functional.dropout(torch.ones(n * n), 0.5),
            torch.randperm(n).float(),
            functional.gumbel_softmax(torch.ones(n), dim=0),
        ]
    )


def test_an_own_stream_leaves_that_of_torch_alone():
    before = torch.get_rng_state()
    for stream in (OwnStream, lambda seed: torch_stream(seed, torch.device("cpu"))):
        found = []
        for seed in (0, 0, 1):
            with stream(seed):
                found.append(draw())
        assert torch.equal(found[0], found[1])
        assert not torch.equal(found[0], found[2])
        assert torch.equal(torch.get_rng_state(), before)


def test_initial_weights_are_those_of_a_seeded_torch():
    with OwnStream(3):
        ours = nn.Linear(5, 4).weight
    with torch_stream(3, torch.device("cpu")):
        expected = nn.Linear(5, 4).weight
    assert torch.equal(ours, expected)


def test_a_user_may_seed_inside():
    with OwnStream(0):
        one = torch.rand(3, generator=torch.Generator().manual_seed(5))
    assert torch.equal(one, torch.rand(3, generator=torch.Generator().manual_seed(5)))


def split_mix(state):
    """SplitMix64 in Python's integers."""
    mask = (1 << 64) - 1
    z = state & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def test_streams_are_those_of_split_mix():
    golden = 0x9E3779B97F4A7C15
    for seed in (0, 1, 2**31 - 1):
        found = find_streams(seed, 2, 5).view(np.uint64)
        assert found.tolist() == [split_mix(seed + golden * k) for k in range(3, 8)]


def test_steps_have_streams_of_their_own():
    streams = StepStreams(5, 3, torch.device("cpu"))
    found = {
        step: streams.of_step(step).tolist()
        for step in (0, 1, KNOWN_STEPS - 1, KNOWN_STEPS, 1, 10**6)
    }
    for step, values in found.items():
        assert values == find_streams(5, 3 * step, 3).tolist()
    assert StepStreams(5, 0, torch.device("cpu")).of_step(0) is None
