"""Molecules as graphs, with OGB's features."""

import numpy as np
import pytest
from ogb.utils.features import atom_to_feature_vector, bond_to_feature_vector
from rdkit import Chem

from skshake import InvalidGraphError
from skshake.graphs import (
    graphs_from_records,
    parse_smiles,
    read_molecules,
    read_smiles_among,
    refuse_invalid,
)
from skshake.graphs._molecules import EMPTY, graphs_from_smiles, read_molecule

ETHANOL = "CCO"


def test_a_molecule_by_hand():
    atoms, bonds, ends = read_molecule(Chem.MolFromSmiles("C=O"))
    # Atomic number, chirality, degree, charge, hydrogens, radicals, hybridisation (sp2
    # is the second), aromatic, in a ring; elements count from 0 and charges from -5.
    assert atoms.tolist() == [[5, 0, 3, 5, 2, 0, 1, 0, 0], [7, 0, 1, 5, 0, 0, 1, 0, 0]]
    # A double bond, without stereo, not conjugated.
    assert bonds.tolist() == [[1, 0, 0]]
    assert ends.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    "smiles", [ETHANOL, "c1ccccc1C(=O)[O-]", "F/C=C/F", "[Na+].[Cl-]"]
)
def test_features_are_those_of_ogb(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    record = read_molecule(molecule)
    assert record.atoms.tolist() == [
        atom_to_feature_vector(atom) for atom in molecule.GetAtoms()
    ]
    assert record.bonds.tolist() == [
        bond_to_feature_vector(bond) for bond in molecule.GetBonds()
    ]
    assert record.ends.T.tolist() == [
        [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()] for bond in molecule.GetBonds()
    ]


@pytest.mark.parametrize("smiles", [ETHANOL, "c1ccccc1", "C[N+](C)(C)C"])
def test_molecules_that_were_not_sanitised_are_completed_on_a_copy(smiles):
    raw = Chem.MolFromSmiles(smiles, sanitize=False)
    record = read_molecule(raw)
    for found, expected in zip(
        record, read_molecule(Chem.MolFromSmiles(smiles)), strict=True
    ):
        assert found.tolist() == expected.tolist()
    assert raw.NeedsUpdatePropertyCache()


PATTERNS = [
    "C",
    "[#6]~[C,N]",
    # Of lists of elements the atomic number is that of dummies.
    "[C,N]",
    "[!C]",
]


@pytest.mark.parametrize("smarts", PATTERNS)
def test_patterns_are_no_molecules(smarts):
    with pytest.raises(
        ValueError, match=r"is a query .of SMARTS., which stands for sev"
    ):
        read_molecule(Chem.MolFromSmarts(smarts))


def test_a_dummy_is_an_atom():
    assert read_molecule(Chem.MolFromSmiles("*C")).atoms[:, 0].tolist() == [118, 5]


def test_an_empty_molecule_has_no_atoms():
    record = read_molecule(Chem.Mol())
    for found, empty in zip(record, EMPTY, strict=True):
        assert found.shape == empty.shape
        assert found.dtype == empty.dtype


@pytest.mark.parametrize(
    "smiles", [ETHANOL, ETHANOL.encode(), np.str_(ETHANOL), "CCO name"]
)
def test_text_of_any_kind_is_parsed(smiles):
    assert parse_smiles(smiles).GetNumAtoms() == 3


@pytest.mark.parametrize(
    ("smiles", "error", "message"),
    [
        (None, ValueError, "expected a SMILES, got None"),
        (np.nan, ValueError, "expected a SMILES, got nan"),
        ("  ", ValueError, "expected a SMILES, got '  '"),
        (7, TypeError, "expected a SMILES, got 7"),
        ("C1CC", ValueError, "'C1CC' is not a SMILES that rdkit can parse"),
        ("c1cccc1C", ValueError, "'c1cccc1C' is no molecule: .*kekulize"),
    ],
)
def test_what_is_no_smiles_is_refused(smiles, error, message):
    with pytest.raises(error, match=message):
        parse_smiles(smiles)


def test_impossible_valences_are_read_as_far_as_they_go():
    # Five bonds of a carbon.
    molecule = parse_smiles("CC(C)(C)(C)C")
    assert read_molecule(molecule).atoms[1, 2] == 5


def test_what_is_refused_keeps_its_row():
    records, refused = read_molecules(["C", "no molecule", Chem.MolFromSmiles("CC"), 7])
    assert [len(record.atoms) for record in records] == [1, 0, 2, 0]
    assert [(error.graph, error.field) for error in refused] == [
        (1, "smiles"),
        (3, "smiles"),
    ]
    assert isinstance(refused[1].__cause__, TypeError)
    graphs = graphs_from_records(records)
    assert np.diff(graphs.node_ptr).tolist() == [1, 0, 2, 0]
    assert graphs.node_features.widths == (0, 9)
    assert graphs.edge_features.widths == (0, 3)


def test_no_molecules_at_all_have_the_same_columns():
    graphs = graphs_from_records([EMPTY])
    assert graphs.node_features.widths == (0, 9)
    assert graphs.edge_features.widths == (0, 3)


def test_graphs_of_smiles_or_an_error_that_names_them():
    graphs = graphs_from_smiles(iter(["CCO", "CC"]))
    assert [graph.edges.tolist() for graph in graphs] == [[[0, 1], [1, 2]], [[0, 1]]]
    with pytest.raises(
        InvalidGraphError, match=r"^Graph 1: 'x' is not .*; Graph 2: 'y' is not"
    ):
        graphs_from_smiles(["C", "x", "y"])


def test_messages_name_five_and_count_the_others():
    refused = [InvalidGraphError("is odd", k, "smiles") for k in range(8)]
    with pytest.raises(InvalidGraphError, match=r"Graph 4 is odd \(and 3 more\)$"):
        refuse_invalid(refused)
    refuse_invalid(refused, keeps_invalid=True)
    refuse_invalid([])
    # What is no text is never kept.
    refused[6].__cause__ = TypeError()
    with pytest.raises(InvalidGraphError, match=r"^Graph 6 is odd$"):
        refuse_invalid(refused, keeps_invalid=True)


def test_smiles_among_graphs_become_molecules():
    graph = object()
    found = read_smiles_among(["CCO", graph])
    assert found[0].GetNumAtoms() == 3
    assert found[1] is graph
    graphs = graphs_from_smiles(["CC"])
    assert read_smiles_among(graphs) is graphs
    with pytest.raises(ValueError, match="Graph 1: 'C1CC' is not a SMILES") as caught:
        read_smiles_among([graph, "C1CC"])
    assert caught.value.field == "smiles"
    with pytest.raises(ValueError, match=r"'C1CC' is not.*Graph 2: 'xx' is not"):
        read_smiles_among([graph, "C1CC", "xx"])
