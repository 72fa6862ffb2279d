"""HierarchyDisplay: what coarsening did to one graph, as a figure.

In: a fitted KFCoarsener and a graph. Out: matplotlib artists, in scikit-learn's Display
convention.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake.graphs import Graph, as_graphs, read_smiles_among
from skshake.hierarchy import GraphHierarchy, LevelView
from skshake.plotting._axes import grid_of_axes
from skshake.plotting._graph import (
    LINE_WIDTH,
    NODE_SIZE,
    draw_lines,
    frame,
    plot_graph,
)
from skshake.plotting._layout import draw_graph


class HierarchyDisplay:
    """A graph coloured by the blocks of each level, and the coarse graphs beside it.

    Left the input graph, one colour per block (neighbouring blocks differ); right the
    coarse graph: nodes in the colours of their blocks, their area by the number of
    input nodes, edges as wide as their weight. One row per level. Make one with
    :meth:`from_estimator`.

    Parameters
    ----------
    graph : Graph
        The input graph.
    hierarchy : GraphHierarchy
        Its levels; those with q = inf are not drawn.
    molecule : str or rdkit Mol, default=None
        SMILES or molecule whose atoms are the nodes of the graph, in order: it is drawn
        as chemists do (needs rdkit).

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    axes_ : ndarray of shape (n_levels, 2)
        matplotlib Axes.
    nodes_ : list of (PathCollection, PathCollection)
        Input nodes and coarse nodes of each level.
    edges_ : list of (LineCollection, LineCollection)
        Input edges and coarse edges of each level.
    """

    def __init__(
        self, graph: Graph, hierarchy: GraphHierarchy, *, molecule: Any = None
    ) -> None:
        self.graph = graph
        self.hierarchy = hierarchy
        self.molecule = molecule

    @classmethod
    def from_estimator(
        cls, coarsener: Any, graph: Any, *, molecule: Any = None, ax: Any = None
    ) -> HierarchyDisplay:
        """Coarsen one graph and plot the result.

        Parameters
        ----------
        coarsener : KFCoarsener
            Fitted.
        graph : graph, SMILES or rdkit Mol
            Any one graph that :func:`skshake.as_graphs` reads in a list, or the SMILES
            of a molecule, which is drawn as one.
        molecule : str or rdkit Mol, default=None
            SMILES or molecule whose atoms are the nodes.
        ax : array of matplotlib Axes of shape (n_levels, 2), default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : HierarchyDisplay

        Raises
        ------
        ValueError
            If the graph has other features than those at ``fit``, or the molecule other
            atoms than the graph, or all levels are the input graph.
        """
        (graph,) = read_smiles_among([graph])
        if molecule is None and hasattr(graph, "GetAtoms"):
            molecule = graph
        categorical = coarsener.categorical_features
        graphs = as_graphs([graph], categorical_features=categorical)
        hierarchy = coarsener.transform(graphs)[0]
        return cls(graphs[0], hierarchy, molecule=molecule).plot(ax=ax)

    def plot(self, ax: Any = None) -> HierarchyDisplay:
        """Draw.

        Parameters
        ----------
        ax : array of matplotlib Axes of shape (n_levels, 2), default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        self : HierarchyDisplay
        """
        levels = [level for level in self.hierarchy.levels if np.isfinite(level.q)]
        if not levels:
            raise ValueError("every level has q = inf: there is nothing coarse to draw")
        drawing = draw_graph(self.graph, self.molecule)
        self.axes_ = grid_of_axes(ax, len(levels), 2, 4.0)
        self.figure_ = self.axes_[0, 0].figure
        self.nodes_, self.edges_ = [], []
        for level, (left, right) in zip(levels, self.axes_, strict=True):
            colors = _block_colors(level)
            inputs = plot_graph(left, self.graph, drawing, colors[level.block])
            coarse = _plot_coarse(right, drawing.positions, level, colors)
            self.nodes_.append((inputs[0], coarse[0]))
            self.edges_.append((inputs[1], coarse[1]))
            left.set_title(
                f"input: {self.graph.n_nodes} nodes, {len(self.graph.edges)} edges"
            )
            right.set_title(
                f"q = {level.q:.3g}: {level.n_nodes} nodes, {len(level.edges)} edges"
            )
            for axes in (left, right):
                frame(axes, drawing.positions)
        return self


def _plot_coarse(
    ax: Any, positions: np.ndarray, level: LevelView, colors: np.ndarray
) -> tuple[Any, Any]:
    """Coarse nodes in the middle of their blocks, and coarse edges."""
    size = np.bincount(level.block, minlength=level.n_nodes)
    middle = np.column_stack(
        [np.bincount(level.block, column) / size for column in positions.T]
    )
    lines = draw_lines(ax, middle[level.edges], LINE_WIDTH * np.sqrt(level.edge_weight))
    points = ax.scatter(
        *middle.T,
        s=NODE_SIZE * size / max(1.0, len(level.block) / 40),
        c=colors,
        edgecolors="0.3",
        linewidths=0.6,
        zorder=2,
    )
    return points, lines


def _block_colors(level: LevelView) -> np.ndarray:
    """RGBA of each block; those of neighbouring blocks differ."""
    import matplotlib as mpl
    import networkx as nx

    graph = nx.empty_graph(level.n_nodes)
    graph.add_edges_from(level.edges.tolist())
    groups = nx.greedy_color(graph, strategy="largest_first")
    palette = np.array(mpl.color_sequences["Set3"] + mpl.color_sequences["Pastel1"])
    # Blocks that are not neighbours share few colours, so vary within a group too.
    n_groups = max(groups.values(), default=0) + 1
    per_group = max(1, len(palette) // n_groups)
    numbers = [
        (groups[k] + n_groups * (k % per_group)) % len(palette)
        for k in range(level.n_nodes)
    ]
    return palette[numbers]
