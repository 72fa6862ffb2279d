"""The collector pauses, and goes on as it was."""

import gc

import pytest

from skshake import as_graphs
from skshake.graphs import garbage_collection_paused
from tests._helpers.kinds import as_ogb


@pytest.fixture(params=[True, False], ids=["on", "off"])
def was_enabled(request):
    """State of the collector before the test, whatever the last one left."""
    found = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if found else gc.disable)()


def test_the_collector_pauses_until_the_last_block_ends(was_enabled):
    with garbage_collection_paused():
        assert not gc.isenabled()
        with garbage_collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == was_enabled


def test_an_error_ends_the_pause(was_enabled):
    with pytest.raises(KeyError), garbage_collection_paused():
        raise KeyError
    assert gc.isenabled() == was_enabled


def test_graphs_are_read_in_a_pause(was_enabled):
    seen = []

    class Watching(dict):
        def items(self):
            seen.append(gc.isenabled())
            return super().items()

    assert len(as_graphs([Watching(as_ogb())] * 2)) == 2
    with pytest.raises(ValueError, match="Graph 0 has -1 nodes"):
        as_graphs([Watching(as_ogb(num_nodes=-1))])
    assert seen == [False] * 3
    assert gc.isenabled() == was_enabled
