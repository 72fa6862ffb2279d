"""MoleculeFeaturizer: SMILES to graphs, as the first step of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions

from skshake.graphs import (
    GraphCollection,
    GraphProblem,
    InvalidGraphError,
    graphs_from_smiles,
    problems_of,
    read_molecules,
)


class MoleculeFeaturizer(TransformerMixin, BaseEstimator):
    """Turn molecules into graphs with OGB's atom and bond features.

    Nine categorical features per atom and three per bond (Hu et al. 2020, Open Graph
    Benchmark); hydrogens are not drawn unless the SMILES draws them. There is nothing
    to learn: ``fit`` only checks its parameters.

    Parameters
    ----------
    on_invalid : {"raise", "empty"}, default="raise"
        What becomes of a SMILES that is missing or that rdkit cannot parse: an error
        that names it, or a graph without nodes, so that rows still match the labels.

    Raises
    ------
    ImportError
        If rdkit is not installed (``pip install "skshake[molecules]"``).
    ValueError
        If a molecule is invalid and ``on_invalid="raise"``, or none comes.

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

    @_fit_context(prefer_skip_nested_validation=True)
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
        return self

    def transform(self, X: Any) -> GraphCollection:
        """Read molecules.

        Parameters
        ----------
        X : iterable of str or rdkit molecules, or one column of them
            One graph each, in order.

        Returns
        -------
        graphs : GraphCollection of length n_molecules
        """
        molecules = _as_molecules(X)
        return graphs_from_smiles(molecules, keeps_invalid=self.on_invalid == "empty")

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


def _as_molecules(X: Any) -> list:
    """List of the molecules."""
    if isinstance(X, str) or not isinstance(X, Iterable):
        raise InvalidGraphError(
            f"expected a list of SMILES or rdkit molecules, got {type(X).__name__}"
        )
    if getattr(X, "ndim", 1) != 1:
        # One column, as ColumnTransformer hands it over.
        values = np.asarray(X, object)
        if values.ndim != 2 or values.shape[1] != 1:
            raise InvalidGraphError(
                f"expected one column of molecules, got {values.shape}"
            )
        X = values[:, 0]
    molecules = list(X)
    if not molecules:
        raise InvalidGraphError("expected at least one molecule, got an empty list")
    return molecules
