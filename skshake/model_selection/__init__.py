"""Ways to hold graphs out that scikit-learn lacks: by scaffold, and by group and time.

Splitters as those of :mod:`sklearn.model_selection`, for the ``cv`` of searches and of
``cross_val_score``.
"""

from skshake.model_selection._scaffold import ScaffoldSplit, scaffold_groups
from skshake.model_selection._time import GroupedTimeSplit

__all__ = ["GroupedTimeSplit", "ScaffoldSplit", "scaffold_groups"]
