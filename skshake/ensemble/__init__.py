"""Ensembles: the mean of a network on hierarchies and of trees on counts of subtrees.

In: a list of graphs and a target. Out: predictions that neither makes alone.
"""

from skshake.ensemble._classifier import SHAKEEnsembleClassifier
from skshake.ensemble._regressor import SHAKEEnsembleRegressor

__all__ = ["SHAKEEnsembleClassifier", "SHAKEEnsembleRegressor"]
