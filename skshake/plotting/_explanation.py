"""ExplanationDisplay: a graph whose nodes and edges are coloured by what they add.

In: a fitted model and a graph or molecule. Out: matplotlib artists, in scikit-learn's
Display convention.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake._explain import explain
from skshake._explanation import Explanation
from skshake._extras import require
from skshake.graphs import Graph
from skshake.plotting._axes import one_axes
from skshake.plotting._graph import (
    NODE_RADIUS,
    Paper,
    draw_capsules,
    draw_discs,
    draw_lines,
    draw_skeleton,
    faintness,
    prepare,
    size_for,
    write_symbols,
)
from skshake.plotting._layout import Drawing, draw_graph

# Blue speaks against the class that is explained, red for it; brighter on dark paper.
ON_LIGHT, ON_DARK = ("#2166ac", "#b2182b"), ("#4da3ff", "#ff5a4d")
# In units: radius of the colour behind an atom, and behind a bond, which is as much
# shorter at either end.
ATOM_RADIUS, BOND_RADIUS = 0.36, 0.15
# Points of edges, and inches of the figure without its bar of colours.
LINE_WIDTH, WIDTH = 3.0, 4.4


class ExplanationDisplay:
    """One graph; red nodes and edges speak for a class, blue ones against it.

    Contributions of nodes and of edges have one scale, symmetric around zero, which has
    the colour of the paper. Molecules are drawn as chemists do, with a heat map behind
    their atoms and bonds. Make one with :meth:`from_estimator`, or of
    ``explain(model, graphs)[i]``.

    Parameters
    ----------
    explanation : Explanation
        Of one graph; of several targets the first is drawn.
    molecule : str or rdkit Mol, default=None
        SMILES or molecule whose atoms are the nodes, in order; None takes that of the
        explanation, if it has one.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    ax_ : matplotlib Axes
    nodes_ : EllipseCollection
        Nodes, or the colours behind atoms.
    edges_ : LineCollection or PolyCollection
        Edges, or the colours behind bonds.
    colorbar_ : matplotlib Colorbar
    """

    def __init__(self, explanation: Explanation, *, molecule: Any = None) -> None:
        self.explanation = explanation
        self.molecule = molecule

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        graph: Any,
        *,
        target: Any = None,
        molecule: Any = None,
        ax: Any = None,
    ) -> ExplanationDisplay:
        """Explain the prediction of one graph and plot the result.

        Parameters
        ----------
        model : estimator
            Fitted; any that :func:`skshake.explain` takes.
        graph : graph, SMILES or rdkit Mol
            One input of the model.
        target : label, default=None
            Class to explain, as for :func:`skshake.explain`.
        molecule : str or rdkit Mol, default=None
            SMILES or molecule whose atoms are the nodes.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : ExplanationDisplay

        Raises
        ------
        ValueError
            If the graph has no nodes, as a molecule that cannot be read.
        """
        explanation = explain(model, [graph], target=target)[0]
        return cls(explanation, molecule=molecule).plot(ax=ax)

    def plot(self, ax: Any = None) -> ExplanationDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        self : ExplanationDisplay

        Raises
        ------
        ValueError
            If the explanation is of several graphs, or of one without nodes.
        """
        require("matplotlib", "drawing")
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba

        explanation, molecule = self.explanation, self.molecule
        if len(explanation) != 1:
            raise ValueError(
                f"explanation: expected that of one graph, got {len(explanation)}; "
                "choose with explanation[i]"
            )
        if not explanation.graphs.n_nodes:
            raise ValueError(
                "explanation: has no nodes to draw; a molecule that cannot be read is "
                "such a graph"
            )
        if molecule is None and explanation.molecules is not None:
            (molecule,) = explanation.molecules
        graph = explanation.graphs[0]
        drawing = draw_graph(graph, molecule)
        nodes, edges = explanation.nodes[0], explanation.edges[0]
        largest = max(np.abs(np.concatenate([nodes, edges, [0.0]])).max(), 1e-12)
        width, height = size_for(drawing.positions, WIDTH)
        self.ax_ = one_axes(ax, (width + 1.2, height))
        self.figure_ = self.ax_.figure
        paper = prepare(self.ax_, graph.edges, drawing.positions)
        against, speaks_for = ON_DARK if paper.is_dark else ON_LIGHT
        # Transparent where nothing is said, so that neighbours show through; on paper
        # that looks as the bar of colours does.
        clear = [
            to_rgba(color, alpha)
            for color, alpha in (
                (against, 1.0),
                (against, 0.0),
                (speaks_for, 0.0),
                (speaks_for, 1.0),
            )
        ]
        tints = LinearSegmentedColormap.from_list(
            "tints", [*zip((0.0, 0.5, 0.5, 1.0), clear, strict=True)]
        )
        colors = LinearSegmentedColormap.from_list(
            "contributions", [against, tuple(paper.background), speaks_for]
        )
        norm = Normalize(-largest, largest)
        scale, tint = ScalarMappable(norm, colors), ScalarMappable(norm, tints)
        if drawing.is_molecule:
            node_colors, draw = tint.to_rgba(nodes), _draw_molecule
        else:
            node_colors, draw = scale.to_rgba(nodes), _draw_graph
        self.nodes_, self.edges_ = draw(
            self.ax_, graph, drawing, paper, node_colors, tint.to_rgba(edges)
        )
        label = explanation.labels[0, 0]
        self.colorbar_ = self.figure_.colorbar(
            scale, ax=self.ax_, label=f"contribution to {label}", shrink=0.7
        )
        self.ax_.set_title(
            f"output {explanation.outputs[0, 0]:.2f}, "
            f"baseline {explanation.baselines[0, 0]:.2f}",
            fontsize="medium",
        )
        return self


def _draw_molecule(
    ax: Any,
    graph: Graph,
    drawing: Drawing,
    paper: Paper,
    node_colors: np.ndarray,
    edge_colors: np.ndarray,
) -> tuple[Any, Any]:
    """Colours behind bonds and atoms, then the molecule."""
    ends = drawing.positions[graph.edges]
    along = np.diff(ends, axis=1)
    length = np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-9)
    shorter = BOND_RADIUS * paper.unit * along / length
    edges = draw_capsules(
        ax,
        ends + np.concatenate([shorter, -shorter], axis=1),
        BOND_RADIUS * paper.unit,
        edge_colors,
        zorder=0.5,
    )
    nodes = draw_discs(
        ax,
        drawing.positions,
        ATOM_RADIUS * paper.unit,
        node_colors,
        linewidths=0,
        zorder=0.6,
    )
    draw_skeleton(ax, graph, drawing, paper)
    write_symbols(ax, drawing, paper)
    return nodes, edges


def _draw_graph(
    ax: Any,
    graph: Graph,
    drawing: Drawing,
    paper: Paper,
    node_colors: np.ndarray,
    edge_colors: np.ndarray,
) -> tuple[Any, Any]:
    """Coloured nodes and edges, on grey lines that show those near zero."""
    draw_skeleton(ax, graph, drawing, paper)
    ends = drawing.positions[graph.edges]
    width = LINE_WIDTH * np.sqrt(faintness(graph))
    edges = draw_lines(ax, ends, width, edge_colors)
    nodes = draw_discs(
        ax,
        drawing.positions,
        NODE_RADIUS * paper.unit,
        node_colors,
        edgecolors=[paper.ink],
        linewidths=0.8,
        zorder=3,
    )
    return nodes, edges
