"""Bundled sets: sizes, splits, descriptions."""

import numpy as np
import pytest

from skshake.datasets import load_bace, load_mutag


@pytest.mark.parametrize(
    ("load", "n_graphs", "counts"),
    [(load_mutag, 188, [63, 125]), (load_bace, 1513, [822, 691])],
)
def test_bundled_sets(load, n_graphs, counts):
    data = load()
    graphs, y = load(return_X_y=True)
    assert len(data.data) == len(graphs) == len(y) == n_graphs
    assert np.unique(y, return_counts=True)[1].tolist() == counts
    assert (data.target == y).all()
    assert "doi" in data.DESCR


def test_the_scaffold_split_of_bace_covers_it():
    data = load_bace()
    rows = np.concatenate([data.train, data.valid, data.test])
    assert sorted(rows) == list(range(1513))
    assert len(data.smiles) == 1513
