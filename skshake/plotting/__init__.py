"""Figures of fitted estimators; matplotlib is imported when one is drawn."""

from skshake.plotting._q_selection import QSelectionDisplay

__all__ = ["QSelectionDisplay"]
