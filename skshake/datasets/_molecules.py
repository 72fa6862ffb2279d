"""Molecules and their labels from a CSV file.

In: a file of SMILES. Out: a Bunch of a GraphCollection and labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.graphs import graphs_from_smiles, join_integers


def _targets(frame: Any, columns: list[str]) -> np.ndarray:
    """Label columns as numbers: integers where all are whole, NaN where missing."""
    given = [frame[name].to_numpy() for name in columns]
    if all(values.dtype.kind in "iub" for values in given):
        # Not by way of floats, in which large integers are one.
        y = join_integers([values[:, None] for values in given], axis=1)
    else:
        try:
            y = frame[columns].to_numpy(np.float64)
        except ValueError as error:
            raise ValueError(
                f"{columns}: expected numbers as labels; {error}"
            ) from error
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
    missing = [c for c in (smiles_column, *columns) if c not in frame.columns]
    if missing:
        raise ValueError(
            f"{path}: expected columns {missing}, got {list(frame.columns)}"
        )
    if not columns:
        raise ValueError(
            f"{path}: expected a numeric column of labels beside {smiles_column!r}, "
            f"got {list(frame.columns)}; choose with target=[...]"
        )
    smiles = frame[smiles_column].str.strip().to_numpy(object)
    graphs = graphs_from_smiles(smiles)
    try:
        y = _targets(frame, columns)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if return_X_y:
        return graphs, y
    split_path = path.parent / f"{path.name.partition('.csv')[0]}_scaffold.npz"
    split = {}
    if split_path.exists():
        with np.load(split_path, allow_pickle=False) as file:
            split = {part: file[part] for part in ("train", "valid", "test")}
    return Bunch(data=graphs, target=y, target_names=columns, smiles=smiles, **split)
