"""HierarchyDisplay: what coarsening did to one graph, as a figure.

In: a fitted KFCoarsener and a graph. Out: matplotlib artists, in scikit-learn's Display
convention.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from skshake.graphs import Graph, as_graphs, read_smiles_among
from skshake.hierarchy import GraphHierarchy, LevelView
from skshake.plotting._axes import grid_of_axes
from skshake.plotting._graph import (
    LINE_WIDTH,
    NODE_RADIUS,
    Paper,
    draw_capsules,
    draw_discs,
    draw_lines,
    draw_skeleton,
    prepare,
    size_for,
    write_centred,
    write_symbols,
)
from skshake.plotting._layout import SUBSCRIPTS, Drawing, draw_graph

# In units: half the width of a hull, and of its outline.
HULL_RADIUS, OUTLINE = 0.34, 0.035
# How much of their colour hulls and outlines have, the rest is the paper's.
PALE, STRONG = 0.3, 0.8
# Inches of one picture, and points of the widest edge.
WIDTH, WIDEST = 4.2, 7.0
# Nodes of a coarse node of which it is drawn as large as its hull is wide.
LARGEST_GROWTH = 3.5


class HierarchyDisplay:
    """A graph with hulls around what each level merges, beside the coarse graphs.

    Left the input graph: a hull around the nodes of each block that has several
    (neighbouring hulls differ in colour), nodes that stay alone as they are. Right the
    coarse graph: merged nodes in the colours of their hulls, their area by the number
    of input nodes, which is written on them (of molecules, their formula); edges as
    wide as their weight. One row per level. Make one with :meth:`from_estimator`.

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
    hulls_ : list of PolyCollection
        Of each level, one polygon per pair of nodes that a hull joins.
    nodes_ : list of (EllipseCollection or None, EllipseCollection)
        Input nodes (None of a molecule, whose atoms are letters) and coarse nodes of
        each level.
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
        drawing = draw_graph(self.graph, self.molecule, levels[0].block)
        size = size_for(drawing.positions, WIDTH)
        self.axes_ = grid_of_axes(ax, len(levels), 2, size)
        self.figure_ = self.axes_[0, 0].figure
        self.hulls_: list[Any] = []
        self.nodes_: list[tuple[Any, Any]] = []
        self.edges_: list[tuple[Any, Any]] = []
        n_nodes, n_edges = self.graph.n_nodes, len(self.graph.edges)
        for level, (left, right) in zip(levels, self.axes_, strict=True):
            colors = _block_colors(level)
            paper = prepare(left, self.graph.edges, drawing.positions)
            prepare(right, self.graph.edges, drawing.positions)
            self.hulls_.append(
                _draw_hulls(left, self.graph, drawing, level, colors, paper)
            )
            inputs = _draw_input(left, self.graph, drawing, paper)
            coarse = _draw_coarse(right, drawing, level, colors, paper)
            self.nodes_.append((inputs[0], coarse[0]))
            self.edges_.append((inputs[1], coarse[1]))
            left.set_title(f"{n_nodes} nodes, {n_edges} edges", fontsize="medium")
            right.set_title(
                f"q = {level.q:.3g}: {level.n_nodes} nodes, {len(level.edges)} edges",
                fontsize="medium",
            )
        return self


def _draw_input(
    ax: Any, graph: Graph, drawing: Drawing, paper: Paper
) -> tuple[Any, Any]:
    """Edges and nodes of the input graph, plain."""
    lines = draw_skeleton(ax, graph, drawing, paper)
    if drawing.is_molecule:
        write_symbols(ax, drawing, paper)
        return None, lines
    points = draw_discs(
        ax,
        drawing.positions,
        NODE_RADIUS * paper.unit,
        [paper.background],
        edgecolors=[paper.ink],
        linewidths=0.8,
        zorder=3,
    )
    return points, lines


def _draw_hulls(
    ax: Any,
    graph: Graph,
    drawing: Drawing,
    level: LevelView,
    colors: np.ndarray,
    paper: Paper,
) -> Any:
    """One hull per merged block: along the shortest edges that hold it together."""
    inner = graph.edges[
        level.block[graph.edges[:, 0]] == level.block[graph.edges[:, 1]]
    ]
    ends = drawing.positions[inner]
    lengths = np.linalg.norm(np.diff(ends, axis=1)[:, 0], axis=1)
    tree = minimum_spanning_tree(
        sparse.coo_array((lengths + 1e-9, inner.T), shape=(graph.n_nodes,) * 2).tocsr()
    ).tocoo()
    joined = np.stack([tree.row, tree.col])
    block = level.block[joined[0]]
    order = np.argsort(block, kind="stable")
    ends, block = drawing.positions[joined.T[order]], block[order]
    radius = HULL_RADIUS * paper.unit
    # All outlines lie below all hulls, so that the pieces of a hull are one shape.
    draw_capsules(
        ax,
        ends,
        radius + OUTLINE * paper.unit,
        paper.mix(colors[block], STRONG),
        zorder=0.5,
    )
    return draw_capsules(ax, ends, radius, paper.mix(colors[block], PALE), zorder=0.6)


def _draw_coarse(
    ax: Any, drawing: Drawing, level: LevelView, colors: np.ndarray, paper: Paper
) -> tuple[Any, Any]:
    """Coarse nodes in the middle of their blocks, and coarse edges."""
    size = np.bincount(level.block, minlength=level.n_nodes)
    middle = (
        np.column_stack(
            [
                np.bincount(level.block, column, level.n_nodes)
                for column in drawing.positions.T
            ]
        )
        / np.maximum(size, 1)[:, None]
    )
    grey = 0.5 * (paper.ink + paper.background)
    widths = LINE_WIDTH * np.sqrt(level.edge_weight)
    widths *= min(1.0, WIDEST / widths.max(initial=WIDEST))
    lines = draw_lines(ax, middle[level.edges], widths, [grey])
    is_merged = size > 1
    fill, edge = (paper.mix(colors, strength) for strength in (PALE, STRONG))
    fill[~is_merged], edge[~is_merged] = paper.background, paper.ink
    smallest = 1.5 * NODE_RADIUS if drawing.is_molecule else NODE_RADIUS
    growth = min(1.0, LARGEST_GROWTH / np.sqrt(max(size.max(initial=1), 1)))
    radius = smallest * paper.unit * np.maximum(np.sqrt(size) * growth, 1.0)
    points = draw_discs(
        ax, middle, radius, fill, edgecolors=edge, linewidths=0.8, zorder=3
    )
    if drawing.is_molecule:
        labels = _formulas(drawing.symbols, level)
    else:
        labels = [str(n) if n > 1 else "" for n in size.tolist()]
    write_centred(ax, middle, labels, radius, paper)
    return points, lines


def _formulas(symbols: list[str], level: LevelView) -> list[str]:
    """Atoms of each coarse node, as "C₂N"; carbon first, then by the alphabet."""
    formulas = []
    for k in range(level.n_nodes):
        counts = Counter(symbols[node] for node in np.flatnonzero(level.block == k))
        parts = sorted(counts.items(), key=lambda part: (part[0] != "C", part[0]))
        formulas.append(
            "".join(
                symbol + (str(n).translate(SUBSCRIPTS) if n > 1 else "")
                for symbol, n in parts
            )
        )
    return formulas


def _block_colors(level: LevelView) -> np.ndarray:
    """RGB of each block; those of neighbouring merged blocks differ."""
    import matplotlib as mpl
    import networkx as nx

    is_merged = np.bincount(level.block, minlength=level.n_nodes) > 1
    graph = nx.empty_graph(level.n_nodes)
    graph.add_edges_from(level.edges[is_merged[level.edges].all(axis=1)].tolist())
    groups = nx.greedy_color(graph, strategy="largest_first")
    numbers = np.array([groups[k] for k in range(level.n_nodes)], int)
    palette = np.array(mpl.color_sequences["tab10"])
    # Grey is for what is not merged.
    palette = np.delete(palette, 7, axis=0)
    n_groups = numbers.max(initial=0) + 1
    if n_groups > len(palette):
        palette = mpl.colormaps["hsv"](np.linspace(0, 1, n_groups, endpoint=False))
    return palette[numbers, :3]
