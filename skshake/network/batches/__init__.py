"""Batches: levels of some graphs on a device, and which graphs make one."""

from skshake.network.batches._buffers import (
    Buffer,
    Shares,
    StoredSet,
    WholeSet,
    find_buffer_bytes,
    pieces_in_order,
    sample_stored,
)
from skshake.network.batches._device import DeviceHierarchies, find_home
from skshake.network.batches._epoch import balanced_batches, shuffled_batches
from skshake.network.batches._records import FeatureBatch, LevelBatch, send
from skshake.network.batches._weights import weigh_messages
from skshake.network.batches._window import (
    MOST_BATCHES,
    Part,
    Window,
    Windows,
    map_level,
)

__all__ = [
    "MOST_BATCHES",
    "Buffer",
    "DeviceHierarchies",
    "FeatureBatch",
    "LevelBatch",
    "Part",
    "Shares",
    "StoredSet",
    "WholeSet",
    "Window",
    "Windows",
    "balanced_batches",
    "find_buffer_bytes",
    "find_home",
    "map_level",
    "pieces_in_order",
    "sample_stored",
    "send",
    "shuffled_batches",
    "weigh_messages",
]
