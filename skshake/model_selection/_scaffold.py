"""ScaffoldSplit: molecules with rare scaffolds are held out.

In: SMILES or rdkit molecules. Out: row numbers to train on and to test on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_array

from skshake._extras import require
from skshake.graphs import as_molecule, items_of_column


def scaffold_groups(X: Any, *, use_csk: bool = False) -> np.ndarray:
    """Bemis-Murcko scaffold of each molecule, as groups for scikit-learn's splitters.

    ``cross_val_score(model, smiles, y, groups=scaffold_groups(smiles),
    cv=StratifiedGroupKFold(5))`` has no scaffold in both training and test.

    Parameters
    ----------
    X : iterable of str or rdkit molecules, or one column of them
        Molecules. Stereo does not count.
    use_csk : bool, default=False
        Whether all atoms are carbon and all bonds single in a scaffold, which joins
        more molecules (the cyclic skeleton of Bemis and Murcko).

    Returns
    -------
    groups : ndarray of str of shape (n_molecules,)
        SMILES of the scaffold: rings and what links them. It is empty, and so one and
        the same, for molecules without rings and for what rdkit cannot read.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    TypeError
        If no list of molecules comes.

    References
    ----------
    Bemis & Murcko (1996), "The Properties of Known Drugs. 1. Molecular Frameworks",
    J. Med. Chem. 39(15), doi:10.1021/jm9602928.

    Examples
    --------
    >>> from skshake.model_selection import scaffold_groups
    >>> scaffold_groups(["Cc1ccccc1", "Oc1ccccc1", "CCO"]).tolist()
    ['c1ccccc1', 'c1ccccc1', '']
    """
    require("rdkit", "finding scaffolds")
    X = items_of_column(X, "molecules")
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    if isinstance(X, str) or not isinstance(X, Iterable):
        raise TypeError(
            f"expected a list of SMILES or rdkit molecules, got {type(X).__name__}"
        )
    return np.array([_scaffold_of(item, use_csk) for item in X], dtype=str)


def _scaffold_of(item: Any, use_csk: bool) -> str:
    """SMILES of one scaffold."""
    from rdkit import Chem
    from rdkit.Chem.Scaffolds import MurckoScaffold
    from rdkit.rdBase import BlockLogs

    try:
        molecule = Chem.Mol(as_molecule(item))
    except (TypeError, ValueError):
        return ""
    with BlockLogs():
        Chem.RemoveStereochemistry(molecule)
        scaffold = MurckoScaffold.GetScaffoldForMol(molecule)
        if use_csk:
            generic = MurckoScaffold.MakeScaffoldGeneric(scaffold)
            # Again, as a bond that was double outside of rings is now a branch.
            scaffold = MurckoScaffold.GetScaffoldForMol(generic)
        return str(Chem.MolToSmiles(scaffold))


class ScaffoldSplit:
    """Hold out molecules whose scaffolds are rare, as MoleculeNet does.

    One split, without chance: the rarest scaffolds fill the test set, those of equally
    many molecules in the order in which they come. No scaffold is on both sides, so the
    score is nearer to that on chemistry to come than that of random folds.
    ``scaffold_train_test_split`` of scikit-fingerprints splits alike; for several folds
    give :func:`scaffold_groups` to scikit-learn's StratifiedGroupKFold.

    Parameters
    ----------
    test_size : float or int, default=0.2
        Least fraction, or number, of molecules to test on; the last scaffold is put in
        whole.
    use_csk : bool, default=False
        Whether scaffolds are cyclic skeletons, see :func:`scaffold_groups`.

    See Also
    --------
    scaffold_groups : The scaffolds, as groups.

    References
    ----------
    Wu et al. (2018), "MoleculeNet: a benchmark for molecular machine learning", Chem.
    Sci. 9, doi:10.1039/C7SC02664A.

    Examples
    --------
    >>> from skshake.model_selection import ScaffoldSplit
    >>> smiles = ["Cc1ccccc1", "Oc1ccccc1", "Nc1ccccc1", "c1ccncc1", "CCO", "CCC"]
    >>> for train, test in ScaffoldSplit(test_size=0.3).split(smiles):
    ...     print(train.tolist(), test.tolist())
    [0, 1, 2] [3, 4, 5]
    """

    def __init__(self, *, test_size: float = 0.2, use_csk: bool = False) -> None:
        self.test_size = test_size
        self.use_csk = use_csk

    def __repr__(self) -> str:
        return f"ScaffoldSplit(test_size={self.test_size}, use_csk={self.use_csk})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        n_splits : int
            One.
        """
        return 1

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Row numbers of the split.

        Parameters
        ----------
        X : iterable of str or rdkit molecules
            Molecules; anything of their length if ``groups`` are given.
        y : object
            Ignored.
        groups : array-like of shape (n_molecules,), default=None
            Scaffolds, where X are no molecules but graphs of them.

        Yields
        ------
        train, test : ndarray
            Row numbers, increasing.

        Raises
        ------
        ValueError
            If ``test_size`` is out of range, or no scaffold is left to train on.
        """
        if groups is None:
            groups = scaffold_groups(X, use_csk=self.use_csk)
        else:
            groups = check_array(
                groups, ensure_2d=False, dtype=None, input_name="groups"
            )
        n_test = _number_of(self.test_size, len(groups))
        _, first, group, counts = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, counts))
        before = np.cumsum(counts[order]) - counts[order]
        is_test = np.empty(len(counts), bool)
        is_test[order] = before < n_test
        if is_test.all():
            raise ValueError(
                f"no scaffold is left to train on: {len(counts)} scaffolds of "
                f"{len(groups)} molecules are needed for test_size={self.test_size}"
            )
        yield np.flatnonzero(~is_test[group]), np.flatnonzero(is_test[group])


def _number_of(size: float, n_rows: int) -> int:
    """Number of rows that a fraction or a number stands for."""
    if isinstance(size, Integral) and 0 < size < n_rows:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0 < size < 1:
        return int(np.ceil(size * n_rows))
    raise ValueError(
        f"test_size: expected a fraction between 0 and 1, or a number below {n_rows}, "
        f"got {size!r}"
    )
