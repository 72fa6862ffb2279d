"""One graph on axes: nodes and edges, or the bonds and symbols of a molecule.

In: axes, a graph and where it is drawn. Out: matplotlib artists, with sizes in units of
the drawing, so that they fit whatever size the axes have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree

from skshake.graphs import Graph
from skshake.plotting._layout import Drawing

# In units, the typical length of an edge: radius of nodes, half the gap between the
# lines of a double bond, and where bonds end before a symbol.
NODE_RADIUS, HALF_GAP, SYMBOL_RADIUS = 0.17, 0.07, 0.27
# Points: of lines, and of symbols.
LINE_WIDTH, FONT_SIZES = 1.1, (4.0, 11.0)
# Edges per node up to which lines are drawn in full; more are thinner and paler.
FEW_EDGES = 2.5
# Inches of a title; height over width of the figure of a wide graph, and of a tall one.
TITLE, FLATTEST, TALLEST = 0.35, 0.35, 1.0
# A unit is at most so many times as long as it is from a node to the nearest one.
CROWDED = 2.2
# Corners of a round end.
N_CORNERS = 12


class Paper(NamedTuple):
    """What is drawn on: colours (RGB) of axes and of lines, so that dark styles work.

    ``unit`` is the typical length of an edge.
    """

    background: np.ndarray
    ink: np.ndarray
    unit: float

    @property
    def is_dark(self) -> bool:
        """Whether lines are lighter than what they are drawn on."""
        return bool(self.ink.sum() > self.background.sum())

    def mix(self, colors: Any, strength: float) -> np.ndarray:
        """Colours (RGB) as if they were transparent, without what lies below."""
        from matplotlib.colors import to_rgba_array

        return strength * to_rgba_array(colors)[:, :3] + (1 - strength) * (
            self.background
        )


def prepare(ax: Any, edges: np.ndarray, positions: np.ndarray) -> Paper:
    """Set limits around the nodes, equal units and no ticks."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgb

    ax.set_aspect("equal")
    ax.set_axis_off()
    unit = _unit_of(edges, positions)
    if len(positions):
        low, high = positions.min(axis=0) - unit, positions.max(axis=0) + unit
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    background = ax.get_facecolor()
    if not background[3]:
        background = ax.figure.get_facecolor()
    ink = np.array(to_rgb(mpl.rcParams["text.color"]))
    return Paper(np.array(to_rgb(background)), ink, unit)


def size_for(positions: np.ndarray, width: float) -> tuple[float, float]:
    """Inches of axes of a width that a graph fills."""
    extent = np.ptp(positions, axis=0) + 1.5 if len(positions) else np.ones(2)
    return width, width * float(
        np.clip(extent[1] / extent[0], FLATTEST, TALLEST)
    ) + TITLE


def faintness(graph: Graph) -> float:
    """What lines are thinned by, so that many of them do not become one area."""
    return min(1.0, FEW_EDGES * graph.n_nodes / max(len(graph.edges), 1))


def _unit_of(edges: np.ndarray, positions: np.ndarray) -> float:
    """Typical length of an edge, or what room a node has where that is less."""
    if not len(edges):
        return 1.0
    lengths = np.linalg.norm(np.diff(positions[edges], axis=1)[:, 0], axis=1)
    nearest = KDTree(positions).query(positions, 2)[0][:, 1]
    room = CROWDED * np.median(nearest)
    return float(max(min(np.median(lengths), room), 1e-6))


def draw_discs(
    ax: Any, positions: np.ndarray, radius: Any, colors: Any, **style: Any
) -> Any:
    """Discs of one radius, or one each, in units of the drawing."""
    from matplotlib.collections import EllipseCollection

    width = np.broadcast_to(2 * np.asarray(radius, dtype=float), len(positions))
    discs = EllipseCollection(
        width,
        width,
        np.zeros(len(positions)),
        units="xy",
        offsets=positions,
        offset_transform=ax.transData,
        facecolors=colors,
        **style,
    )
    return ax.add_collection(discs, autolim=False)


def draw_capsules(
    ax: Any, ends: np.ndarray, radius: float, colors: Any, **style: Any
) -> Any:
    """Thick lines with round ends, as polygons, in units of the drawing."""
    from matplotlib.collections import PolyCollection

    along = np.diff(ends, axis=1)[:, 0]
    angle = np.arctan2(along[:, 1], along[:, 0])
    half = np.linspace(np.pi / 2, 3 * np.pi / 2, N_CORNERS)
    corners = []
    for end, turn in ((0, 0.0), (1, np.pi)):
        turned = angle[:, None] + half + turn
        arc = np.stack([np.cos(turned), np.sin(turned)], axis=-1)
        corners.append(ends[:, end, None] + radius * arc)
    polygons = np.concatenate(corners, axis=1)
    capsules = PolyCollection([*polygons], facecolors=colors, linewidths=0, **style)
    return ax.add_collection(capsules, autolim=False)


def draw_lines(ax: Any, ends: np.ndarray, widths: Any, colors: Any) -> Any:
    """Straight edges between pairs of places; widths in points."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(ends), linewidths=widths, colors=colors, zorder=2)
    lines.set_capstyle("round")
    return ax.add_collection(lines, autolim=False)


def draw_skeleton(ax: Any, graph: Graph, drawing: Drawing, paper: Paper) -> Any:
    """Edges; those of a molecule as bonds that leave room for symbols.

    Returns
    -------
    lines : LineCollection
    """
    ends = drawing.positions[graph.edges]
    if not drawing.is_molecule:
        strength = faintness(graph)
        grey = [*(0.5 * (paper.ink + paper.background)), np.sqrt(strength)]
        return draw_lines(ax, ends, LINE_WIDTH * np.sqrt(strength), [grey])
    has_label = np.array([bool(label) for label in drawing.labels], bool)
    along = np.diff(ends, axis=1)[:, 0]
    length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    along = along / length
    cut = SYMBOL_RADIUS * paper.unit * has_label[graph.edges]
    ends = ends + np.stack([along * cut[:, :1], -along * cut[:, 1:]], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    gap = HALF_GAP * paper.unit * across[:, None]
    parts = []
    # A double bond is two lines beside the middle, a triple one has the middle too.
    for n_lines, side in ((1, 0), (2, -1), (2, 1), (3, 0), (3, -2), (3, 2)):
        chosen = np.clip(np.round(drawing.bonds), 1, 3) == n_lines
        parts.append((ends + side * gap)[chosen])
    return draw_lines(ax, np.concatenate(parts), LINE_WIDTH, [paper.ink])


def write_symbols(ax: Any, drawing: Drawing, paper: Paper) -> None:
    """Write labels of atoms, with the symbol where the atom is."""
    size = _font_size(ax, paper.unit, 0.45)
    for place, label, symbol in zip(
        drawing.positions, drawing.labels, drawing.symbols, strict=True
    ):
        if not label:
            continue
        # Hydrogens and charges move the middle of the label away from the atom's.
        before, _, after = label.rpartition(symbol)
        shift = 0.31 * size * (_n_letters(after) - _n_letters(before))
        _write(ax, place, label, size, paper.ink, shift)


def write_centred(
    ax: Any, positions: np.ndarray, labels: list[str], radius: np.ndarray, paper: Paper
) -> None:
    """Write labels in the middle of discs, as large as these allow."""
    for place, label, room in zip(positions, labels, radius, strict=True):
        if label:
            scale = 2.2 * room / (0.7 * _n_letters(label) + 0.5) / paper.unit
            _write(ax, place, label, _font_size(ax, paper.unit, scale), paper.ink)


def _n_letters(label: str) -> float:
    """Letters of a label; raised and lowered ones are smaller."""
    return sum(1.0 if letter.isascii() else 0.6 for letter in label)


def _write(
    ax: Any, place: Any, label: str, size: float, color: Any, shift: float = 0.0
) -> None:
    ax.annotate(
        label,
        place,
        xytext=(shift, -0.06 * size),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        color=color,
        zorder=4,
    )


def _font_size(ax: Any, unit: float, scale: float) -> float:
    """Points of letters that are about so many units high."""
    inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    extent = np.array([np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())])
    points = 72 * min(
        np.array([inches.width, inches.height]) / np.maximum(extent, 1e-9)
    )
    return float(np.clip(scale * unit * points, *FONT_SIZES))
