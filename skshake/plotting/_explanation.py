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
from skshake.plotting._axes import one_axes
from skshake.plotting._graph import frame, plot_graph
from skshake.plotting._layout import draw_graph

# Red speaks for the class that is explained, blue against it.
COLORS = "RdBu_r"
LINE_WIDTH = 2.4


class ExplanationDisplay:
    """One graph; red nodes and edges speak for a class, blue ones against it.

    Contributions of nodes and of edges have one scale, symmetric around zero (white).
    Molecules are drawn as chemists do. Make one with :meth:`from_estimator`, or of
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
    nodes_ : PathCollection
    edges_ : LineCollection
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
        """
        require("matplotlib", "drawing")
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        explanation, molecule = self.explanation, self.molecule
        if len(explanation) != 1:
            raise ValueError(
                f"explanation: expected that of one graph, got {len(explanation)}; "
                "choose with explanation[i]"
            )
        if molecule is None and explanation.molecules is not None:
            (molecule,) = explanation.molecules
        graph = explanation.graphs[0]
        drawing = draw_graph(graph, molecule)
        nodes, edges = explanation.nodes[0], explanation.edges[0]
        largest = max(np.abs(np.concatenate([nodes, edges, [0.0]])).max(), 1e-12)
        scale = ScalarMappable(Normalize(-largest, largest), COLORS)
        self.ax_ = one_axes(ax, (5.0, 4.0))
        self.figure_ = self.ax_.figure
        self.nodes_, self.edges_ = plot_graph(
            self.ax_,
            graph,
            drawing,
            scale.to_rgba(nodes),
            scale.to_rgba(edges),
            LINE_WIDTH,
        )
        frame(self.ax_, drawing.positions)
        label = explanation.labels[0, 0]
        self.colorbar_ = self.figure_.colorbar(
            scale, ax=self.ax_, label=f"contribution to {label}", shrink=0.7
        )
        self.ax_.set_title(
            f"output {explanation.outputs[0, 0]:.2f}, "
            f"baseline {explanation.baselines[0, 0]:.2f}"
        )
        return self
