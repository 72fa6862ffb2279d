"""plot_graph: one graph with the colours of its nodes and edges.

In: axes, a graph and where it is drawn. Out: matplotlib artists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skshake.graphs import Graph
from skshake.plotting._layout import Drawing

# Points: of an input node in a small graph; others grow from there.
NODE_SIZE, LINE_WIDTH = 130.0, 1.2


def plot_graph(
    ax: Any,
    graph: Graph,
    drawing: Drawing,
    node_colors: np.ndarray,
    edge_colors: Any = "0.5",
    line_width: float = LINE_WIDTH,
) -> tuple[Any, Any]:
    """Nodes and edges, with labels; double bonds as two lines.

    Returns
    -------
    points : PathCollection
    lines : LineCollection
    """
    size = NODE_SIZE / max(1.0, graph.n_nodes / 40)
    ends = drawing.positions[graph.edges]
    lines = draw_lines(ax, ends, line_width * (2 * drawing.bonds - 1), edge_colors)
    is_multiple = drawing.bonds > 1
    if is_multiple.any():
        gaps = line_width * (2 * drawing.bonds[is_multiple] - 3)
        draw_lines(ax, ends[is_multiple], gaps, "white")
    points = ax.scatter(
        *drawing.positions.T,
        s=size,
        c=node_colors,
        edgecolors="0.3",
        linewidths=0.6,
        zorder=2,
    )
    for place, label in zip(drawing.positions, drawing.labels, strict=True):
        ax.text(*place, label, ha="center", va="center", fontsize=8, zorder=3)
    return points, lines


def draw_lines(
    ax: Any, ends: np.ndarray, widths: np.ndarray, colors: Any = "0.5"
) -> Any:
    """Straight edges between pairs of places."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(ends), linewidths=widths, colors=colors, zorder=1)
    return ax.add_collection(lines)


def frame(ax: Any, positions: np.ndarray) -> None:
    """Equal units, a margin around the nodes, no ticks."""
    ax.set_aspect("equal")
    ax.set_axis_off()
    if len(positions):
        margin = 0.08 * max(np.ptp(positions, axis=0).max(), 1.0)
        low, high = positions.min(axis=0) - margin, positions.max(axis=0) + margin
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
