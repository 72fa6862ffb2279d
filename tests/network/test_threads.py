"""Threads that share tasks."""

import pytest

from skshake.network._threads import Workers


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
