"""Molecules as graphs, with the atom and bond features of OGB (through rdkit).

In: SMILES or rdkit molecules. Out: a record per molecule, or a GraphCollection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, NamedTuple

import numpy as np

from skshake._as_array import is_missing
from skshake._extras import folder_of, require
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


def parse_smiles(smiles: Any) -> Any:
    """Molecule of a SMILES; one that rdkit refuses is sanitised as far as it goes.

    The partial sanitisation gives ogbg-molhiv's own graphs for its seven refused
    molecules: all steps but the check of valences and two clean-ups.
    """
    require("rdkit", "reading SMILES")
    from rdkit import Chem
    from rdkit.rdBase import BlockLogs

    if is_missing(smiles):
        raise ValueError(f"expected a SMILES, got {smiles!r}")
    if isinstance(smiles, bytes):
        smiles = smiles.decode("latin-1")
    if not isinstance(smiles, str):
        raise TypeError(f"expected a SMILES, got {smiles!r}")
    if not smiles.strip():
        raise ValueError(f"expected a SMILES, got {smiles!r}")
    smiles = str(smiles)
    with BlockLogs():
        molecule = Chem.MolFromSmiles(smiles)
        if molecule is not None:
            return molecule
        molecule = Chem.MolFromSmiles(smiles, sanitize=False)
    if molecule is None:
        raise ValueError(f"{smiles!r} is not a SMILES that rdkit can parse")
    try:
        with BlockLogs():
            _sanitise_partly(molecule)
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{smiles!r} is no molecule: {_reason(error)}") from error
    return molecule


def _sanitise_partly(molecule: Any) -> None:
    """Sanitise in place as far as molecules of odd valence go."""
    from rdkit import Chem

    molecule.UpdatePropertyCache(strict=False)
    steps = Chem.SanitizeFlags
    left_out = (
        steps.SANITIZE_PROPERTIES
        | steps.SANITIZE_CLEANUP
        | steps.SANITIZE_CLEANUP_ORGANOMETALLICS
    )
    Chem.SanitizeMol(molecule, sanitizeOps=steps.SANITIZE_ALL ^ left_out)


def _reason(error: Exception) -> str:
    """What rdkit says, without the stack of its C++ code."""
    lines = [line.strip() for line in str(error).splitlines()]
    return " ".join(line for line in lines[:2] if line)


def _is_complete(molecule: Any) -> bool:
    """Whether rdkit has worked out what features are made of."""
    from rdkit.Chem import HybridizationType

    if molecule.NeedsUpdatePropertyCache():
        return False
    unknown = HybridizationType.UNSPECIFIED
    # Sanitising leaves some atoms open, such as dummies, but hardly all.
    return any(atom.GetHybridization() != unknown for atom in molecule.GetAtoms())


def _completed(molecule: Any) -> Any:
    """A sanitised copy of a molecule that was read without sanitising.

    Raises
    ------
    ValueError
        If rdkit cannot sanitise it, or it is a pattern.
    """
    from rdkit import Chem
    from rdkit.rdBase import BlockLogs

    for atom in molecule.GetAtoms():
        # Dummy atoms of files are queries that any atom answers.
        if atom.HasQuery() and atom.DescribeQuery().strip() != "AtomNull":
            raise ValueError(
                f"atom {atom.GetIdx()} of the molecule is a query (of SMARTS), which "
                "stands for several elements; expected a molecule"
            )
    with BlockLogs():
        try:
            whole = Chem.Mol(molecule)
            Chem.SanitizeMol(whole)
        except (ValueError, RuntimeError):
            try:
                whole = Chem.Mol(molecule)
                _sanitise_partly(whole)
            except (ValueError, RuntimeError) as error:
                raise ValueError(
                    f"the molecule cannot be sanitised: {_reason(error)}"
                ) from error
    return whole


def read_molecule(molecule: Any) -> MoleculeRecord:
    """OGB's features of an rdkit molecule, which is never changed."""
    from rdkit.rdBase import BlockLogs

    if molecule.GetNumAtoms() and not _is_complete(molecule):
        molecule = _completed(molecule)
    try:
        with BlockLogs():
            return _read_complete(molecule)
    except RuntimeError:
        # Something else than hybridisation is missing, such as rings.
        return _read_complete(_completed(molecule))


@cache
def _ogb_features() -> Any:
    """OGB's features without ogb, whose import asks a server for newer versions."""
    path = folder_of("ogb", "reading molecules") / "utils" / "features.py"
    spec = spec_from_file_location("ogb_features", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _read_complete(molecule: Any) -> MoleculeRecord:
    ogb = _ogb_features()
    atoms = [ogb.atom_to_feature_vector(atom) for atom in molecule.GetAtoms()]
    bonds = list(molecule.GetBonds())
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    rows = [ogb.bond_to_feature_vector(bond) for bond in bonds]
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


def as_molecule(item: Any, prepare: Callable[[Any], Any] | None = None) -> Any:
    """The rdkit molecule of a SMILES or molecule, as it is or prepared.

    Raises
    ------
    TypeError, ValueError
        If there is none.
    """
    molecule = item if hasattr(item, "GetAtoms") else parse_smiles(item)
    return molecule if prepare is None else prepare(molecule)


def read_molecules(
    molecules: Iterable[Any], prepare: Callable[[Any], Any] | None = None
) -> tuple[list[MoleculeRecord], list[InvalidGraphError]]:
    """Records of SMILES and rdkit molecules, and what is wrong with which.

    What is no molecule gets a record without atoms. ``prepare`` makes of each molecule
    the one that is read.
    """
    return _read_each(
        molecules, lambda item: read_molecule(as_molecule(item, prepare)), EMPTY
    )


def _read_each(
    items: Iterable[Any], read: Callable[[Any], Any], otherwise: Any
) -> tuple[list[Any], list[InvalidGraphError]]:
    """What is read of each item, or something else in its place and what is wrong."""
    found, refused = [], []
    for i, item in enumerate(items):
        try:
            found.append(read(item))
        except (TypeError, ValueError) as error:
            refused.append(InvalidGraphError(str(error), i, "smiles"))
            refused[-1].__cause__ = error
            found.append(otherwise)
    return found, refused


def read_smiles_among(items: Any) -> Any:
    """A list with rdkit molecules in place of SMILES; anything else comes back.

    Raises
    ------
    InvalidGraphError
        If strings are no SMILES; the message names them.
    """
    if not isinstance(items, list) or not any(isinstance(i, str) for i in items):
        return items
    found, refused = _read_each(
        items, lambda item: parse_smiles(item) if isinstance(item, str) else item, None
    )
    refuse_invalid(refused)
    return found


def graphs_from_smiles(smiles: Iterable[Any]) -> GraphCollection:
    """Graphs of molecules: 9 atom and 3 bond features, all categorical, as in OGB.

    Parameters
    ----------
    smiles : iterable of str or rdkit molecules

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
    refuse_invalid(refused)
    return graphs_from_records(records)


def refuse_invalid(
    refused: list[InvalidGraphError], *, keeps_invalid: bool = False
) -> None:
    """Raise an error that names what is no molecule, or not even a SMILES."""
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
