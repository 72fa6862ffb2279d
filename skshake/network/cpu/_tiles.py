"""Lanes and tiles of a batch: units of work of the passes.

In: where the rows of each graph begin. Out: lanes of tiles of whole graphs.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake.network._threads import count_lanes, split_rows
from skshake.network.cpu._records import Lanes

# Rows of a tile: so few that its arrays stay in a second-level cache.
TILE_ROWS = 128
# Larger ones are single large graphs.
LARGEST_USUAL_TILE = 4 * TILE_ROWS


@kernel
def _cut_tiles(node_ptr, tiles):
    """Tiles of whole graphs and about equal size; fewer, if graphs are larger.

    Parameters
    ----------
    node_ptr : int64 array (n_graphs + 1,)  # IN
    tiles : int64 array (n_tiles, 4), first and last row, first and last graph  # OUT

    Returns
    -------
    n_found : int
    """
    n_graphs, n_tiles = len(node_ptr) - 1, len(tiles)
    n_found, first, last = 0, 0, 0
    for k in range(1, n_tiles + 1):
        # Tile k ends with the graph that reaches over k parts of all rows; a graph that
        # reaches over several leaves those tiles out.
        end = k * node_ptr[n_graphs] / n_tiles
        while last < n_graphs and (node_ptr[last] < end or k == n_tiles):
            last += 1
        if last > first:
            tiles[n_found, 0], tiles[n_found, 1] = node_ptr[first], node_ptr[last]
            tiles[n_found, 2], tiles[n_found, 3] = first, last
            n_found, first = n_found + 1, last
    return n_found


@kernel(inline=True)
def find_room(tile, scratch):
    """Rows to work in: those of a thread, or for a large graph rows of its own.

    Threads that come to a large graph one after the other shall not each keep so much.

    Parameters
    ----------
    tile : int64 array (4,)  # IN
    scratch : float32 array (n_arrays, n_rows, width)  # IN

    Returns
    -------
    room : float32 array (n_arrays, at least the tile's rows, width)
    """
    n_rows = tile[1] - tile[0]
    if n_rows <= scratch.shape[1]:
        return scratch
    return np.empty((scratch.shape[0], n_rows, scratch.shape[2]), np.float32)


def cut(node_ptr: np.ndarray) -> Lanes:
    """Cut a batch into lanes, and lanes into tiles of whole graphs.

    Parameters
    ----------
    node_ptr : int64 array of shape (n_graphs + 1,)

    Returns
    -------
    lanes : Lanes
        None is empty, unless there are no graphs.
    """
    n_rows = int(node_ptr[-1])
    n_lanes = count_lanes(n_rows)
    n_tiles = n_lanes * max(1, round(n_rows / (n_lanes * TILE_ROWS)))
    tiles = np.empty((n_tiles, 4), np.int64)
    tiles = tiles[: _cut_tiles(node_ptr, tiles)]
    # Large graphs may leave fewer tiles than lanes.
    n_lanes = max(1, min(n_lanes, len(tiles)))
    return Lanes(tiles, split_rows(len(tiles), n_lanes))
