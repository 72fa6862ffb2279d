"""Molecules from SMILES with OGB's features."""

import gzip

import numpy as np
import pytest
from ogb.utils import smiles2graph

from skshake.datasets import load_bace, load_molecules_csv
from skshake.graphs import graphs_from_smiles

REFUSED = "[Cl-].[Cl-].[Cl][Pt](Cl)(Cl)(Cl)(Cl)(Cl)Cl.CC(C)(C)(C)C"


def _csv(path, text):
    path.write_text(text)
    return path


def test_graphs_equal_ogbs_own():
    smiles = ["c1ccccc1O", "CC(=O)[O-]", "C", "N/C=C/C#N"]
    graphs = graphs_from_smiles(smiles)
    for graph, text in zip(graphs, smiles, strict=True):
        expected = smiles2graph(text)
        assert graph.x.tolist() == expected["node_feat"].tolist()
        forward = expected["edge_index"].T[::2]
        order = np.lexsort(np.sort(forward, axis=1).T[::-1])
        assert graph.edges.tolist() == np.sort(forward, axis=1)[order].tolist()
        if len(graph.edges):
            assert (
                graph.edge_attr.tolist() == expected["edge_feat"][::2][order].tolist()
            )


def test_a_molecule_of_impossible_valence_is_read_as_far_as_it_goes():
    graphs = graphs_from_smiles([REFUSED])
    assert graphs.n_nodes > 10


def test_text_that_is_no_smiles_names_its_row():
    with pytest.raises(ValueError, match="Graph 1: 'C1CC' is not a SMILES"):
        graphs_from_smiles(["CC", "C1CC"])


def test_csv_with_several_targets_keeps_missing_labels(tmp_path):
    path = _csv(tmp_path / "m.csv", "smiles,a,b\nCC,1,0\nCO,,1\n")
    data = load_molecules_csv(path)
    assert data.target_names == ["a", "b"]
    np.testing.assert_equal(data.target, [[1.0, 0.0], [np.nan, 1.0]])
    graphs, y = load_molecules_csv(path, target="b", return_X_y=True)
    assert len(graphs) == 2
    assert y.dtype == np.int64
    assert y.tolist() == [0, 1]


def test_a_split_beside_the_file_is_read(tmp_path):
    with gzip.open(tmp_path / "m.csv.gz", "wt") as file:
        file.write("smiles,a\nCC,1\nCO,0\nCN,1\n")
    np.savez(tmp_path / "m_scaffold.npz", train=[2], valid=[0], test=[1])
    data = load_molecules_csv(tmp_path / "m.csv.gz")
    assert (data.train, data.valid, data.test) == ([2], [0], [1])


def test_a_missing_column_is_named(tmp_path):
    path = _csv(tmp_path / "m.csv", "smiles,a\nCC,1\n")
    with pytest.raises(ValueError, match="expected columns"):
        load_molecules_csv(path, target="z")


def test_bundled_molecules_are_those_of_the_file(shared_data):
    path = shared_data / "molecules" / "bace.csv.gz"
    data, bundled = load_molecules_csv(path, target="Class"), load_bace()
    assert (data.data.edges == bundled.data.edges).all()
    assert (
        data.data.node_features.categories == bundled.data.node_features.categories
    ).all()
    assert (data.target == bundled.target).all()
    assert (data.test == bundled.test).all()
