"""Threads inside compiled code: each piece is done once, and none runs ahead."""

from threading import Barrier, Thread

import numpy as np
import pytest
import torch
from numba import njit

from skshake.network._meeting import await_all, note_done, run_together, take_next
from skshake.network._parallel import lanes_in_threads

N_ROUNDS, WORK = 5_000, 200


@njit(nogil=True)
def count_up(turns, n_pieces, done, seen):
    """Each piece of each round adds 1; what all see then is the whole round."""
    for t in range(turns.shape[1]):
        while True:
            piece = take_next(turns, t)
            if piece >= n_pieces:
                break
            # Long enough for another thread to come between.
            for _ in range(WORK):
                done[t, piece] += 1
            note_done(turns, t)
        await_all(turns, t, n_pieces)
        seen[t] = done[t].sum() == n_pieces * WORK


@pytest.fixture
def three_threads():
    n_threads = torch.get_num_threads()
    torch.set_num_threads(3)
    with lanes_in_threads():
        yield
    torch.set_num_threads(n_threads)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_pieces", [1, 4])
def test_every_piece_is_done_once_before_the_next_round(n_threads, n_pieces):
    done = np.zeros((N_ROUNDS, n_pieces), np.int64)
    seen = np.zeros((n_threads, N_ROUNDS), np.bool_)
    turns, start = np.zeros((2, N_ROUNDS), np.int64), Barrier(n_threads)
    # Compiled before the threads start together.
    count_up(turns[:, :0], n_pieces, done, seen[0])

    def task(k):
        start.wait()
        count_up(turns, n_pieces, done, seen[k])

    threads = [Thread(target=task, args=(k,)) for k in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (done == WORK).all()
    assert seen.all()


def test_a_thread_that_comes_late_finds_nothing_left():
    turns, done = np.zeros((2, 3), np.int64), np.zeros((3, 2), np.int64)
    for _ in range(2):
        count_up(turns, 2, done, np.zeros(3, np.bool_))
    assert (done == WORK).all()


@pytest.mark.parametrize(("n_pieces", "expected"), [(1, 1), (2, 2), (9, 3)])
def test_no_more_threads_than_pieces(n_pieces, expected, three_threads):
    calls = []
    run_together(lambda turns: calls.append(turns), (), 4, n_pieces)
    assert len(calls) == expected
    assert all(turns is calls[0] for turns in calls)
    assert calls[0].shape == (2, 4)


def test_an_error_in_one_thread_lets_the_others_go(three_threads):
    def fail_once(turns):
        while True:
            piece = take_next(turns, 0)
            if piece >= 3:
                break
            if piece == 1:
                raise MemoryError("in piece 1")
            note_done(turns, 0)
        await_all(turns, 0, 3)

    with pytest.raises(MemoryError, match="piece 1"):
        run_together(fail_once, (), 1, 3)
