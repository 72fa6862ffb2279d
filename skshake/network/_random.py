"""Random numbers of a network: all from one seed, whoever else draws meanwhile.

In: a seed. Out: initial weights, and a stream for each place of each step that drops
values. Nothing here draws from torch's own streams, which all threads of a process
share.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from skshake._splitmix import GOLDEN, mix

# Steps whose streams are sent to the device at once.
KNOWN_STEPS = 1_024
_one_at_a_time = Lock()


class OwnStream(TorchDispatchMode):
    """Inside, what torch draws in this thread comes from a stream of its own.

    For layers that draw by themselves: initial weights, and dropout of users' layers.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._generators: dict[torch.device, torch.Generator] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        options = dict(kwargs or {})
        is_random = torch.Tag.nondeterministic_seeded in func.tags
        if not is_random or options.get("generator") is not None:
            return func(*args, **options)
        device = _device_of(args, options)
        if device not in self._generators:
            generator = torch.Generator(device)
            self._generators[device] = generator.manual_seed(self._seed)
        generator = self._generators[device]
        taking = _taking_generator(func)
        if taking is not None:
            return taking(*args, **options, generator=generator)
        # Some functions, such as dropout on a GPU, draw from torch's stream alone.
        seed = torch.randint(2**62, (1,), generator=generator, device=device)
        with torch_stream(int(seed), device):
            return func(*args, **options)


@contextmanager
def torch_stream(seed: int, device: torch.device) -> Iterator[None]:
    """Seed torch's own stream inside, one thread at a time, and leave it as it was."""
    devices = [device] if device.type == "cuda" else []
    with _one_at_a_time, torch.random.fork_rng(devices):
        # Not torch.manual_seed, which would seed every other device too.
        torch.default_generator.manual_seed(seed)
        if device.type == "cuda":
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield


def _device_of(args: tuple, options: dict) -> torch.device:
    for value in (options.get("device"), *args):
        found = value.device if isinstance(value, Tensor) else value
        if isinstance(found, torch.device):
            # "cuda" is one of the devices too.
            return torch.empty(0, device=found).device
    return torch.device("cpu")


@cache
def _taking_generator(func: Any) -> Any:
    """The overload of a random function that takes a generator; None without one."""

    def names(overload: Any) -> set[str]:
        return {argument.name for argument in overload._schema.arguments}

    wanted = names(func) | {"generator"}
    packet = func.overloadpacket
    overloads = (getattr(packet, name) for name in packet.overloads())
    return next((o for o in (func, *overloads) if names(o) == wanted), None)


def find_streams(seed: int, first: int, n_streams: int) -> np.ndarray:
    """States of random numbers, one for each place of each step that drops.

    Parameters
    ----------
    seed : int
    first : int
        Number of the first among all of the seed.
    n_streams : int

    Returns
    -------
    streams : int64 array of shape (n_streams,)
        Bits of the outputs of SplitMix64 (Steele, Lea & Flood 2014).
    """
    number = np.arange(first + 1, first + n_streams + 1, dtype=np.uint64)
    found: np.ndarray = mix(np.uint64(seed) + GOLDEN * number)
    return found.view(np.int64)


class StepStreams:
    """States of random numbers of each step, on a device.

    Parameters
    ----------
    seed : int
    n_streams : int
        Places that drop.
    device : torch.device
    """

    def __init__(self, seed: int, n_streams: int, device: torch.device) -> None:
        self._seed, self._n_streams = seed, n_streams
        # At one address for all steps, as a captured step reads it again.
        self._now = torch.zeros(n_streams, dtype=torch.int64, device=device)
        self._known, self._first = self._now[:0], 0

    def of_step(self, step: int) -> Tensor | None:
        """Those of a step, int64 (n_streams,), which later calls overwrite."""
        if not self._n_streams:
            return None
        row = step - self._first
        if not 0 <= row < len(self._known):
            self._first, row, n = step, 0, self._n_streams
            streams = find_streams(self._seed, step * n, KNOWN_STEPS * n)
            table = torch.from_numpy(streams.reshape(KNOWN_STEPS, n))
            self._known = table.to(self._now.device)
        return self._now.copy_(self._known[row])
