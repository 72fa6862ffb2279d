"""One way to write one compound: largest parts, metals, groups and charges."""

import pytest
from rdkit import Chem

from skshake.graphs import standardize


def _written(smiles, **options):
    molecule = Chem.MolFromSmiles(smiles)
    before = Chem.MolToSmiles(molecule)
    out = Chem.MolToSmiles(standardize(molecule, **options))
    assert Chem.MolToSmiles(molecule) == before
    return out


@pytest.mark.parametrize(
    ("smiles", "expected"),
    [
        ("CCN.Cl", "CCN"),
        ("[Na+].CC(=O)[O-]", "CC(=O)[O-]"),
        ("CCO", "CCO"),
        # The organic part, though the other has as many atoms.
        ("CO.[O-]S(=O)(=O)[O-]", "CO"),
        ("[Na+].[Cl-]", "[Cl-]"),
    ],
)
def test_the_largest_organic_part_is_kept(smiles, expected):
    assert _written(smiles, is_cleaned=False, keeps_largest=True) == expected


@pytest.mark.parametrize(
    ("smiles", "expected"),
    [
        ("CC(=O)[O-]", "CC(=O)O"),
        ("CC(=O)O[Na]", "CC(=O)[O-].[Na+]"),
        ("CN(=O)=O", "C[N+](=O)[O-]"),
        ("C[NH3+]", "CN"),
    ],
)
def test_groups_and_charges_get_their_usual_form(smiles, expected):
    assert _written(smiles, is_cleaned=True, keeps_largest=False) == expected


def test_charges_go_once_those_that_they_balance_are_left_out():
    out = _written("CC(=O)[O-].[Na+]", is_cleaned=True, keeps_largest=True)
    assert out == "CC(=O)O"


def test_what_rdkit_cannot_standardise_is_a_value_error():
    broken = Chem.MolFromSmiles("CN(C)(C)(C)C", sanitize=False)
    with pytest.raises(ValueError, match=r"standardised|valence"):
        standardize(broken, is_cleaned=True, keeps_largest=False)
