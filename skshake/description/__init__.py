"""What a user should know about graphs and targets before training."""

from skshake.description._describe import Description, describe

__all__ = ["Description", "describe"]
