"""Nodes and edges, bonds and symbols, in units of the drawing."""

import numpy as np
import pytest

from skshake import MoleculeFeaturizer, as_graphs
from skshake.plotting._graph import (
    CROWDED,
    FEW_EDGES,
    FONT_SIZES,
    NODE_RADIUS,
    SYMBOL_RADIUS,
    draw_capsules,
    draw_discs,
    draw_skeleton,
    faintness,
    prepare,
    size_for,
    write_centred,
    write_symbols,
)
from skshake.plotting._layout import Drawing, draw_graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
POSITIONS = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]])


@pytest.fixture
def path():
    return as_graphs([PATH])[0]


def _draw(symbols, labels, bonds):
    return Drawing(POSITIONS, symbols, labels, np.array(bonds))


def test_limits_leave_room_and_the_unit_is_an_edge(pyplot, path):
    _, ax = pyplot.subplots()
    paper = prepare(ax, path.edges, POSITIONS)
    assert paper.unit == 2.0
    assert ax.get_xlim() == (-2.0, 6.0)
    assert not ax.axison
    # Nodes that stand close are small, however long edges are.
    crowd = np.array([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0], [4.1, 0.0]])
    edges = np.array([[0, 2], [1, 3], [0, 3]])
    assert prepare(ax, edges, crowd).unit == pytest.approx(0.1 * CROWDED)
    # Without edges there is a unit too.
    assert prepare(ax, np.empty((0, 2), int), POSITIONS[:1]).unit == 1.0


def test_dark_paper_is_noticed_and_colours_are_mixed_with_it(pyplot, path):
    _, ax = pyplot.subplots()
    assert not prepare(ax, path.edges, POSITIONS).is_dark
    with pyplot.style.context("dark_background"):
        _, ax = pyplot.subplots()
        paper = prepare(ax, path.edges, POSITIONS)
    assert paper.is_dark
    np.testing.assert_allclose(paper.mix(["white"], 0.3), [[0.3] * 3])


def test_edges_of_a_graph_are_lines_from_node_to_node(pyplot, path):
    _, ax = pyplot.subplots()
    paper = prepare(ax, path.edges, POSITIONS)
    lines = draw_skeleton(ax, path, _draw([""] * 3, [""] * 3, [1.0, 1.0]), paper)
    assert [line.tolist() for line in lines.get_segments()] == [
        [[0, 0], [2, 0]],
        [[2, 0], [4, 0]],
    ]


def test_bonds_are_one_to_three_lines_and_end_before_symbols(pyplot, path):
    _, ax = pyplot.subplots()
    paper = prepare(ax, path.edges, POSITIONS)
    drawing = _draw(["C", "C", "N"], ["", "", "N"], [1.0, 3.0])
    segments = np.array(draw_skeleton(ax, path, drawing, paper).get_segments())
    assert len(segments) == 4
    single = segments[segments[:, 0, 0] == 0]
    np.testing.assert_allclose(single[0], [[0, 0], [2, 0]])
    triple = segments[segments[:, 0, 0] == 2]
    np.testing.assert_allclose(triple[:, 1, 0], 4 - SYMBOL_RADIUS * 2)
    heights = np.sort(triple[:, 0, 1])
    np.testing.assert_allclose(heights, [-heights[2], 0, heights[2]])


def test_many_edges_are_faint(path):
    assert faintness(path) == 1.0
    clique = as_graphs([np.ones((20, 20)) - np.eye(20)])[0]
    assert faintness(clique) == pytest.approx(FEW_EDGES * 20 / 190)
    assert faintness(as_graphs([np.zeros((1, 1))])[0]) == 1.0


def test_discs_and_capsules_have_sizes_of_the_drawing(pyplot):
    _, ax = pyplot.subplots()
    discs = draw_discs(ax, POSITIONS, np.array([1.0, 2.0, 3.0]), ["red"])
    assert discs.get_offsets().tolist() == POSITIONS.tolist()
    ax.figure.canvas.draw()
    np.testing.assert_allclose(discs.get_transforms()[:, 0, 0], [1.0, 2.0, 3.0])
    ends = np.array([[[0.0, 0.0], [3.0, 4.0]]])
    (capsule,) = draw_capsules(ax, ends, 0.5, ["red"]).get_paths()
    # Every corner is half a unit away from the line between the ends.
    along = np.array([3.0, 4.0]) / 5
    place = np.clip(capsule.vertices @ along, 0, 5)[:, None] * along
    away = np.linalg.norm(capsule.vertices - place, axis=1)
    np.testing.assert_allclose(away, 0.5)


def test_symbols_are_written_where_there_are_any(pyplot):
    smiles = "O=C(N)C"
    graph = MoleculeFeaturizer().transform([smiles])[0]
    drawing = draw_graph(graph, smiles)
    _, ax = pyplot.subplots()
    write_symbols(ax, drawing, prepare(ax, graph.edges, drawing.positions))
    assert [text.get_text() for text in ax.texts] == [
        drawing.labels[0],
        drawing.labels[2],
    ]
    assert [[*text.xy] for text in ax.texts] == drawing.positions[[0, 2]].tolist()


def test_labels_in_discs_fit(pyplot, path):
    _, ax = pyplot.subplots()
    paper = prepare(ax, path.edges, POSITIONS)
    radius = NODE_RADIUS * np.array([1.0, 2.0, 2.0])
    write_centred(ax, POSITIONS, ["", "7", "C₁₂N₃O"], radius, paper)
    sizes = [text.get_fontsize() for text in ax.texts]
    assert len(sizes) == 2
    assert FONT_SIZES[0] <= sizes[1] < sizes[0] <= FONT_SIZES[1]


def test_figures_are_as_high_as_the_graph_needs():
    width, flat = size_for(POSITIONS, 4.0)
    assert width == 4.0
    assert flat < size_for(POSITIONS[:, ::-1], 4.0)[1]
    assert size_for(np.empty((0, 2)), 4.0) == (4.0, pytest.approx(4.35))
