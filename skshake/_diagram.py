"""What scikit-learn's HTML diagram shows of an estimator: links, and no feature names.

In: nothing. Out: a mixin that links an estimator to its page, and who is asking.
"""

from __future__ import annotations

import sys

# Where the documentation is; the page of a public name is PAGE.
SITE = "https://skshake.github.io/skshake/"
PAGE = SITE + "api/generated/skshake.{estimator_name}.html"
# The module of scikit-learn that draws.
DRAWS = "sklearn.utils._repr_html"


class DiagramMixin:
    """Link to the estimator's page from diagrams; subclasses of users have none."""

    _doc_link_module = "skshake"
    _doc_link_template = PAGE


def is_drawn() -> bool:
    """Whether the caller of this function was called by scikit-learn's diagram.

    Below each fitted estimator that names its features the diagram writes how many
    there are, as if they were the columns of a table. A collection of graphs is none,
    and the embeddings of a classifier are not what a pipeline gives.
    """
    module: str = sys._getframe(2).f_globals.get("__name__", "")
    return module.startswith(DRAWS)
