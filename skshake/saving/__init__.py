"""Files of models: whatever has our estimators inside, without pickles.

In: a fitted model. Out: one file, and the model again, built of types that are named
here or by the user.
"""

from skshake.saving._saving import load, save
from skshake.saving._states import StateMixin, is_for_file

__all__ = ["StateMixin", "is_for_file", "load", "save"]
