"""Kirchhoff forests: random rooted spanning forests drawn by Wilson's algorithm."""

from skshake.forests._forest import (
    MAX_SEED,
    KirchhoffForests,
    as_resolutions,
    check_edge_weight,
    draw_partitions,
    sample_forests,
    streams_of,
)

__all__ = [
    "MAX_SEED",
    "KirchhoffForests",
    "as_resolutions",
    "check_edge_weight",
    "draw_partitions",
    "sample_forests",
    "streams_of",
]
