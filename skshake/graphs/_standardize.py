"""standardize: one way to write what is one compound, through rdkit's MolStandardize.

In: an rdkit molecule. Out: another one; the molecule that came is never changed.
"""

from __future__ import annotations

from typing import Any


def standardize(molecule: Any, *, is_cleaned: bool, keeps_largest: bool) -> Any:
    """The molecule in its usual form, or its largest part, or both.

    Parameters
    ----------
    molecule : rdkit Mol
    is_cleaned : bool
        Whether bonds to metals are cut, functional groups and charges brought into
        their usual form, and charges neutralised as far as hydrogens allow.
    keeps_largest : bool
        Whether only the largest organic part is kept (of parts without carbon, the
        largest). It is chosen before charges go, which balance those of other parts.

    Raises
    ------
    ValueError
        If rdkit cannot do that with it.
    """
    from rdkit import Chem
    from rdkit.Chem.MolStandardize import rdMolStandardize
    from rdkit.rdBase import BlockLogs

    with BlockLogs():
        try:
            if is_cleaned:
                molecule = rdMolStandardize.Cleanup(molecule)
            if keeps_largest:
                chooser = rdMolStandardize.LargestFragmentChooser(preferOrganic=True)
                molecule = chooser.choose(molecule)
            if is_cleaned:
                molecule = rdMolStandardize.Uncharger().uncharge(molecule)
                # Hybridisation follows charges.
                Chem.SanitizeMol(molecule)
        except (ValueError, RuntimeError) as error:
            first = str(error).strip().partition("\n")[0]
            raise ValueError(f"the molecule cannot be standardised: {first}") from error
    return molecule
