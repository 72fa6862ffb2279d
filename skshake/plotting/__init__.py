"""Figures of fitted estimators; matplotlib is imported when one is drawn."""

from skshake.plotting._explanation import ExplanationDisplay
from skshake.plotting._hierarchy import HierarchyDisplay
from skshake.plotting._learning_curve import LearningCurveDisplay
from skshake.plotting._q_selection import QSelectionDisplay

__all__ = [
    "ExplanationDisplay",
    "HierarchyDisplay",
    "LearningCurveDisplay",
    "QSelectionDisplay",
]
