"""What a graph, and a list of graphs, may be, for checkers of types and for readers.

In: nothing. Out: :data:`GraphLike`, one graph, and :data:`GraphsLike`, a list of them.
At run time it is the readers who decide (:func:`skshake.as_graphs`), and
:func:`skshake.register_reader` adds to them what no type here knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np

from skshake.graphs._collection import Graph, GraphCollection


class SupportsEdgeIndex(Protocol):
    """A ``Data`` of torch_geometric."""

    @property
    def edge_index(self) -> Any:
        """Ends of arcs, (2, n_arcs)."""


class SupportsNodesAndEdges(Protocol):
    """A graph of networkx."""

    @property
    def nodes(self) -> Any:
        """Nodes with attributes."""

    @property
    def edges(self) -> Any:
        """Edges with attributes."""


class SupportsVertices(Protocol):
    """A graph of igraph."""

    @property
    def vs(self) -> Any:
        """Vertices."""

    @property
    def es(self) -> Any:
        """Edges."""


class SupportsAtoms(Protocol):
    """A molecule of rdkit."""

    def GetAtoms(self) -> Any:  # noqa: N802
        """Atoms."""


class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy."""

    @property
    def nnz(self) -> Any:
        """Number of stored entries."""

    def tocsr(self) -> Any:
        """The same in CSR format."""


class Table(Protocol):
    """A data frame with one column, of graphs."""

    @property
    def columns(self) -> Any:
        """Names of columns."""

    def __len__(self) -> int: ...

    def __getitem__(self, name: Any, /) -> Any: ...


GraphLike: TypeAlias = (
    Graph
    | SupportsEdgeIndex
    | SupportsNodesAndEdges
    | SupportsVertices
    | SupportsAtoms
    | SparseMatrix
    | np.ndarray
    | tuple[Any, ...]
    | Mapping[str, Any]
)
"""One graph: of this package, torch_geometric, networkx, igraph or rdkit; an adjacency
matrix; a tuple that begins with one; or a dictionary."""


class Dataset(Protocol):
    """A data set of graphs with no iterator of its own, such as OGB's."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: Any, /) -> GraphLike: ...


GraphsLike: TypeAlias = GraphCollection | Iterable[GraphLike] | Table | Dataset
"""A list of graphs, of kinds that may be mixed; or a column of them."""
