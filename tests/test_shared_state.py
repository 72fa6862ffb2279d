"""Changes of the process that overlap, in every order."""

from contextlib import contextmanager
from itertools import permutations

import pytest

from skshake._shared_state import WhileNeeded


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_the_last_block_takes_the_change_back(order):
    log = []

    @contextmanager
    def change():
        log.append("made")
        yield len(log)
        log.append("taken back")

    shared = WhileNeeded(change)
    blocks = [shared() for _ in range(3)]
    assert [block.__enter__() for block in blocks] == [1, 1, 1]
    for k in order:
        assert log == ["made"]
        blocks[k].__exit__(None, None, None)
    assert log == ["made", "taken back"]
    with shared() as value:
        assert value == 3


def test_an_error_takes_the_change_back():
    log = []

    @contextmanager
    def change():
        yield
        log.append("taken back")

    with pytest.raises(RuntimeError, match="inside"), WhileNeeded(change)():
        raise RuntimeError("inside")
    assert log == ["taken back"]


def test_a_change_that_fails_leaves_nothing_behind():
    fails = [True]

    @contextmanager
    def change():
        if fails:
            raise RuntimeError("no change")
        yield "made"

    shared = WhileNeeded(change)
    with pytest.raises(RuntimeError, match="no change"), shared():
        pass
    fails.clear()
    with shared() as value:
        assert value == "made"


def test_a_fork_takes_nested_changes_back_once():
    log = []

    @WhileNeeded
    @contextmanager
    def inner():
        log.append("inner made")
        yield
        log.append("inner taken back")

    @WhileNeeded
    @contextmanager
    def outer():
        with inner():
            yield
        log.append("outer taken back")

    block = outer()
    block.__enter__()
    # What a child runs after a fork, in the order in which it was registered.
    inner._start_anew()
    outer._start_anew()
    assert log == ["inner made", "inner taken back", "outer taken back"]
    block.__exit__(None, None, None)
    with inner():
        assert log[3:] == ["inner made"]
    assert log[4:] == ["inner taken back"]
