"""Sets larger than memory: graphs in parts, what is learnt from them, and their files.

In: sources, each of which gives the graphs of a part. Out: a sample for ``fit``, and a
folder with a file of hierarchies for each source.
"""

from skshake.sources._sampling import (
    TrainingGraphs,
    all_graphs,
    sample_order,
    sample_sources,
)
from skshake.sources._sources import find_sources
from skshake.sources._writing import write_folder

__all__ = [
    "TrainingGraphs",
    "all_graphs",
    "find_sources",
    "sample_order",
    "sample_sources",
    "write_folder",
]
