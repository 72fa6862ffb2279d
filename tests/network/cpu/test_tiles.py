"""Lanes and tiles: every graph once, whole."""

import numpy as np

from skshake.network.cpu._tiles import cut, find_room


def test_lanes_cover_whole_graphs_once():
    rng = np.random.default_rng(0)
    for n_graphs, largest in ((1, 10), (3, 9_000), (500, 40), (2_000, 3)):
        node_ptr = np.concatenate([[0], rng.integers(0, largest, n_graphs).cumsum()])
        tiles, lane_ptr = cut(node_ptr)
        assert lane_ptr[0] == 0
        assert lane_ptr[-1] == len(tiles)
        assert (np.diff(lane_ptr) > 0).all()
        assert (tiles[1:, [0, 2]] == tiles[:-1, [1, 3]]).all()
        assert tiles[0].tolist()[::2] == [0, 0]
        assert tiles[-1, 1] == node_ptr[-1]
        assert tiles[-1, 3] == n_graphs
        assert (node_ptr[tiles[:, 2:]] == tiles[:, :2]).all()


def test_a_large_graph_gets_rows_of_its_own():
    scratch = np.zeros((2, 4, 3), np.float32)
    assert np.shares_memory(find_room(np.array([5, 9, 0, 1]), scratch), scratch)
    room = find_room(np.array([5, 10, 0, 1]), scratch)
    assert not np.shares_memory(room, scratch)
    assert room.shape == (2, 5, 3)
