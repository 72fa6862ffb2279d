"""Molecules as graphs, with the atom and bond features of OGB (through rdkit).

In: SMILES or rdkit molecules. Out: a record per molecule, or a GraphCollection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from skshake.graphs._collection import GraphCollection
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._features import CATEGORY, build_features
from skshake.graphs._merging import from_arcs

N_ATOM_FEATURES, N_BOND_FEATURES = 9, 3


class MoleculeRecord(NamedTuple):
    """Atoms (n_atoms, 9), bonds (n_bonds, 3) and their ends (2, n_bonds)."""

    atoms: np.ndarray
    bonds: np.ndarray
    ends: np.ndarray


EMPTY = MoleculeRecord(
    np.empty((0, N_ATOM_FEATURES), CATEGORY),
    np.empty((0, N_BOND_FEATURES), CATEGORY),
    np.empty((2, 0), np.int64),
)


def parse_smiles(smiles: str) -> Any:
    """Molecule of a SMILES; one that rdkit refuses is sanitised as far as it goes.

    The partial sanitisation gives ogbg-molhiv's own graphs for its seven refused
    molecules: all steps but the check of valences and two clean-ups.
    """
    from rdkit import Chem
    from rdkit.rdBase import BlockLogs

    is_missing = smiles is None or smiles != smiles
    if not isinstance(smiles, str) and not is_missing:
        raise TypeError(f"expected a SMILES, got {smiles!r}")
    if is_missing or not smiles.strip():
        raise ValueError(f"expected a SMILES, got {smiles!r}")
    with BlockLogs():
        molecule = Chem.MolFromSmiles(smiles)
        if molecule is not None:
            return molecule
        molecule = Chem.MolFromSmiles(smiles, sanitize=False)
    if molecule is None:
        raise ValueError(f"{smiles!r} is not a SMILES that rdkit can parse")
    molecule.UpdatePropertyCache(strict=False)
    steps = Chem.SanitizeFlags
    left_out = (
        steps.SANITIZE_PROPERTIES
        | steps.SANITIZE_CLEANUP
        | steps.SANITIZE_CLEANUP_ORGANOMETALLICS
    )
    try:
        Chem.SanitizeMol(molecule, sanitizeOps=steps.SANITIZE_ALL ^ left_out)
    except ValueError as error:
        raise ValueError(f"{smiles!r} is no molecule: {error}") from error
    return molecule


def read_molecule(molecule: Any) -> MoleculeRecord:
    """OGB's features of an rdkit molecule."""
    from ogb.utils.features import atom_to_feature_vector, bond_to_feature_vector

    atoms = [atom_to_feature_vector(atom) for atom in molecule.GetAtoms()]
    bonds = list(molecule.GetBonds())
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    rows = [bond_to_feature_vector(bond) for bond in bonds]
    return MoleculeRecord(
        np.array(atoms, CATEGORY).reshape(-1, N_ATOM_FEATURES),
        np.array(rows, CATEGORY).reshape(-1, N_BOND_FEATURES),
        np.array(ends, np.int64).reshape(-1, 2).T,
    )


def graphs_from_records(records: list[MoleculeRecord]) -> GraphCollection:
    """Collection of molecules."""
    atoms = np.concatenate([EMPTY.atoms, *(record.atoms for record in records)])
    bonds = np.concatenate([EMPTY.bonds, *(record.bonds for record in records)])
    return from_arcs(
        np.array([len(record.atoms) for record in records], np.int64),
        np.array([len(record.bonds) for record in records], np.int64),
        np.concatenate([EMPTY.ends, *(record.ends for record in records)], axis=1),
        build_features([("x", atoms, True)], len(atoms)),
        build_features([("edge_attr", bonds, True)], len(bonds)),
    )


def graphs_from_smiles(
    smiles: Iterable[Any], *, keeps_invalid: bool = False
) -> GraphCollection:
    """Graphs of molecules: 9 atom and 3 bond features, all categorical, as in OGB.

    Parameters
    ----------
    smiles : iterable of str or rdkit molecules
    keeps_invalid : bool, default=False
        Whether what is no molecule becomes a graph without nodes.

    Returns
    -------
    graphs : GraphCollection
        One graph per item, in order.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    InvalidGraphError
        If molecules cannot be parsed; the message names them.
    """
    records, refused = read_molecules(smiles)
    for error in refused:
        if isinstance(error.__cause__, TypeError):
            raise error
    if refused and not keeps_invalid:
        more = f" (and {len(refused) - 5} more)" if len(refused) > 5 else ""
        raise InvalidGraphError(
            "; ".join([refused[0].problem, *map(str, refused[1:5])]) + more,
            refused[0].graph,
            "smiles",
        )
    return graphs_from_records(records)


def read_molecules(
    smiles: Iterable[Any],
) -> tuple[list[MoleculeRecord], list[InvalidGraphError]]:
    """Records of all molecules, and why some are none, which are empty."""
    records: list[MoleculeRecord] = []
    refused: list[InvalidGraphError] = []
    for i, item in enumerate(smiles):
        try:
            molecule = item if hasattr(item, "GetAtoms") else parse_smiles(item)
            records.append(read_molecule(molecule))
        except (TypeError, ValueError) as error:
            refusal = InvalidGraphError(str(error), i, "smiles")
            refusal.__cause__ = error
            refused.append(refusal)
            records.append(EMPTY)
    return records, refused
