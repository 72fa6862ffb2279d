"""Threads inside compiled code: each lane is done once, and none runs ahead."""

from threading import Barrier, Thread

import numpy as np
import pytest
import torch
from numba import njit

from skshake.network._threads import lanes_in_threads
from skshake.network.cpu._barrier import (
    await_all,
    note_done,
    run_together,
    take_next,
)

N_ROUNDS, WORK = 5_000, 200


@njit(nogil=True)
def count_up(counters, n_lanes, done, seen):
    """Each lane of each round adds 1; what all see then is the whole round."""
    for t in range(counters.shape[1]):
        while True:
            lane = take_next(counters, t)
            if lane >= n_lanes:
                break
            # Long enough for another thread to come between.
            for _ in range(WORK):
                done[t, lane] += 1
            note_done(counters, t)
        await_all(counters, t, n_lanes)
        seen[t] = done[t].sum() == n_lanes * WORK


@pytest.fixture
def three_threads():
    n_threads = torch.get_num_threads()
    torch.set_num_threads(3)
    with lanes_in_threads():
        yield
    torch.set_num_threads(n_threads)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_lanes", [1, 4])
def test_every_lane_is_done_once_before_the_next_round(n_threads, n_lanes):
    done = np.zeros((N_ROUNDS, n_lanes), np.int64)
    seen = np.zeros((n_threads, N_ROUNDS), np.bool_)
    counters, start = np.zeros((2, N_ROUNDS), np.int64), Barrier(n_threads)
    # Compiled before the threads start together.
    count_up(counters[:, :0], n_lanes, done, seen[0])

    def task(k):
        start.wait()
        count_up(counters, n_lanes, done, seen[k])

    threads = [Thread(target=task, args=(k,)) for k in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (done == WORK).all()
    assert seen.all()


def test_a_thread_that_comes_late_finds_nothing_left():
    counters, done = np.zeros((2, 3), np.int64), np.zeros((3, 2), np.int64)
    for _ in range(2):
        count_up(counters, 2, done, np.zeros(3, np.bool_))
    assert (done == WORK).all()


@pytest.mark.parametrize(("n_lanes", "expected"), [(1, 1), (2, 2), (9, 3)])
def test_no_more_threads_than_lanes(n_lanes, expected, three_threads):
    calls = []
    run_together(lambda counters: calls.append(counters), (), 4, n_lanes)
    assert len(calls) == expected
    assert all(counters is calls[0] for counters in calls)
    assert calls[0].shape == (2, 4)


def test_an_error_in_one_thread_lets_the_others_go(three_threads):
    def fail_once(counters):
        while True:
            lane = take_next(counters, 0)
            if lane >= 3:
                break
            if lane == 1:
                raise MemoryError("in lane 1")
            note_done(counters, 0)
        await_all(counters, 0, 3)

    with pytest.raises(MemoryError, match="lane 1"):
        run_together(fail_once, (), 1, 3)
