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
    graphs_from_records,
    items_of_column,
    problems_of,
    read_molecules,
    refuse_invalid,
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

    Examples
    --------
    >>> from skshake import MoleculeFeaturizer
    >>> MoleculeFeaturizer().fit_transform(["CCO", "c1ccccc1"])
    <GraphCollection of 2 graphs: 9 nodes, 8 edges, 9 node and 3 edge features>
    """

    _parameter_constraints: dict = {"on_invalid": [StrOptions({"raise", "empty"})]}

    def __init__(self, *, on_invalid="raise"):
        self.on_invalid = on_invalid

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
        records, refused = read_molecules(_as_molecules(X))
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
        return problems_of(read_molecules(_as_molecules(X))[1])

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
