"""Hierarchies of which batches are made."""

import numpy as np
import pytest

from skshake import KFCoarsener


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0, 0.2], n_forests=2, random_state=0)
    return coarsener.fit_transform(small_mutag[0])
