"""Threads inside compiled code: each piece is done once, and none runs ahead."""

from threading import Thread

import numpy as np
import pytest
from numba import njit

from skshake.network._meeting import await_all, make_turns, note_done, take_next
from skshake.network._parallel import lanes_in_threads, run_together


@njit(nogil=True)
def count_up(turns, n_pieces, done, seen):
    """Each piece of each round adds 1; what all see then is the whole round."""
    for t in range(turns.shape[1]):
        while True:
            piece = take_next(turns, t)
            if piece >= n_pieces:
                break
            done[t, piece] += 1
            note_done(turns, t)
        await_all(turns, t, n_pieces)
        if done[t].sum() == n_pieces:
            seen[t] = True


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_pieces", [1, 4])
def test_every_piece_is_done_once_before_the_next_round(n_threads, n_pieces):
    n_rounds = 2_000
    done = np.zeros((n_rounds, n_pieces), np.int64)
    seen = np.zeros((n_threads, n_rounds), np.bool_)
    turns = make_turns(n_rounds)
    threads = [
        Thread(target=count_up, args=(turns, n_pieces, done, seen[k]))
        for k in range(n_threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (done == 1).all()
    assert seen.all()


def test_a_thread_that_comes_late_finds_nothing_left():
    turns, done = make_turns(3), np.zeros((3, 2), np.int64)
    for _ in range(2):
        count_up(turns, 2, done, np.zeros(3, np.bool_))
    assert (done == 1).all()


def test_a_task_runs_in_no_more_threads_than_there_are_pieces(monkeypatch):
    monkeypatch.setattr("torch.get_num_threads", lambda: 3)
    for n_pieces, expected in ((1, 1), (2, 2), (9, 3)):
        calls = []
        with lanes_in_threads():
            run_together(lambda calls=calls: calls.append(1), n_pieces)
        assert len(calls) == expected
