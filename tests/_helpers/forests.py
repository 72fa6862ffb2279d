"""Independent forests of one graph."""

from dataclasses import replace

import numpy as np

from skshake import as_graphs, sample_forests
from skshake.graphs import FLOAT, build_features


def draw(adjacency, q, n_draws, seed):
    """Independent forests: copies that differ in a feature have their own streams."""
    copies = as_graphs([adjacency]).take(np.zeros(n_draws, int))
    number = np.repeat(np.arange(n_draws), len(adjacency)).astype(FLOAT)[:, None]
    features = build_features([("copy", number, False)], len(number))
    copies = replace(copies, node_features=features)
    return sample_forests(copies, q, random_state=seed)
