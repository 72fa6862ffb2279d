"""Dropout: its hash by hand, its law, and what it leaves alone."""

import torch

from skshake.network._dropout import drop, hash_counter
from skshake.network._random import find_streams
from tests._helpers import limit


def test_the_hash_by_hand():
    def by_hand(x, low, high):
        """lowbias32 in Python's integers."""
        mask = (1 << 32) - 1
        x = (x + low) & mask
        x = ((x ^ (x >> 16)) * 0x7FEB352D) & mask
        x = ((x ^ (x >> 15)) + high) & mask
        x = (x * 0x846CA68B) & mask
        return x ^ (x >> 16)

    words = [0, 1, 7, 2**31, 2**32 - 1]
    low, high = 5, 2**32 - 3
    stream = torch.tensor((high - 2**32 << 32) + low)
    expected = [by_hand(word, low, high) for word in words]
    assert hash_counter(torch.tensor(words), stream).tolist() == expected


def test_dropout_keeps_its_share(global_random_seed):
    n, keep = 100_000, 0.3
    streams = torch.from_numpy(find_streams(global_random_seed, 0, 2))
    one, other = (drop(torch.ones(n, 1), 1 - keep, s).ravel() > 0 for s in streams)
    # Also in step with the place before, and with the other stream.
    events = [one, other, one & other, one[1:] & one[:-1], one[64:] & one[:-64]]
    shares = [keep, keep, keep**2, keep**2, keep**2]
    for event, share in zip(events, shares, strict=True):
        # Values that overlap vary twice as much, at most.
        error = (2 * share * (1 - share) / len(event)) ** 0.5
        found = event.float().mean().item()
        assert abs(found - share) < limit(len(events)) * error


def test_nothing_is_dropped_without_a_stream():
    h = torch.rand(4, 3)
    assert drop(h, 0.5, None) is h
    assert drop(h, 0.0, torch.tensor(5)) is h
