"""Molecules as graphs, with the atom and bond features of OGB (through rdkit).

In: SMILES. Out: a GraphCollection of categorical features.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import CATEGORY, GraphCollection, build_features, from_arcs

N_ATOM_FEATURES, N_BOND_FEATURES = 9, 3


def parse_smiles(smiles: str) -> Any:
    """Molecule of a SMILES; one that rdkit refuses is sanitised as far as it goes.

    The partial sanitisation gives ogbg-molhiv's own graphs for its seven refused
    molecules: all steps but the check of valences and two clean-ups.
    """
    from rdkit import Chem
    from rdkit.rdBase import BlockLogs

    if not isinstance(smiles, str):
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
    Chem.SanitizeMol(molecule, sanitizeOps=steps.SANITIZE_ALL ^ left_out)
    return molecule


def graphs_from_smiles(smiles: Sequence[str]) -> GraphCollection:
    """Graphs of molecules: 9 atom and 3 bond features, all categorical, as in OGB.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    ValueError
        If a SMILES cannot be parsed; the message gives its position.
    """
    from ogb.utils.features import atom_to_feature_vector, bond_to_feature_vector

    n_atoms: list[int] = []
    n_bonds: list[int] = []
    atoms: list[list[int]] = []
    bonds: list[list[int]] = []
    ends: list[tuple[int, int]] = []
    for i, text in enumerate(smiles):
        try:
            molecule = parse_smiles(text)
        except ValueError as error:
            raise ValueError(f"Graph {i}: {error}") from error
        n_atoms.append(molecule.GetNumAtoms())
        n_bonds.append(molecule.GetNumBonds())
        atoms.extend(atom_to_feature_vector(atom) for atom in molecule.GetAtoms())
        for bond in molecule.GetBonds():
            bonds.append(bond_to_feature_vector(bond))
            ends.append((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
    atom_codes = np.array(atoms, CATEGORY).reshape(-1, N_ATOM_FEATURES)
    bond_codes = np.array(bonds, CATEGORY).reshape(-1, N_BOND_FEATURES)
    return from_arcs(
        np.array(n_atoms, np.int64),
        np.array(n_bonds, np.int64),
        np.array(ends, np.int64).reshape(-1, 2).T,
        build_features([("x", atom_codes, True)], len(atom_codes)),
        build_features([("edge_attr", bond_codes, True)], len(bond_codes)),
    )


def _targets(frame: Any, columns: list[str]) -> np.ndarray:
    """Label columns as numbers: integers where all are whole, NaN where missing."""
    y = frame[columns].to_numpy(np.float64)
    if np.isfinite(y).all() and (y == np.floor(y)).all():
        y = y.astype(np.int64)
    return y[:, 0] if y.shape[1] == 1 else y


def load_molecules_csv(
    path: str | Path,
    *,
    target: str | Sequence[str] | None = None,
    smiles_column: str = "smiles",
    return_X_y: bool = False,
) -> Any:
    """Load molecules and labels from a CSV file, with OGB's atom and bond features.

    Parameters
    ----------
    path : str or Path
        CSV, also compressed, one row per molecule. A file ``<name>_scaffold.npz``
        beside ``<name>.csv`` or ``<name>.csv.gz`` adds its split's row numbers.
    target : str or sequence of str, default=None
        Label columns; None takes every numeric column.
    smiles_column : str, default="smiles"
        Column that holds the SMILES.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection), ``target`` of shape (n_graphs,) or, with several
        label columns, (n_graphs, n_targets; NaN where missing), ``target_names``,
        ``smiles``, and ``train``, ``valid``, ``test`` where there is a split.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    ValueError
        If a column is missing or a SMILES cannot be parsed.
    """
    import pandas as pd

    path = Path(path)
    frame = pd.read_csv(path)
    if target is None:
        columns = list(frame.select_dtypes("number").columns)
    else:
        columns = [target] if isinstance(target, str) else list(target)
    missing = {smiles_column, *columns} - set(frame.columns)
    if missing or not columns:
        raise ValueError(
            f"{path}: expected columns {[smiles_column, *columns]}, got "
            f"{list(frame.columns)}"
        )
    smiles = frame[smiles_column].str.strip().to_numpy(object)
    graphs, y = graphs_from_smiles(smiles), _targets(frame, columns)
    if return_X_y:
        return graphs, y
    split_path = path.parent / f"{path.name.partition('.csv')[0]}_scaffold.npz"
    split = {}
    if split_path.exists():
        with np.load(split_path, allow_pickle=False) as file:
            split = {part: file[part] for part in ("train", "valid", "test")}
    return Bunch(data=graphs, target=y, target_names=columns, smiles=smiles, **split)
