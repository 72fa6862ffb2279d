"""MoleculeFeaturizer: SMILES and molecules to graphs."""

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from skshake import MoleculeFeaturizer, as_graphs


def test_molecules_and_smiles():
    smiles = ["CCO", "c1ccccc1", "[Na+].[Cl-]"]
    expected = MoleculeFeaturizer().fit_transform(smiles)
    assert np.diff(expected.node_ptr).tolist() == [3, 6, 2]
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    for graphs in (as_graphs(molecules), MoleculeFeaturizer().transform(molecules)):
        categories = graphs.node_features.categories
        assert np.array_equal(categories, expected.node_features.categories)
    with pytest.raises(TypeError, match=r"Graph 0 is of type str.*MoleculeFeaturizer"):
        as_graphs(smiles)


def test_invalid_smiles_are_named_or_kept_as_empty_graphs():
    smiles = ["CCO", "no molecule", "C1CC"]
    with pytest.raises(ValueError, match=r"Graph 1: 'no molecule'.*Graph 2: 'C1CC'"):
        MoleculeFeaturizer().fit_transform(smiles)
    with pytest.warns(UserWarning, match=r"2 of 3 molecules are invalid .*: 1, 2 "):
        graphs = MoleculeFeaturizer(on_invalid="empty").fit_transform(smiles)
    assert np.diff(graphs.node_ptr).tolist() == [3, 0, 0]
    for bad, error in (("CCO", TypeError), ([], ValueError), (3, TypeError)):
        with pytest.raises(error, match="expected"):
            MoleculeFeaturizer().transform(bad)


def test_a_column_of_smiles():
    expected = MoleculeFeaturizer().transform(["CCO", "CC"])
    table = pd.DataFrame({"smiles": ["CCO", "CC"]})
    for column in (table, table.to_numpy(), table["smiles"]):
        graphs = MoleculeFeaturizer(on_invalid="empty").transform(column)
        assert graphs.node_ptr.tolist() == expected.node_ptr.tolist()
    with pytest.raises(ValueError, match="or one column of them"):
        MoleculeFeaturizer().transform(table.assign(more=1))
    for missing in (None, np.nan, " "):
        with pytest.raises(ValueError, match="Graph 1: expected a SMILES"):
            MoleculeFeaturizer().transform(["C", missing])
    with pytest.raises(TypeError, match="Graph 0: expected a SMILES, got 7"):
        MoleculeFeaturizer(on_invalid="empty").transform([7])


def test_several_invalid_molecules_are_counted_and_five_named():
    featurizer = MoleculeFeaturizer(on_invalid="empty").fit([])
    with pytest.warns(
        UserWarning, match=r"^7 of 8 molecules are .*: 1, 2, 3, 4, 5, \.\.\. "
    ):
        graphs = featurizer.transform(["C", *["x"] * 7])
    assert np.diff(graphs.node_ptr).tolist() == [1, *[0] * 7]


@pytest.mark.parametrize("on_invalid", ["raise", "empty"])
def test_check_lists_what_is_no_molecule(on_invalid):
    problems = MoleculeFeaturizer(on_invalid=on_invalid).check(["C", None, "x", 7])
    assert [(p.graph, p.field) for p in problems] == [
        (1, "smiles"),
        (2, "smiles"),
        (3, "smiles"),
    ]
    assert "Graph 2: 'x' is not a SMILES" in problems[1].message
    assert MoleculeFeaturizer().check(["C", Chem.MolFromSmiles("CC")]) == []


def test_fit_checks_its_parameter_alone():
    featurizer = MoleculeFeaturizer()
    assert featurizer.fit("ignored") is featurizer
    assert vars(featurizer) == featurizer.get_params()
    with pytest.raises(ValueError, match="'on_invalid' parameter"):
        MoleculeFeaturizer(on_invalid="drop").fit([])


def test_salts_keep_their_largest_part_on_request():
    smiles = ["CCN.Cl", "[Na+].CC(=O)[O-]", "CCO"]
    sizes = np.diff(MoleculeFeaturizer().transform(smiles).node_ptr)
    assert sizes.tolist() == [4, 5, 3]
    largest = MoleculeFeaturizer(fragments="largest")
    assert np.diff(largest.transform(smiles).node_ptr).tolist() == [3, 4, 3]
    both = MoleculeFeaturizer(fragments="largest", standardize=True)
    one, other = (both.transform([text]) for text in (smiles[1], "CC(=O)O"))
    assert np.array_equal(one.node_features.categories, other.node_features.categories)
    written = [Chem.MolToSmiles(molecule) for molecule in both.read(smiles)]
    assert written == ["CCN", "CC(=O)O", "CCO"]


def test_atoms_of_what_is_read_are_the_nodes():
    smiles = ["CCN.Cl", "no molecule", "c1ccccc1O"]
    featurizer = MoleculeFeaturizer(on_invalid="empty", fragments="largest")
    molecules = featurizer.read(smiles)
    with pytest.warns(UserWarning, match="1 of 3 molecules"):
        graphs = featurizer.transform(smiles)
    assert molecules[1] is None
    for molecule, graph in zip(molecules, graphs, strict=True):
        atoms = [] if molecule is None else molecule.GetAtoms()
        numbers = [atom.GetAtomicNum() for atom in atoms]
        # OGB's first feature counts elements from 0.
        first = graph.node_features.categories[:, 0]
        assert (first + 1).tolist() == numbers


def test_what_cannot_be_standardised_is_invalid():
    featurizer = MoleculeFeaturizer(standardize=True)
    broken = Chem.MolFromSmiles("CN(C)(C)(C)C", sanitize=False)
    assert [problem.graph for problem in featurizer.check(["CC", broken])] == [1]
    assert MoleculeFeaturizer().check(["CC", broken]) == []
