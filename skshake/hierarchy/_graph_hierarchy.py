"""GraphHierarchy: the view of one graph in a collection of hierarchies.

In: a collection and a position. Out: its levels, for people and for other libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from skshake.graphs import NamedView
from skshake.hierarchy._export import to_networkx, to_pyg
from skshake.hierarchy._level import LevelView

if TYPE_CHECKING:
    from skshake.hierarchy._collection import HierarchyCollection


@dataclass(frozen=True, eq=False)
class GraphHierarchy(NamedView):
    """Hierarchy of one graph: a view that holds no data of its own.

    Parameters
    ----------
    collection : HierarchyCollection
        The collection.
    position : int
        Number of the graph in it.
    """

    collection: HierarchyCollection
    position: int

    def __repr__(self) -> str:
        sizes = " -> ".join(str(level.n_nodes) for level in self.levels)
        return f"<GraphHierarchy of {sizes} nodes>"

    @property
    def levels(self) -> tuple[LevelView, ...]:
        """Levels from fine to coarse."""
        collection, position = self.collection._alone(self.position)
        ptr = collection.node_ptr
        nodes = slice(ptr[position], ptr[position + 1])
        return tuple(
            LevelView(level, position, level.block[nodes])
            for level in collection.levels
        )

    def overlap(self, fine: int, coarse: int) -> sparse.csr_array:
        """Number of input nodes that a fine (row) and a coarse (column) block share.

        Parameters
        ----------
        fine, coarse : int
            Levels, 0 is the finest.

        Returns
        -------
        overlap : csr_array of shape (n_fine, n_coarse)
        """
        return self.collection.take(np.array([self.position])).overlap(fine, coarse)

    def to_networkx(self, level: int) -> Any:
        """Networkx graph of a level.

        Parameters
        ----------
        level : int
            0 is the finest.

        Returns
        -------
        graph : networkx.Graph
            With ``x`` of nodes, ``weight`` and ``edge_attr`` of edges.
        """
        return to_networkx(self.levels[level])

    def to_pyg(self, level: int) -> Any:
        """Data object of torch_geometric for a level.

        Parameters
        ----------
        level : int
            0 is the finest.

        Returns
        -------
        data : torch_geometric.data.Data
            With ``x``, ``edge_index`` (both arcs of each edge), ``edge_attr``,
            ``edge_weight`` and ``num_nodes``.
        """
        return to_pyg(self.levels[level])
