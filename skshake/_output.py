"""Output of transformers that make collections, which are no tables.

In: what scikit-learn asks of transformers in pipelines and unions. Out: names, and a
collection whatever container is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skshake._diagram import DiagramMixin, is_drawn


class CollectionOutputMixin(DiagramMixin):
    """Answer for a transformer that gives one collection instead of columns."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Nor does scikit-learn put the collection into a container.
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)  # type: ignore[call-arg]

    def set_output(self, *, transform: str | None = None) -> Any:
        """Do nothing: a collection stays one, whichever container is asked for.

        So pipelines that end in embeddings can be asked for data frames.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            Ignored.

        Returns
        -------
        self : object
        """
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name of the collection, its only column.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored.

        Returns
        -------
        names : ndarray of shape (1,)
        """
        check_is_fitted(self)
        if is_drawn():
            return np.empty(0, object)
        return np.array([f"{type(self).__name__.lower()}0"], object)
