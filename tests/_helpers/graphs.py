"""Graphs that tests of several files draw."""

import numpy as np

from skshake import as_graphs


def larger_graphs(n_graphs=12, *, weighted=False, n_columns=2, seed=0):
    """Sparse graphs of 40 to 90 nodes, many disconnected, with numbers on nodes and
    categories on edges."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n = int(rng.integers(40, 90))
        upper = np.triu(rng.random((n, n)) < 3 / n, 1)
        weights = upper * (rng.lognormal(0, 1, (n, n)) if weighted else 1.0)
        m = int(upper.sum())
        x = rng.normal(size=(n, n_columns)) + [5.0] * n_columns
        graphs.append((weights + weights.T, x, rng.integers(0, 4, size=(m, 2))))
    return as_graphs(graphs)
