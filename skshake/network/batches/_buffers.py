"""Buffers: graphs that are on the device at once, of sets that need not be.

In: hierarchies in memory or in a folder. Out: for each epoch the buffers that make it.
A set in memory is one buffer for all epochs. Of a folder, row groups are shuffled and
dealt to buffers of about equal size, whose graphs training shuffles in turn; while it
goes through one of them, a thread reads the next. Which graphs a buffer has, and how
they are shuffled, follows from the seed, the epoch and the buffer's number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skshake.hierarchy import HierarchyCollection, StoredHierarchies
from skshake.network.batches._device import DeviceHierarchies

# Bytes in memory for each byte in a folder: of all forests at once; of one forest,
# where two buffers are held, one of which is being made.
WHOLE_FACTOR, BUFFER_FACTOR = 4.0, 8.0
# Part of the free memory that graphs may take, and bytes in the folder of a buffer,
# where the user does not say how much memory there is. Powers of two, so that a
# training does not depend on how much memory happens to be free.
MOST_MEMORY, LARGEST_BUFFER = 0.4, 2**28
# Graphs from which is learnt what a whole set would be too large for.
SAMPLED_GRAPHS = 1_000

Send = Callable[[HierarchyCollection], DeviceHierarchies]


class Shares(NamedTuple):
    """How many graphs of a buffer ranks have, each of which has read its own.

    ``n_graphs`` of all, and ``n_fewest`` of the one with fewest.
    """

    n_graphs: int
    n_fewest: int

    def count_batches(self, batch_size: int) -> int:
        """Number of batches, of which each rank has a graph in each.

        Raises
        ------
        ValueError
            If a rank has no graph.
        """
        if not self.n_fewest:
            raise ValueError(
                "device: there are more processes than row groups of the folder in a "
                "buffer; give HierarchyCollection.open more memory, or train in fewer"
            )
        return min(-(-self.n_graphs // batch_size), self.n_fewest)


class Buffer(NamedTuple):
    """Graphs on the device.

    Parameters
    ----------
    data : DeviceHierarchies
    forest : int
        Which of its forests is trained on.
    graphs : int64 array or None
        Their numbers in the whole set; None for all in order.
    start, width : float
        Which part of the epoch it is.
    rng : Generator or None
        That makes its batches; None for the one that all epochs share.
    shares : Shares or None, default=None
        Of ranks that have read other graphs each; None where all know all graphs.
    """

    data: DeviceHierarchies
    forest: int
    graphs: np.ndarray | None
    start: float
    width: float
    rng: np.random.Generator | None
    shares: Shares | None = None


class WholeSet:
    """A set that is on the device as a whole: one buffer.

    Parameters
    ----------
    data : DeviceHierarchies
    """

    def __init__(self, data: DeviceHierarchies) -> None:
        self.data = data
        self.n_forests = data.n_forests
        self.n_bytes = None

    @property
    def sample(self) -> DeviceHierarchies:
        """Graphs to learn from what all graphs have in common."""
        return self.data

    def plan(self, epoch: int) -> list[np.ndarray | None]:
        """Graphs of each buffer."""
        return [None]

    def shares(self, epoch: int) -> list[Shares | None]:
        """How many graphs of each buffer ranks have read: all know all."""
        return [None]

    def buffers(self, epoch: int, first: int = 0) -> Iterator[Buffer]:
        """Buffers of an epoch, from the given one on."""
        if not first:
            yield Buffer(self.data, epoch % self.n_forests, None, 0.0, 1.0, None)


class StoredSet:
    """A set in a folder, of which two buffers are in memory at a time.

    Parameters
    ----------
    hierarchies : StoredHierarchies
    send : callable
        Gives what is on the device of a collection in memory.
    n_bytes : float
        Bytes in the folder of a buffer.
    seed : int
    n_epochs : int
        Most epochs, beyond which nothing is read ahead.
    rank, n_ranks : int, default=0 and 1
        Of processes that go through the folder together, each of which reads every
        ``n_ranks``-th of the row groups of a buffer.
    """

    def __init__(
        self,
        hierarchies: StoredHierarchies,
        send: Send,
        n_bytes: float,
        seed: int,
        n_epochs: int,
        rank: int = 0,
        n_ranks: int = 1,
    ) -> None:
        self._hierarchies, self._send = hierarchies, send
        self.n_bytes, self._seed, self._n_epochs = n_bytes, seed, n_epochs
        self._rank, self._n_ranks = rank, n_ranks
        self.n_forests = hierarchies.n_forests
        # Asked for again with each buffer; the next epoch is read ahead.
        self._plan_of_ranks = lru_cache(maxsize=2)(self._make_plan_of_ranks)
        self._executor = ThreadPoolExecutor(1, "next buffer")
        self._ahead: tuple[tuple[int, int], Future[Buffer]] | None = None

    def close(self) -> None:
        """Stop reading ahead."""
        self._ahead = None
        self._executor.shutdown(cancel_futures=True)

    @cached_property
    def sample(self) -> DeviceHierarchies:
        """Graphs to learn from what all graphs have in common."""
        return self._send(sample_stored(self._hierarchies, SAMPLED_GRAPHS))

    def plan(self, epoch: int) -> list[np.ndarray]:
        """Graphs of each buffer, in the order of the folder within row groups."""
        return [of_ranks[self._rank] for of_ranks in self._plan_of_ranks(epoch)]

    def shares(self, epoch: int) -> list[Shares | None]:
        """How many graphs of each buffer ranks have read; None of one alone."""
        if self._n_ranks == 1:
            return [None for _ in self._plan_of_ranks(epoch)]
        counts = ([len(g) for g in each] for each in self._plan_of_ranks(epoch))
        return [Shares(sum(of_ranks), min(of_ranks)) for of_ranks in counts]

    def _make_plan_of_ranks(self, epoch: int) -> list[list[np.ndarray]]:
        """Graphs of each buffer, those of each rank."""
        forest = self._hierarchies.one_forest(epoch % self.n_forests)
        graphs, ptr, sizes = forest.split_groups()
        order = np.random.default_rng([self._seed, epoch]).permutation(len(sizes))
        none = graphs[:0]
        return [
            [
                np.concatenate(
                    [
                        none,
                        *(graphs[ptr[g] : ptr[g + 1]] for g in order[first:last][rank]),
                    ]
                )
                for rank in (
                    slice(k, None, self._n_ranks) for k in range(self._n_ranks)
                )
            ]
            for first, last in _cut(sizes[order], self.n_bytes * self._n_ranks)
        ]

    def buffers(self, epoch: int, first: int = 0) -> Iterator[Buffer]:
        """Buffers of an epoch, from the given one on."""
        n_buffers = len(self.plan(epoch))
        for number in range(first, n_buffers):
            buffer = self._take(epoch, number)
            if number + 1 < n_buffers:
                self._read_ahead(epoch, number + 1)
            elif epoch + 1 < self._n_epochs:
                self._read_ahead(epoch + 1, 0)
            yield buffer
            # Freed before the next but one is made.
            del buffer

    def _take(self, epoch: int, number: int) -> Buffer:
        """A buffer that was read ahead, if it is the one."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == (epoch, number):
            return ahead[1].result()
        return self._make(epoch, number)

    def _read_ahead(self, epoch: int, number: int) -> None:
        future = self._executor.submit(self._make, epoch, number)
        self._ahead = (epoch, number), future

    def _make(self, epoch: int, number: int) -> Buffer:
        plan, shares = self.plan(epoch), self.shares(epoch)[number]
        ends = np.cumsum([0, *map(len, plan)])
        ends = ends / ends[-1]
        # Sorted, so that row groups are read as they lie in the folder.
        graphs = np.sort(plan[number])
        forest = self._hierarchies.one_forest(epoch % self.n_forests)
        data = self._send(forest.take(graphs).in_memory(with_names=False))
        # Seeds that end with zeros are the same as those without.
        rng = np.random.default_rng([self._seed, epoch, number + 1])
        start, stop = ends[number : number + 2].tolist()
        return Buffer(data, 0, graphs, start, stop - start, rng, shares)


def sample_stored(hierarchies: StoredHierarchies, n: int) -> HierarchyCollection:
    """About so many graphs from row groups all over the folder, of the first forest."""
    some = hierarchies.first_forests(1)
    return some.take(some.spread(n)).in_memory(with_names=False)


def pieces_in_order(hierarchies: StoredHierarchies, n_bytes: float) -> list[np.ndarray]:
    """Graphs in the order of the folder, of at most about so many bytes each."""
    graphs, ptr, sizes = hierarchies.split_groups()
    return [graphs[ptr[first] : ptr[last]] for first, last in _cut(sizes, n_bytes)]


def _cut(sizes: np.ndarray, most: float) -> list[tuple[int, int]]:
    """Ranges of consecutive row groups of about equal size, of about ``most`` bytes."""
    total = sizes.sum()
    n_ranges = max(1, int(np.ceil(total / most)))
    # The range that the middle of each group falls into.
    of_group = (np.cumsum(sizes) - sizes / 2) * (n_ranges / total)
    cuts = np.flatnonzero(np.diff(of_group.astype(np.int64))) + 1
    return list(pairwise([0, *cuts.tolist(), len(sizes)]))


def find_buffer_bytes(hierarchies: StoredHierarchies, free: int) -> float | None:
    """Bytes in the folder of a buffer; None if all graphs fit into memory at once.

    Parameters
    ----------
    hierarchies : StoredHierarchies
    free : int
        Bytes of memory that are free, which count where the user gave no number.
    """
    memory = hierarchies.memory
    is_given = memory is not None
    most = float(memory) if memory is not None else MOST_MEMORY * free
    if WHOLE_FACTOR * hierarchies.n_bytes <= most:
        return None
    n_bytes = most / BUFFER_FACTOR
    if is_given:
        return n_bytes
    return float(min(LARGEST_BUFFER, 2.0 ** np.floor(np.log2(max(n_bytes, 1)))))
