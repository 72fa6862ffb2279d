"""MoleculeFeaturizer: SMILES to graphs, as the first step of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions

from skshake._callbacks import CallbackMixin, FitTask
from skshake._fit_context import checks_parameters
from skshake._output import CollectionOutputMixin
from skshake._warnings import warn_user
from skshake.graphs import (
    GraphCollection,
    GraphProblem,
    InvalidGraphError,
    as_molecule,
    graphs_from_records,
    items_of_column,
    problems_of,
    read_molecules,
    refuse_invalid,
    standardize,
)

# Invalid molecules that a warning names.
NAMED = 5


class MoleculeFeaturizer(
    CollectionOutputMixin, TransformerMixin, CallbackMixin, BaseEstimator
):
    """Turn molecules into graphs with OGB's atom and bond features.

    Nine categorical features per atom and three per bond (Hu et al. 2020, Open Graph
    Benchmark); hydrogens are not drawn unless the SMILES draws them. There is nothing
    to learn: ``fit`` only checks its parameters.

    Parameters
    ----------
    on_invalid : {"raise", "empty"}, default="raise"
        What becomes of a SMILES that is missing or that rdkit cannot parse, and of a
        molecule that it cannot sanitise: an error that names it, or a graph without
        nodes and a warning, so that rows still match the labels. Such graphs are
        predicted like any other, or not at all with ``on_empty="nan"`` of
        :class:`SHAKEClassifier`; :meth:`check` says which they are.
    fragments : {"all", "largest"}, default="all"
        What is read of salts and mixtures (SMILES with dots): all of their parts, as
        one graph of several components, or the largest organic part (of parts without
        carbon, the largest).
    standardize : bool, default=False
        Whether one compound is written in one way first, by rdkit's MolStandardize:
        bonds to metals are cut, functional groups such as nitro get their usual form,
        and charges are neutralised where hydrogens allow it. Tautomers stay as they
        come.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    ValueError
        If a molecule is invalid and ``on_invalid="raise"``, or none comes.

    Warns
    -----
    UserWarning
        If molecules are invalid and ``on_invalid="empty"``, with their number and the
        first of them.

    See Also
    --------
    skshake.datasets.load_molecules_csv : Read molecules and labels from a file.
    skshake.model_selection.ScaffoldSplit : Hold out scaffolds that training lacks.

    Notes
    -----
    Stereo centres and double bonds count as OGB's features have them: a tag of
    chirality (clockwise or not, which depends on the order of neighbours in the SMILES)
    and a stereo code of the bond. Enantiomers are no more told apart than that, and
    coordinates of molecules in 3-D are not read.

    Examples
    --------
    >>> from skshake import MoleculeFeaturizer
    >>> MoleculeFeaturizer().fit_transform(["CCO", "c1ccccc1"])
    <GraphCollection of 2 graphs: 9 nodes, 8 edges, 9 node and 3 edge features>
    """

    _parameter_constraints: dict = {
        "on_invalid": [StrOptions({"raise", "empty"})],
        "fragments": [StrOptions({"all", "largest"})],
        "standardize": ["boolean"],
    }

    def __init__(self, *, on_invalid="raise", fragments="all", standardize=False):
        self.on_invalid = on_invalid
        self.fragments = fragments
        self.standardize = standardize

    @checks_parameters
    def fit(self, X: Any, y: Any = None) -> MoleculeFeaturizer:
        """Check the parameters.

        Parameters
        ----------
        X : iterable of str or rdkit molecules
            Ignored.
        y : None
            Ignored.

        Returns
        -------
        self : MoleculeFeaturizer
        """
        FitTask(self, X, y).end()
        return self

    def transform(self, X: Any) -> GraphCollection:
        """Read molecules.

        Parameters
        ----------
        X : iterable of str or rdkit molecules, or one column of them
            One graph each, in order. A molecule that was read without sanitising is
            sanitised on a copy.

        Returns
        -------
        graphs : GraphCollection of length n_molecules
        """
        records, refused = read_molecules(_as_molecules(X), self._prepare)
        refuse_invalid(refused, keeps_invalid=self.on_invalid == "empty")
        if refused:
            named = ", ".join(str(error.graph) for error in refused[:NAMED])
            more = ", ..." if len(refused) > NAMED else ""
            warn_user(
                f"{len(refused)} of {len(records)} molecules are invalid and become "
                f"graphs without nodes: {named}{more} ({refused[0]}); check(X) lists "
                "them"
            )
        return graphs_from_records(records)

    def read(self, X: Any) -> list[Any]:
        """Read molecules whose atoms are the nodes of the graphs, in the same order.

        Parameters
        ----------
        X : iterable of str or rdkit molecules, or one column of them
            As for ``transform``.

        Returns
        -------
        molecules : list of rdkit Mol or None
            With parts left out and standardised as asked; None for an invalid one.
        """
        items = _as_molecules(X)
        _, refused = read_molecules(items, self._prepare)
        invalid = {error.graph for error in refused}
        return [
            None if i in invalid else as_molecule(item, self._prepare)
            for i, item in enumerate(items)
        ]

    def check(self, X: Any) -> list[GraphProblem]:
        """Find all items that are no molecules, and why.

        Parameters
        ----------
        X : iterable of str or rdkit molecules, or one column of them
            As for ``transform``.

        Returns
        -------
        problems : list of GraphProblem
            One ``(graph, field, message)`` per item that cannot be read, by position,
            whatever ``on_invalid`` says; empty if all can.
        """
        return problems_of(read_molecules(_as_molecules(X), self._prepare)[1])

    def _prepare(self, molecule: Any) -> Any:
        """The molecule that is read of one that comes."""
        keeps_largest = self.fragments == "largest"
        if not (self.standardize or keeps_largest):
            return molecule
        return standardize(
            molecule, is_cleaned=self.standardize, keeps_largest=keeps_largest
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.requires_fit = False
        return tags


def _as_molecules(X: Any) -> list[Any]:
    """Molecules of a list or of one column."""
    X = items_of_column(X, "molecules")
    if isinstance(X, str) or not isinstance(X, Iterable):
        raise InvalidGraphError(
            f"expected a list of SMILES or rdkit molecules, got {type(X).__name__}"
        )
    if isinstance(X, np.ndarray) and X.ndim != 1:
        # Such as an array of strings, in one column.
        if X.ndim != 2 or X.shape[1] != 1:
            raise InvalidGraphError(
                "expected a list of molecules, or one column of them, got an array of "
                f"shape {X.shape}"
            )
        X = X[:, 0]
    molecules = list(X)
    if not molecules:
        raise InvalidGraphError("expected at least one molecule, got an empty list")
    return molecules
