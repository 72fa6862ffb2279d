"""What a user should know about graphs and targets before training."""

from skshake.description._describe import Description, describe
from skshake.description._trial import Trial, run_trial

__all__ = ["Description", "Trial", "describe", "run_trial"]
