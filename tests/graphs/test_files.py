"""Graphs survive a file; what is no such file is refused."""

import numpy as np
import pytest

from skshake import GraphCollection, as_graphs
from skshake.graphs import graphs_from_edgelist


@pytest.fixture
def graphs():
    edges = {"graph": [1, 1, 2], "source": list("aba"), "target": list("bcb")}
    edges |= {"kind": ["x", "y", "x"], "amount": [1.5, 1e9, 2.5], "w": [1.0, 2.0, 3.0]}
    return graphs_from_edgelist(
        edges, edge_attrs=["kind", "amount"], weight="w", directed=True
    )


def test_round_trip(graphs, tmp_path):
    path = tmp_path / "graphs.npz"
    for some in (graphs, graphs[1:], as_graphs([np.ones((3, 3))])):
        some.save(path)
        again = GraphCollection.load(path)
        assert again.node_features.fields == some.node_features.fields
        assert again.edge_features.fields == some.edge_features.fields
        assert again.fingerprints.tolist() == some.fingerprints.tolist()
        assert again.names.tolist() == some.names.tolist()
        assert again.edge_features.numeric.dtype == some.edge_features.numeric.dtype


def test_damaged_and_newer_files_are_refused(graphs, tmp_path):
    path = tmp_path / "graphs.npz"
    graphs.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="no intact file of graphs"):
        GraphCollection.load(path)
    np.savez(path, format_version=99)
    with pytest.raises(ValueError, match="newer skshake"):
        GraphCollection.load(path)
    np.savez(path, format_version=1)
    with pytest.raises(ValueError, match="lacks the array"):
        GraphCollection.load(path)
