"""standardize: one way to write what is one compound, through rdkit's MolStandardize.

In: an rdkit molecule. Out: another one; the molecule that came is never changed.
"""

from __future__ import annotations

from typing import Any


def keep_largest(molecule: Any) -> Any:
    """The largest organic part of a salt or mixture (of parts without carbon, the
    largest)."""
    from rdkit.Chem.MolStandardize import rdMolStandardize
    from rdkit.rdBase import BlockLogs

    with BlockLogs():
        chooser = rdMolStandardize.LargestFragmentChooser(preferOrganic=True)
        return chooser.choose(molecule)


def standardize(molecule: Any) -> Any:
    """The molecule with metals disconnected, groups and charges in their usual form.

    Raises
    ------
    ValueError
        If rdkit cannot do that with it.
    """
    from rdkit.Chem.MolStandardize import rdMolStandardize
    from rdkit.rdBase import BlockLogs

    with BlockLogs():
        try:
            cleaned = rdMolStandardize.Cleanup(molecule)
            return rdMolStandardize.Uncharger().uncharge(cleaned)
        except RuntimeError as error:
            first = str(error).strip().partition("\n")[0]
            raise ValueError(f"the molecule cannot be standardised: {first}") from error
