"""Checkpoints: the whole state of a training, written after each epoch or buffer.

In: a folder and a key of the run. Out: the last state that was written, from which
training goes on exactly as it would have without an interruption.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from skshake._whole_file import whole_file

# Raised when states of earlier versions can no longer be gone on from.
FORMAT = 4


class Checkpoint:
    """One file of a folder, named after the run that it belongs to.

    Runs that differ in data, parameters or seed have files of their own, so a search
    may share one folder.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.
    key : str
        Tells runs apart.
    """

    def __init__(self, folder: str | Path, key: str) -> None:
        self.path = Path(folder) / f"skshake-{key}.pt"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def save(self, state: dict[str, Any]) -> None:
        """Write the state; the file is always a whole one, old or new."""
        with whole_file(self.path) as partial:
            torch.save(state, partial)

    def load(self) -> dict[str, Any] | None:
        """The last state that was written, None before the first.

        Raises
        ------
        ValueError
            If the file is no checkpoint.
        """
        if not self.path.exists():
            return None
        try:
            return torch.load(self.path, weights_only=True)
        except Exception as error:
            raise ValueError(
                f"checkpoint: {self.path} cannot be read ({error}); remove it to train "
                "from the start"
            ) from error
